import * as z from 'zod'

/** What a client says of the file that it is going to send. */
export const contentType = z
  .string()
  .max(255)
  .regex(/^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w-]+=[\w."-]+)*$/, 'expected a MIME type such as image/png')
  .default('application/octet-stream')
