import * as z from 'zod'
import type { ImportOperation } from './operation.ts'

/** A file that is uploaded already, or will be: then the task waits and shows where to send it. */
export const importUploadOperation = {
  kind: 'import',
  name: 'import/upload',
  summary: 'Take a file that is uploaded, or wait for one',
  fields: z.strictObject({
    upload_id: z
      .string()
      .optional()
      .describe(
        'An upload made with POST /v1/uploads/presign. When left out, the task shows where to send it',
      ),
    filename: z.string().min(1).max(1024).optional().describe('Name of the file, when it is another'),
    redirect: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Where a browser goes after the form was sent'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i, 'expected 64 hex digits')
      .optional()
      .describe('Hex; the storage refuses other bytes'),
    max_file_size: z.int().min(1).optional().describe('Bytes; larger files are refused'),
  }),
} as const satisfies ImportOperation
