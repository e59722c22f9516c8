import { type Readable, Transform } from 'node:stream'
import { AppError } from '../errors.ts'

/**
 * The body up to so many bytes; the length that the client announces tells of more before any of it is read.
 * @throws AppError FILE_TOO_LARGE, or the stream fails with it.
 */
export function limitBody(
  body: Readable,
  headers: Readonly<Record<string, string | undefined>>,
  maxBytes: number | undefined,
): Readable {
  if (maxBytes === undefined) return body
  const announced = Number(headers['content-length'])
  if (announced > maxBytes) throw bodyTooLarge(maxBytes, announced)
  let size = 0
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > maxBytes) done(bodyTooLarge(maxBytes))
      else done(null, chunk)
    },
  })
  body.on('error', (error) => limited.destroy(error))
  // The connection stays for the answer.
  limited.on('error', () => body.unpipe(limited))
  return body.pipe(limited)
}

/** Where larger files go. */
export const largeFileHint =
  'Send the file to the URL of POST /v1/uploads/presign, or in parts by POST /v1/uploads/multipart, and name its uploadId'

function bodyTooLarge(maxBytes: number, size?: number): AppError {
  // A byte more: 4.4 MiB are no whole number of bytes, and would be shown as 4.3.
  const max = Math.floor(((maxBytes + 1) / 1024 / 1024) * 10) / 10
  return new AppError(
    'FILE_TOO_LARGE',
    `The body of the request is larger than the ${max || maxBytes / 1024 / 1024} MiB that are taken here. ${largeFileHint}.`,
    { maxBytes, ...(size !== undefined && { size }), uploads: '/v1/uploads/presign' },
  )
}
