import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { AppError } from '../../errors.ts'
import type { BodyKind } from '../contract.ts'

/** Decoders by content coding; `x-gzip` is an alias of gzip (RFC 9110, 8.4.1). */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}
export const supportedEncodings = ['gzip', 'deflate', 'br', 'zstd'] as const

/**
 * Decodes the `Content-Encoding` of a body. The caller limits the decoded size. Forms with files must not be encoded: a
 * few bytes could expand to files that fill the disk.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE
 */
export function decodeRequestBody(body: Readable, encoding: string | undefined, kind: BodyKind): Readable {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return body
  const decoder = decoders[name]
  if (!decoder || kind === 'multipart') throw createEncodingNotSupportedError(name, kind)
  const decodedStream = decoder()
  // An error on either side stops the other, but the connection stays open for the reply.
  body.on('error', (error) => decodedStream.destroy(error))
  decodedStream.on('error', () => body.unpipe(decodedStream))
  return body.pipe(decodedStream)
}

function createEncodingNotSupportedError(name: string, kind: BodyKind): AppError {
  const quotedName = JSON.stringify(name.slice(0, 40))
  const sentence =
    kind === 'multipart'
      ? `Content-Encoding: expected none for a form with files, got ${quotedName}. Omit the header and send the form uncompressed.`
      : `Content-Encoding: expected ${supportedEncodings.join(', ')} or none, got ${quotedName}.`
  return new AppError('UNSUPPORTED_MEDIA_TYPE', sentence, {
    field: 'Content-Encoding',
    expected: kind === 'multipart' ? ['identity'] : supportedEncodings,
  })
}

/** Whether an error says that the body is not in its declared encoding. */
export const isBodyDecodingError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(?:Z_|ERR_.*BROTLI|ERR__ERROR|ZSTD_|ERR_ZSTD)/.test(String(error.code))
