import { type Readable, Transform } from 'node:stream'
import { AppError } from '../../errors.ts'
import { defined } from '../../validation/defined.ts'

/**
 * Limits the body to `maxBytes`: at the limit, the returned stream fails with FILE_TOO_LARGE.
 * @throws AppError FILE_TOO_LARGE before any of the body is read if Content-Length exceeds the limit.
 */
export function limitBody(
  body: Readable,
  headers: Readonly<Record<string, string | undefined>>,
  maxBytes: number | undefined,
): Readable {
  if (maxBytes === undefined) return body
  const declaredBytes = Number(headers['content-length'])
  if (declaredBytes > maxBytes) throw createBodyTooLargeError(maxBytes, declaredBytes)
  let size = 0
  const limitedStream = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      size += chunk.length
      if (size > maxBytes) callback(createBodyTooLargeError(maxBytes))
      else callback(null, chunk)
    },
  })
  body.on('error', (error) => limitedStream.destroy(error))
  // Keeps the connection open for the reply.
  limitedStream.on('error', () => body.unpipe(limitedStream))
  return body.pipe(limitedStream)
}

/** Advice for clients on how to send larger files. */
export const largeFileHint =
  'Upload the file with POST /v1/uploads/presign, or in parts with POST /v1/uploads/multipart, and send its uploadId'

function createBodyTooLargeError(maxBytes: number, size?: number): AppError {
  // A byte is added because 4.4 MiB is not a whole number of bytes and would be shown as 4.3.
  const maxMib = Math.floor(((maxBytes + 1) / 1024 / 1024) * 10) / 10
  return new AppError(
    'FILE_TOO_LARGE',
    `The request body is larger than the limit of ${maxMib || maxBytes / 1024 / 1024} MiB. ${largeFileHint}.`,
    { maxBytes, ...defined({ size }), uploads: '/v1/uploads/presign' },
  )
}
