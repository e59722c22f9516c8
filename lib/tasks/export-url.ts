import * as z from 'zod'
import type { ExportOperation } from './operation.ts'

/** Provides a link to each input file. Requires no work: the links exist as soon as the files do. */
export const exportUrlOperation = {
  kind: 'export',
  name: 'export/url',
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
  }),
} as const satisfies ExportOperation
