import * as z from 'zod'
import type { ImportOperation } from './operation.ts'

/** Header names and values that a client may send along (RFC 9110, 5.5), none of which steer the connection itself. */
export const requestHeaders = z
  .record(
    z
      .string()
      .regex(/^[!#$%&'*+.^`|~\w-]{1,100}$/, 'expected the name of a header, of at most 100 characters')
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

/** A file behind a URL. */
export const importUrlOperation = {
  kind: 'import',
  name: 'import/url',
  summary: 'Fetch a file from a URL',
  fields: z.strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(4096)
      .describe('Address of the file; it has to be reachable from the internet'),
    filename: z.string().min(1).max(1024).optional().describe('Name of the file, when it is another'),
    requestHeaders: requestHeaders
      .optional()
      .describe('Headers to send along, such as `Authorization`; they go to the host of the URL only'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'expected 64 hex digits')
      .optional()
      .describe('Hex; other bytes are refused'),
    max_size: z.int().min(1).optional().describe('Bytes; larger files are refused'),
  }),
  secrets: ['url', 'headers'],
  find: async () => (await import('../transfer/url.ts')).findByUrl,
} as const satisfies ImportOperation
