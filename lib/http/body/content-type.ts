import * as z from 'zod'

/** MIME type that a client declares for a file before sending it. */
export const contentType = z
  .string()
  .max(255)
  .regex(/^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w-]+=[\w."-]+)*$/, 'expected a MIME type such as image/png')
  .default('application/octet-stream')
