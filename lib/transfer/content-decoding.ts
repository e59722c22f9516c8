import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

/** Content codings that are undone, also where nobody asked for one: some servers send files that lie there compressed. */
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

/** Whether the bytes were never of the coding that the answer names; what only breaks off may have been lost. */
export const isDecodingError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:Z_DATA_ERROR|ERR__ERROR|ZSTD_)/.test(String(error.code))

/** Its body as it was before it was encoded. */
export function decodeBody(response: EncodedResponse): Readable {
  const decoder = findDecoder(response)?.()
  if (!decoder) return response.body
  // What breaks off here has to break off there, and the other way round.
  response.body.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => response.body.destroy())
  return response.body.pipe(decoder)
}
