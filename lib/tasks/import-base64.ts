import * as z from 'zod'
import type { ImportOperation } from './operation.ts'

/** Bytes of a file that travels in a request: larger ones have uploads. */
export const maxInlineBytes = 10 * 1024 * 1024

const filename = z.string().min(1).max(1024).describe('Name with its extension, as `report.docx`')

/** A file in the request itself. */
export const importBase64Operation = {
  kind: 'import',
  name: 'import/base64',
  summary: 'Take a file from the request, in base64',
  fields: z.strictObject({
    file: z.string().min(1).describe('The bytes in base64, at most 10 MiB when decoded'),
    filename,
  }),
} as const satisfies ImportOperation

/** Text in the request itself. */
export const importRawOperation = {
  kind: 'import',
  name: 'import/raw',
  summary: 'Take a text from the request as a file',
  fields: z.strictObject({
    file: z.string().min(1).describe('The text, stored in UTF-8; at most 10 MiB'),
    filename,
  }),
} as const satisfies ImportOperation
