import * as z from 'zod'
import type { ImportOperation } from './operation.ts'

/** Results of other jobs as one ZIP: the task of POST /v1/download/zip. */
export const packResultsOperation = {
  kind: 'import',
  name: 'import/results',
  summary: 'Make one ZIP of the results of jobs',
  fields: z.strictObject({
    jobIds: z.array(z.string()).min(1),
    tasks: z.array(z.string()).optional(),
    /** By job. */
    folders: z.record(z.string(), z.string()).optional(),
    filename: z.string(),
    manifest: z.boolean(),
  }),
  packs: true,
} as const satisfies ImportOperation
