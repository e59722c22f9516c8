import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

/**
 * Decoders of content codings. They are used even if no coding was requested, because some servers send files as they
 * store them, compressed.
 */
const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const

interface EncodedResponse {
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

function findDecoder({ headers }: Pick<EncodedResponse, 'headers'>) {
  const coding = headers['content-encoding']?.trim().toLowerCase()
  return Object.entries(decoders).find(([name]) => name === coding)?.[1]
}

export const hasContentCoding = (response: Pick<EncodedResponse, 'headers'>): boolean =>
  findDecoder(response) !== undefined

/** Whether an error means that the bytes do not match the declared coding; false for the error of a truncated body. */
export const isDecodingError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:Z_DATA_ERROR|ERR__ERROR|ZSTD_)/.test(String(error.code))

/** Returns the decoded body of a response. */
export function decodeResponseBody(response: EncodedResponse): Readable {
  const decoder = findDecoder(response)?.()
  if (!decoder) return response.body
  // Errors and the end of the stream have to be passed on in both directions.
  response.body.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => response.body.destroy())
  return response.body.pipe(decoder)
}
