import { createPrivateKey } from 'node:crypto'
import * as z from 'zod'
import { createNamedValues, text } from '../validation/maxima.ts'
import { createStoreExport, createStoreImport, headerFields, type StoreKind } from './store-operations.ts'

/** The key file of a Google service account. Fields other than these are ignored. */
const credentials = z
  .object({
    type: z.literal('service_account').optional(),
    project_id: z.string().max(256).optional(),
    client_email: z.email().max(320).describe('Name of the service account'),
    private_key: z
      .string()
      .max(16_384)
      .refine(isRsaKey, 'expected an RSA private key in PEM format, with line breaks')
      .describe('Private key in PEM format'),
  })
  .describe('Key file of a service account')

/** A bucket of Google Cloud Storage. */
const bucket = {
  name: 'gcs',
  title: 'a bucket of Google Cloud Storage',
  access: {
    bucket: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/, 'expected lower-case letters, digits, dots and hyphens')
      .describe('Name of the bucket'),
    project_id: z.string().max(256).optional().describe('Project of the bucket; optional'),
    credentials,
  },
  secrets: ['credentials'],
  pathFields: { path: 'key', prefix: 'key_prefix' },
  path: z.string().min(1).max(1024),
  attributes: {
    acl: z
      .enum([
        'authenticatedRead',
        'bucketOwnerFullControl',
        'bucketOwnerRead',
        'private',
        'projectPrivate',
        'publicRead',
      ])
      .optional()
      .describe('Predefined ACL of Google Cloud Storage'),
    ...headerFields,
    metadata: createNamedValues(text('id'), text('url'), 100)
      .optional()
      .describe('Metadata to store with the file'),
  },
  find: async () => (await import('../transfer/gcs.ts')).findInGcs,
  openStore: async () => (await import('../transfer/gcs.ts')).openGcs,
} as const satisfies StoreKind

export const importGcsOperation = createStoreImport(bucket)
export const exportGcsOperation = createStoreExport(bucket)

function isRsaKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
