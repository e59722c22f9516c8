import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

/** Bytes of a file that is read at once, which is quicker than as a stream. */
const maxSingleReadBytes = 1024 * 1024

/** Lower-case hex. */
export async function sha256Of(path: string, size: number): Promise<string> {
  if (size <= maxSingleReadBytes) return hash('sha256', await readFile(path))
  const sum = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: maxSingleReadBytes }), sum)
  return sum.digest('hex')
}
