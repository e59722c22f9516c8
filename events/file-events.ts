import * as z from 'zod'

/** What happens to a file of a job. */
export const fileEvents = {
  /** Somebody was led to the file; how much of it they fetched there nobody tells. */
  'file.downloaded': {
    file: z.object({
      jobId: z.string(),
      filename: z.string(),
      size: z.int().describe('Bytes'),
      signed: z.boolean().describe('By a signed address'),
      ip: z.string().nullable().describe('Network of the client, as `203.0.113.0/24`'),
    }),
  },
  'file.deleted': {
    file: z.object({
      jobId: z.string(),
      filename: z.string(),
      role: z.enum(['source', 'output']),
      reason: z.enum(['retention', 'request']),
    }),
  },
} as const satisfies Readonly<Record<string, z.ZodRawShape>>
