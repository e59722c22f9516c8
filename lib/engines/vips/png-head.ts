import { open } from 'node:fs/promises'
import { type PngChunk, readPngChunks } from '../../binary/png.ts'

/** Bytes at the start of a PNG that are searched for color chunks. */
const headBytes = 64 * 1024

/** Data of the chunks before the pixels, by chunk type. */
export type PngHead = ReadonlyMap<string, Buffer>

export async function readPngHead(path: string): Promise<PngHead> {
  await using file = await open(path)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
  return new Map([...readFirstChunks(buffer.subarray(0, bytesRead))].map(({ type, data }) => [type, data]))
}

function* readFirstChunks(head: Buffer): Generator<PngChunk> {
  try {
    for (const chunk of readPngChunks(head)) {
      if (chunk.type === 'IDAT') return
      yield chunk
    }
  } catch (error) {
    // A chunk, usually of pixels, begins in the head and ends after it.
    if (!(error instanceof RangeError)) throw error
  }
}
