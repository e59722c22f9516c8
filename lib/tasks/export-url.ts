import * as z from 'zod'
import { archiveField, type ExportOperation } from './operation.ts'

/**
 * Provides a link to each input file. Usually, this requires no work, because the links exist as soon as the files do.
 * Only the files of a list that are delivered one by one have to be stored.
 */
export const exportUrlOperation = {
  kind: 'export',
  name: 'export/url',
  unpacks: true,
  summary: 'Provide download links to the files',
  fields: z.strictObject({
    inline: z
      .boolean()
      .optional()
      .describe(
        'Links display files in the browser instead of downloading them, if the format cannot run scripts',
      ),
    filename: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Template for the file names; may contain `{name} {ext} {jobId} {index} {date}`'),
    archive_multiple_files: archiveField,
    expires_in: z
      .int()
      .min(60)
      .optional()
      .describe('Seconds after the end of the job until the links expire, if shorter than the default'),
  }),
} as const satisfies ExportOperation
