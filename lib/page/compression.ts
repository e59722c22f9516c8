import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A file in both encodings that browsers accept, as Base64. */
export interface CompressedFile {
  readonly br: string
  readonly gzip: string
}

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

/** Compresses a file. `effort` is Brotli's level, up to 11; the highest levels take ten times as long as the others. */
export async function compress(bytes: Uint8Array, effort = 11): Promise<CompressedFile> {
  const params = {
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    [constants.BROTLI_PARAM_QUALITY]: effort,
  }
  const [br, gzipped] = await Promise.all([
    brotliAsync(bytes, { params }),
    gzipAsync(bytes, { level: Math.min(9, effort) }),
  ])
  return { br: br.toString('base64'), gzip: gzipped.toString('base64') }
}
