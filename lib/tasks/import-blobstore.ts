import * as z from 'zod'
import { blobName, containerFields, containerSecrets } from './blobstore-fields.ts'
import type { ImportOperation } from './operation.ts'

/** Files of a container of Azure's blob storage. */
export const importBlobstore = {
  kind: 'import',
  name: 'import/blobstore',
  alias: 'import/blob',
  summary: 'Fetch files from an Azure blob container',
  fields: z
    .strictObject({
      ...containerFields,
      blob: blobName.optional().describe('Name of the file'),
      blob_prefix: blobName.optional().describe('What the names of the files begin with, instead of `blob`'),
    })
    .refine(({ blob, blob_prefix }) => (blob === undefined) !== (blob_prefix === undefined), {
      path: ['blob'],
      message: 'expected either blob or blob_prefix',
    }),
  secrets: containerSecrets,
  find: async () => (await import('../transfer/blobstore.ts')).findInBlobstore,
} as const satisfies ImportOperation
