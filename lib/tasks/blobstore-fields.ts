import * as z from 'zod'

/** Where a container of Azure's blob storage is and who may use it. */
export const containerFields = {
  storage_account: z
    .string()
    .regex(/^[a-z0-9]{3,24}$/, 'expected 3 to 24 lower-case letters and digits')
    .describe('Name of the storage account'),
  container: z
    .string()
    .regex(/^(?:\$root|[a-z0-9][a-z0-9-]{2,62})$/, 'expected 3 to 63 lower-case letters, digits and hyphens')
    .describe('Name of the container'),
  sas_token: z.string().min(1).max(4096).optional().describe('Shared access signature'),
  storage_access_key: z.string().min(1).max(256).optional().describe('Key of the account, instead'),
  endpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of a storage that is not Azure but speaks its protocol'),
}

export const containerSecrets = ['sas_token', 'storage_access_key'] as const
export const blobName = z.string().min(1).max(1024)
