import * as z from 'zod'

/** What happens to a file of a job. */
export const fileEvents = {
  'file.deleted': {
    file: z.object({
      jobId: z.string(),
      filename: z.string(),
      role: z.enum(['source', 'output']),
      reason: z.enum(['retention', 'request']),
    }),
  },
} as const satisfies Readonly<Record<string, z.ZodRawShape>>
