import * as z from 'zod'

/** Events about the files of a job. */
export const fileEvents = {
  'file.uploaded': {
    file: z.object({
      uploadId: z
        .string()
        .optional()
        .describe('Id of the upload; absent if the file was sent directly to a task'),
      jobId: z.string().optional().describe('The job that the file was uploaded for'),
      filename: z.string(),
      size: z.int().describe('Size in bytes'),
      mimeType: z.string(),
      format: z.string().nullable().describe('Format, as detected from the content; null if unknown'),
      sha256: z.string().optional().describe('SHA-256 in lower-case hex, if the service read the whole file'),
      via: z
        .enum(['form', 'presigned', 'multipart', 'url', 'store'])
        .describe(
          '`form`: with the request; `presigned` and `multipart`: directly to the storage, in one or several parts; `url` and `store`: fetched from a URL or from your storage',
        ),
    }),
  },
  /** A client was redirected to the file; how much of it was downloaded is unknown. */
  'file.downloaded': {
    file: z.object({
      jobId: z.string(),
      filename: z.string(),
      size: z.int().describe('Size in bytes'),
      signed: z.boolean().describe('Whether the file was downloaded with a signed link'),
      ip: z.string().nullable().describe('Network of the client, such as `203.0.113.0/24`'),
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
