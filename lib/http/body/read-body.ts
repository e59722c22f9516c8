import { Readable } from 'node:stream'
import { AppError } from '../../errors.ts'
import { isBodyDecodingError } from './content-encoding.ts'

/**
 * Reads the whole stream. Does not use iteration, which would close the connection of a rejected request before the
 * reply.
 * @throws AppError INVALID_REQUEST if the body is larger than `maxBytes` or cannot be decoded.
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
      reject(createBodyTooLargeError(maxBytes))
    }
    body.on('data', collect)
    body.once('end', () => resolve(Buffer.concat(chunks)))
    body.once('error', (error) =>
      reject(
        isBodyDecodingError(error) ? createDecodingFailedError(error) : createConnectionClosedError(error),
      ),
    )
    body.once('close', () => reject(createConnectionClosedError()))
  })
}

function createBodyTooLargeError(maxBytes: number): AppError {
  const maxKib = maxBytes / 1024
  const limitText = maxKib < 1024 ? `${maxKib} KiB` : `${maxKib / 1024} MiB`
  return new AppError(
    'INVALID_REQUEST',
    `The body is larger than ${limitText}, the limit for bodies without files. Send files in a form or with POST /v1/uploads/presign.`,
    { maxBytes },
  )
}

export const createConnectionClosedError = (cause?: Error) =>
  cause instanceof AppError
    ? cause
    : new AppError(
        'INVALID_REQUEST',
        'The connection was closed before the whole body arrived. Send the request again.',
        undefined,
        {
          cause,
        },
      )

const createDecodingFailedError = (cause: Error) =>
  new AppError(
    'INVALID_REQUEST',
    'Content-Encoding: the body is not valid in this encoding, or is incomplete. Send it again, or unencoded and without the header.',
    { field: 'Content-Encoding' },
    { cause },
  )

export const createEmptyBody = () => Readable.from([])
