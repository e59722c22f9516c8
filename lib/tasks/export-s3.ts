import * as z from 'zod'
import type { ExportOperation } from './operation.ts'
import { bucketFields, bucketSecrets, objectKey } from './s3-fields.ts'

/** Files go into a bucket of somebody else. */
export const exportS3 = {
  kind: 'export',
  name: 'export/s3',
  summary: 'Store the files in an S3 bucket',
  fields: z.strictObject({
    ...bucketFields,
    key: objectKey
      .optional()
      .describe('Key of the file; `{name} {ext} {jobId} {index} {date}` stand for what they say'),
    key_prefix: objectKey.optional().describe('Stands before the names of the files, instead of `key`'),
    acl: z
      .enum([
        'private',
        'public-read',
        'public-read-write',
        'authenticated-read',
        'bucket-owner-full-control',
      ])
      .optional()
      .describe('Who may read it, in the words of S3'),
    cache_control: z.string().max(256).optional().describe('Header of its downloads'),
    content_disposition: z.string().max(512).optional().describe('Header of its downloads'),
    metadata: z
      .record(z.string(), z.string())
      .optional()
      .describe('Names and values that are stored with it'),
    server_side_encryption: z.enum(['AES256', 'aws:kms']).optional().describe('How S3 encrypts it'),
    tagging: z.record(z.string(), z.string()).optional().describe('Tags of the object'),
  }),
  place: { path: 'key', prefix: 'key_prefix' },
  secrets: bucketSecrets,
  openStore: async () => (await import('../transfer/s3.ts')).openS3,
} as const satisfies ExportOperation
