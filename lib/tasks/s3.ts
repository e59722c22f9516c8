import * as z from 'zod'
import {
  createStoreExport,
  createStoreImport,
  endpointField,
  headerFields,
  headerToken,
  metadataField,
} from './store-operations.ts'

/** A bucket of somebody else. */
const bucket = {
  name: 's3',
  title: 'an S3 bucket',
  access: {
    bucket: z.string().min(3).max(255).describe('Name of the bucket'),
    region: z.string().min(1).max(64).describe('Region of the bucket, as `eu-central-1`'),
    endpoint: endpointField.describe('Address of a storage that is not AWS but speaks its protocol'),
    access_key_id: headerToken(z.string().min(1).max(256)).describe('Access key'),
    secret_access_key: z.string().min(1).max(256).describe('Its secret'),
    session_token: headerToken(z.string().max(8192)).optional().describe('Of temporary credentials'),
    path_style: z
      .boolean()
      .optional()
      .describe('The bucket stands in the path of the address; true when left out beside an endpoint'),
  },
  secrets: ['access_key_id', 'secret_access_key', 'session_token'],
  place: { path: 'key', prefix: 'key_prefix' },
  path: z.string().min(1).max(1024),
  attributes: {
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
    ...headerFields,
    metadata: metadataField(
      z.string().regex(/^[\w.-]+$/, 'expected letters, digits, hyphens, dots and underscores'),
    ),
    server_side_encryption: z.enum(['AES256', 'aws:kms']).optional().describe('How S3 encrypts it'),
    tagging: z.record(z.string(), z.string()).optional().describe('Tags of the object'),
  },
  find: async () => (await import('../transfer/s3.ts')).findInS3,
  openStore: async () => (await import('../transfer/s3.ts')).openS3,
} as const

export const importS3Operation = createStoreImport(bucket)
export const exportS3Operation = createStoreExport(bucket)
