import * as z from 'zod'
import {
  createMetadataField,
  createStoreExport,
  createStoreImport,
  endpointField,
  headerFields,
  type StoreKind,
} from './store-operations.ts'

/** A container of Azure Blob Storage. */
const container = {
  name: 'blobstore',
  alias: 'blob',
  title: 'an Azure blob container',
  access: {
    storage_account: z
      .string()
      .regex(/^[a-z0-9]{3,24}$/, 'expected 3 to 24 lower-case letters and digits')
      .describe('Name of the storage account'),
    container: z
      .string()
      .regex(
        /^(?:\$root|[a-z0-9][a-z0-9-]{2,62})$/,
        'expected 3 to 63 lower-case letters, digits and hyphens',
      )
      .describe('Name of the container'),
    sas_token: z.string().min(1).max(4096).optional().describe('Shared access signature'),
    storage_access_key: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Key of the account, instead of `sas_token`'),
    endpoint: endpointField.describe('URL of a storage service that is compatible with Azure Blob Storage'),
  },
  secrets: ['sas_token', 'storage_access_key'],
  pathFields: { path: 'blob', prefix: 'blob_prefix' },
  path: z.string().min(1).max(1024),
  attributes: {
    ...headerFields,
    metadata: createMetadataField(
      z.string().regex(/^[A-Za-z_]\w{0,199}$/, 'expected letters, digits and underscores'),
    ),
  },
  find: async () => (await import('../transfer/blobstore.ts')).findInBlobstore,
  openStore: async () => (await import('../transfer/blobstore.ts')).openBlobstore,
} as const satisfies StoreKind

export const importBlobstoreOperation = createStoreImport(container)
export const exportBlobstoreOperation = createStoreExport(container)
