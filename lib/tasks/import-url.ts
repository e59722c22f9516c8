import * as z from 'zod'
import type { ImportOperation } from './operation.ts'

/** Request headers that a client may set (RFC 9110, 5.5), without those that control the connection. */
export const requestHeaders = z
  .record(
    z
      .string()
      .regex(/^[!#$%&'*+.^`|~\w-]{1,100}$/, 'expected a header name of at most 100 characters')
      .refine(
        (name) => !reservedHeaders.includes(name.toLowerCase()),
        'expected another header: the service sets this one itself',
      ),
    z
      .string()
      .regex(/^[\t\x20-\x7e]{0,4000}$/, 'expected ASCII without line breaks, of at most 4000 characters'),
  )
  .refine((all) => Object.keys(all).length <= 20, 'expected at most 20 headers')

const reservedHeaders = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'expect',
  'range',
  'if-range',
  'accept-encoding',
  'proxy-authorization',
]

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
    max_size: z.int().min(1).optional().describe('Bytes; larger files are rejected'),
  }),
  secrets: ['url', 'headers'],
  find: async () => (await import('../transfer/url.ts')).findByUrl,
} as const satisfies ImportOperation
