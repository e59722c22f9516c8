import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Base64 of the same bytes in both codings that browsers take. */
export interface Encoded {
  readonly br: string
  readonly gzip: string
}

const packGzip = promisify(gzip)
const packBrotli = promisify(brotliCompress)

/** `effort` as brotli counts it, up to 11: the last steps take ten times as long as all before. */
export async function encoded(bytes: Uint8Array, effort = 11): Promise<Encoded> {
  const how = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_QUALITY]: effort }
  const [br, zipped] = await Promise.all([
    packBrotli(bytes, { params: how }),
    packGzip(bytes, { level: Math.min(9, effort) }),
  ])
  return { br: br.toString('base64'), gzip: zipped.toString('base64') }
}
