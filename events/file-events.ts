import * as z from 'zod'

/** What happens to a file of a job. */
export const fileEvents = {
  'file.uploaded': {
    file: z.object({
      uploadId: z.string().optional().describe('Of what did not come straight into a task'),
      jobId: z.string().optional().describe('Of the job that it came for'),
      filename: z.string(),
      size: z.int().describe('Bytes'),
      mimeType: z.string(),
      format: z.string().nullable().describe('As its content says; null of what nobody here knows'),
      sha256: z.string().optional().describe('Lower-case hex, where the service saw every byte'),
      via: z
        .enum(['form', 'presigned', 'multipart', 'url', 'store'])
        .describe(
          '`form`: with the request; `presigned` and `multipart`: straight into the storage, whole or in parts; `url` and `store`: fetched from an address, or from a store of yours',
        ),
    }),
  },
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
