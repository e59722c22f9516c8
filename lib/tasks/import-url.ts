import * as z from 'zod'
import { requestHeaders } from '../transfer/request-headers.ts'
import type { ImportOperation } from './operation.ts'

/** Fetches a file from a URL. */
export const importUrlOperation = {
  kind: 'import',
  name: 'import/url',
  summary: 'Fetch a file from a URL',
  fields: z.strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(4096)
      .describe('URL of the file, reachable from the internet'),
    filename: z.string().min(1).max(1024).optional().describe('Overrides the name of the file'),
    headers: requestHeaders
      .optional()
      .describe('Request headers, such as `Authorization`; only sent to the host of the URL'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'expected 64 hex digits')
      .optional()
      .describe('SHA-256 in hex; other content is rejected'),
    max_size: z.int().min(1).optional().describe('Maximum size in bytes; larger files are rejected'),
  }),
  secrets: ['url', 'headers'],
  find: async () => (await import('../transfer/url.ts')).findByUrl,
} as const satisfies ImportOperation
