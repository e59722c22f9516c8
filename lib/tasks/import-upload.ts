import * as z from 'zod'
import { maxLengths, text } from '../validation/maxima.ts'
import type { ImportOperation } from './operation.ts'

/** Imports an uploaded file. Without an upload, the task shows where to send the file and waits for it. */
export const importUploadOperation = {
  kind: 'import',
  name: 'import/upload',
  summary: 'Import an uploaded file, or wait for an upload',
  fields: z.strictObject({
    upload_id: text('id')
      .optional()
      .describe(
        'Id of an upload from POST /v1/uploads/presign. Without it, the task shows where to send the file',
      ),
    filename: z.string().min(1).max(1024).optional().describe('Overrides the name of the file'),
    redirect: z
      .url({ protocol: /^https?$/ })
      .max(maxLengths.url)
      .optional()
      .describe('URL to which the browser is redirected after sending the form'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'expected 64 hex digits')
      .optional()
      .describe('SHA-256 in hex; the storage rejects other content'),
    max_file_size: z.int().min(1).optional().describe('Maximum size in bytes; larger files are rejected'),
  }),
} as const satisfies ImportOperation
