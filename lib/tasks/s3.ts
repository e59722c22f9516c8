import * as z from 'zod'
import { createNamedValues, text } from '../validation/maxima.ts'
import {
  createMetadataField,
  createStoreExport,
  createStoreImport,
  endpointField,
  headerFields,
  type StoreKind,
  toHeaderToken,
} from './store-operations.ts'

/** A client's S3 bucket. */
const bucket = {
  name: 's3',
  title: 'an S3 bucket',
  access: {
    bucket: z.string().min(3).max(255).describe('Name of the bucket'),
    region: z.string().min(1).max(64).describe('Region of the bucket, such as `eu-central-1`'),
    endpoint: endpointField.describe('URL of an S3-compatible storage service'),
    access_key_id: toHeaderToken(z.string().min(1).max(256)).describe('Access key id'),
    secret_access_key: z.string().min(1).max(256).describe('Secret access key'),
    session_token: toHeaderToken(z.string().max(8192))
      .optional()
      .describe('Session token of temporary credentials'),
    path_style: z
      .boolean()
      .optional()
      .describe('Whether the URL path contains the bucket; defaults to true when `endpoint` is set'),
  },
  secrets: ['access_key_id', 'secret_access_key', 'session_token'],
  pathFields: { path: 'key', prefix: 'key_prefix' },
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
      .describe('Canned ACL of S3'),
    ...headerFields,
    metadata: createMetadataField(
      z.string().regex(/^[\w.-]{1,200}$/, 'expected letters, digits, hyphens, dots and underscores'),
    ),
    server_side_encryption: z.enum(['AES256', 'aws:kms']).optional().describe('Server-side encryption'),
    tagging: createNamedValues(text('id'), text('name'), 50).optional().describe('Tags of the object'),
  },
  find: async () => (await import('../transfer/s3.ts')).findInS3,
  openStore: async () => (await import('../transfer/s3.ts')).openS3,
} as const satisfies StoreKind

export const importS3Operation = createStoreImport(bucket)
export const exportS3Operation = createStoreExport(bucket)
