import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

/** Files up to this size are read in one call, which is faster than streaming. */
const maxSingleReadBytes = 1024 * 1024

/** Returns the SHA-256 of a file as lower-case hex. */
export async function hashFile(path: string, size: number): Promise<string> {
  if (size <= maxSingleReadBytes) return hash('sha256', await readFile(path))
  const sha256 = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: maxSingleReadBytes }), sha256)
  return sha256.digest('hex')
}
