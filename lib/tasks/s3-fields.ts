import * as z from 'zod'

/** Where a bucket is and who may use it. */
export const bucketFields = {
  bucket: z.string().min(3).max(255).describe('Name of the bucket'),
  region: z.string().min(1).max(64).describe('Region of the bucket, as `eu-central-1`'),
  endpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of a storage that is not AWS but speaks its protocol'),
  access_key_id: z.string().min(1).max(256).describe('Access key'),
  secret_access_key: z.string().min(1).max(256).describe('Its secret'),
  session_token: z.string().max(8192).optional().describe('Of temporary credentials'),
  path_style: z
    .boolean()
    .optional()
    .describe('The bucket stands in the path of the address; true when left out beside an endpoint'),
}

export const bucketSecrets = ['access_key_id', 'secret_access_key', 'session_token'] as const
export const objectKey = z.string().min(1).max(1024)
