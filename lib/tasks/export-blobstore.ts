import * as z from 'zod'
import { blobName, containerFields, containerSecrets } from './blobstore-fields.ts'
import type { ExportOperation } from './operation.ts'

/** Files go into a container of Azure's blob storage. */
export const exportBlobstore = {
  kind: 'export',
  name: 'export/blobstore',
  alias: 'export/blob',
  summary: 'Store the files in an Azure blob container',
  fields: z.strictObject({
    ...containerFields,
    blob: blobName
      .optional()
      .describe('Name of the file; `{name} {ext} {jobId} {index} {date}` stand for what they say'),
    blob_prefix: blobName.optional().describe('Stands before the names of the files, instead of `blob`'),
    cache_control: z.string().max(256).optional().describe('Header of its downloads'),
    content_disposition: z.string().max(512).optional().describe('Header of its downloads'),
    metadata: z
      .record(z.string().regex(/^[A-Za-z_]\w*$/, 'expected letters, digits and underscores'), z.string())
      .optional()
      .describe('Names and values that are stored with it'),
  }),
  place: { path: 'blob', prefix: 'blob_prefix' },
  secrets: containerSecrets,
  openStore: async () => (await import('../transfer/blobstore.ts')).openBlobstore,
} as const satisfies ExportOperation
