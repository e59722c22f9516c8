import * as z from 'zod'
import type { ExportOperation } from './operation.ts'

/** A link to each file of its inputs. It is there as soon as they are: nothing has to be done for it. */
export const exportUrlOperation = {
  kind: 'export',
  name: 'export/url',
  summary: 'Give out links to the files',
  fields: z.strictObject({
    inline: z
      .boolean()
      .optional()
      .describe('Links show files in the browser instead of saving them, where they cannot run scripts'),
    filename: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Name of the files; `{name} {ext} {jobId} {index} {date}` stand for what they say'),
  }),
} as const satisfies ExportOperation
