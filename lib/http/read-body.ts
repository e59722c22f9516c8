import { Readable } from 'node:stream'
import { AppError } from '../errors.ts'
import { isBodyDecodingError } from './content-encoding.ts'

/**
 * Not by iteration: that would close the connection of a request that is refused before it is answered.
 * @throws AppError INVALID_REQUEST when the body is larger than `maxBytes`, or not in its encoding.
 */
export function readStream(body: Readable, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const collect = (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) {
        chunks.push(chunk)
        return
      }
      body.off('data', collect)
      body.pause()
      reject(bodyTooLargeError(maxBytes))
    }
    body.on('data', collect)
    body.once('end', () => resolve(Buffer.concat(chunks)))
    body.once('error', (error) =>
      reject(isBodyDecodingError(error) ? decodingFailedError(error) : connectionClosedError(error)),
    )
    body.once('close', () => reject(connectionClosedError()))
  })
}

function bodyTooLargeError(maxBytes: number): AppError {
  const kib = maxBytes / 1024
  const most = kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`
  return new AppError(
    'INVALID_REQUEST',
    `The body is larger than the ${most} that one without files may have. Send files in a form, or by POST /v1/uploads/presign.`,
    { maxBytes },
  )
}

export const connectionClosedError = (cause?: Error) =>
  cause instanceof AppError
    ? cause
    : new AppError('INVALID_REQUEST', 'The connection ended before the whole body was there.', undefined, {
        cause,
      })

const decodingFailedError = (cause: Error) =>
  new AppError(
    'INVALID_REQUEST',
    'The body is not in the encoding that Content-Encoding names, or ends early. Send it again as it is, or without the header.',
    { field: 'Content-Encoding' },
    { cause },
  )

export const emptyBody = () => Readable.from([])
