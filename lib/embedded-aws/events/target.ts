// A target of a rule, in the form in which clients send it and the rule stores it.
import * as z from 'zod'
import { RetryPolicy, rejectField, textField } from './request-params.ts'

export const RuleTargetId = textField(1, 64, '[\\.\\-_A-Za-z0-9]+')
export const RuleTarget = z.object({
  Id: RuleTargetId,
  Arn: textField(1, 1600),
  RoleArn: textField(1, 1600).optional(),
  Input: textField(0, 8192).optional(),
  InputPath: textField(0, 256).optional(),
  InputTransformer: z
    .object({
      InputPathsMap: z
        .record(textField(1, 256, '[A-Za-z0-9\\_\\-\\.]+'), textField(0, 256))
        .refine((paths) => Object.keys(paths).length <= 100, {
          error: 'Member must have length less than or equal to 100',
        })
        .optional(),
      InputTemplate: textField(1, 8192),
    })
    .optional(),
  SqsParameters: z.object({ MessageGroupId: textField(0, 100).optional() }).optional(),
  DeadLetterConfig: z.object({ Arn: textField(1, 1600).optional() }).optional(),
  RetryPolicy: RetryPolicy.optional(),
  KinesisParameters: rejectField('KinesisParameters'),
  RunCommandParameters: rejectField('RunCommandParameters'),
  EcsParameters: rejectField('EcsParameters'),
  BatchParameters: rejectField('BatchParameters'),
  HttpParameters: rejectField('HttpParameters'),
  RedshiftDataParameters: rejectField('RedshiftDataParameters'),
  SageMakerPipelineParameters: rejectField('SageMakerPipelineParameters'),
  AppSyncParameters: rejectField('AppSyncParameters'),
})
export type RuleTarget = z.infer<typeof RuleTarget>
