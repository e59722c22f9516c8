import * as z from 'zod'
import type { ImportOperation } from './operation.ts'
import { bucketFields, bucketSecrets, objectKey } from './s3-fields.ts'

/** Files of a bucket of somebody else. */
export const importS3 = {
  kind: 'import',
  name: 'import/s3',
  summary: 'Fetch files from an S3 bucket',
  fields: z
    .strictObject({
      ...bucketFields,
      key: objectKey.optional().describe('Key of the file'),
      key_prefix: objectKey.optional().describe('What the keys of the files begin with, instead of `key`'),
    })
    .refine(({ key, key_prefix }) => (key === undefined) !== (key_prefix === undefined), {
      path: ['key'],
      message: 'expected either key or key_prefix',
    }),
  secrets: bucketSecrets,
  find: async () => (await import('../transfer/s3.ts')).findInS3,
} as const satisfies ImportOperation
