import * as z from 'zod'
import { createNamedValues } from '../validation/maxima.ts'

/** Request headers that a client may set (RFC 9110, 5.5), except for headers that control the connection. */
export const requestHeaders = createNamedValues(
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
  20,
  'headers',
)

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
