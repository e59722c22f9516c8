import * as z from 'zod'
import { text } from '../validation/maxima.ts'
import type { ImportOperation } from './operation.ts'

/** Maximum size in bytes of an inline file; larger files have to be uploaded. */
export const maxInlineBytes = 10 * 1024 * 1024

const filename = z.string().min(1).max(1024).describe('Name with extension, such as `report.docx`')

/** Imports a file that the request contains in base64. */
export const importBase64Operation = {
  kind: 'import',
  name: 'import/base64',
  summary: 'Import a file from the request, in base64',
  fields: z.strictObject({
    file: text('file').min(1).describe('File content in base64, at most 10 MiB when decoded'),
    filename,
  }),
} as const satisfies ImportOperation

/** Imports text that the request contains. */
export const importRawOperation = {
  kind: 'import',
  name: 'import/raw',
  summary: 'Import text from the request as a file',
  fields: z.strictObject({
    file: text('file').min(1).describe('The text, stored as UTF-8; at most 10 MiB'),
    filename,
  }),
} as const satisfies ImportOperation
