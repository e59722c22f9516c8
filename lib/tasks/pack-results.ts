import * as z from 'zod'
import type { ImportOperation } from './operation.ts'

/** Packs results of other jobs into a ZIP. It is the task of POST /v1/download/zip, and of the download of a batch. */
export const packResultsOperation = {
  kind: 'import',
  name: 'import/results',
  summary: 'Pack the results of jobs into a ZIP',
  fields: z.strictObject({
    jobIds: z.array(z.string()).min(1),
    tasks: z.array(z.string()).optional(),
    /** Folders by job id. */
    folders: z.record(z.string(), z.string()).optional(),
    filename: z.string(),
    /** Template for the filenames; see `createNameFromTemplate`. */
    nameTemplate: z.string().optional(),
    /** Value of `{index}` for the first file; 1 if omitted. */
    firstIndex: z.int().optional(),
    manifest: z.boolean(),
  }),
  packs: true,
} as const satisfies ImportOperation

export type PackResultsFields = z.infer<typeof packResultsOperation.fields>
