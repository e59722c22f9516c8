import { open } from 'node:fs/promises'
import { type Chunk, chunksOf } from './apng/chunks.ts'

/** Bytes at the beginning of a PNG in which it says what its colors are. */
const headBytes = 64 * 1024

/** What a PNG says before its pixels, by the types of its chunks. */
export type PngHead = ReadonlyMap<string, Buffer>

export async function headOfPng(path: string): Promise<PngHead> {
  await using file = await open(path)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
  return new Map([...firstChunks(buffer.subarray(0, bytesRead))].map(({ type, data }) => [type, data]))
}

function* firstChunks(head: Buffer): Generator<Chunk> {
  try {
    for (const chunk of chunksOf(head)) {
      if (chunk.type === 'IDAT') return
      yield chunk
    }
  } catch (error) {
    // Pixels begin in the head and end behind it.
    if (!(error instanceof RangeError)) throw error
  }
}
