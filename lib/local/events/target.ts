// One target of a rule, as clients give it and the rule keeps it.
import * as z from 'zod'
import { RetryPolicy, text, unsupported } from './request-params.ts'

export const TargetId = text(1, 64, '[\\.\\-_A-Za-z0-9]+')
export const Target = z.object({
  Id: TargetId,
  Arn: text(1, 1600),
  RoleArn: text(1, 1600).optional(),
  Input: text(0, 8192).optional(),
  InputPath: text(0, 256).optional(),
  InputTransformer: z
    .object({
      InputPathsMap: z
        .record(text(1, 256, '[A-Za-z0-9\\_\\-\\.]+'), text(0, 256))
        .refine((paths) => Object.keys(paths).length <= 100, {
          error: 'Member must have length less than or equal to 100',
        })
        .optional(),
      InputTemplate: text(1, 8192),
    })
    .optional(),
  SqsParameters: z.object({ MessageGroupId: text(0, 100).optional() }).optional(),
  DeadLetterConfig: z.object({ Arn: text(1, 1600).optional() }).optional(),
  RetryPolicy: RetryPolicy.optional(),
  KinesisParameters: unsupported('KinesisParameters'),
  RunCommandParameters: unsupported('RunCommandParameters'),
  EcsParameters: unsupported('EcsParameters'),
  BatchParameters: unsupported('BatchParameters'),
  HttpParameters: unsupported('HttpParameters'),
  RedshiftDataParameters: unsupported('RedshiftDataParameters'),
  SageMakerPipelineParameters: unsupported('SageMakerPipelineParameters'),
  AppSyncParameters: unsupported('AppSyncParameters'),
})
export type Target = z.infer<typeof Target>
