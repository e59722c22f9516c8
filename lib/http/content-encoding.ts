import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { AppError } from '../errors.ts'
import type { BodyKind } from './contract.ts'

/** RFC 9110, 8.4.1; `x-gzip` is to be treated as gzip. */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}
export const supportedEncodings = ['gzip', 'deflate', 'br', 'zstd'] as const

/**
 * The body as it was before its `Content-Encoding`. Whoever reads it keeps to a limit of what comes out. Forms with
 * files are taken as they are: of a few bytes they would become as many files as the disk holds.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE
 */
export function decodeBody(body: Readable, encoding: string | undefined, kind: BodyKind): Readable {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return body
  const decoder = decoders[name]
  if (!decoder || kind === 'multipart') throw unsupportedEncodingError(name, kind)
  const decoded = decoder()
  // Either side ends the other, but the connection stays for the answer.
  body.on('error', (error) => decoded.destroy(error))
  decoded.on('error', () => body.unpipe(decoded))
  return body.pipe(decoded)
}

function unsupportedEncodingError(name: string, kind: BodyKind): AppError {
  const got = JSON.stringify(name.slice(0, 40))
  const sentence =
    kind === 'multipart'
      ? `Content-Encoding: a form with files is taken as it is, got ${got}. Leave the header out and send it unpacked.`
      : `Content-Encoding: expected ${supportedEncodings.join(', ')} or none, got ${got}.`
  return new AppError('UNSUPPORTED_MEDIA_TYPE', sentence, {
    field: 'Content-Encoding',
    expected: kind === 'multipart' ? ['identity'] : supportedEncodings,
  })
}

/** What a decoder says of bytes that are not in its encoding. */
export const isBodyDecodingError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(?:Z_|ERR_.*BROTLI|ERR__ERROR|ZSTD_|ERR_ZSTD)/.test(String(error.code))
