import { crc32 } from 'node:zlib'
import { FileLimitError, TruncatedFileError } from './errors.ts'
import type { RandomAccess } from './random-access.ts'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A chunk of a PNG (third edition, section 5.3): a length, a four-character type, the data and a checksum. */
export interface PngChunk {
  readonly type: string
  readonly data: Buffer
}

/** File offsets of the data of a chunk. */
export interface PngChunkRange {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Length and type of a chunk. */
const headerBytes = 8
const checksumBytes = 4
/**
 * Encoders divide the pixels into chunks of 8 KiB or more, so a file with more chunks than this would have gigabytes.
 */
const maxChunks = 1_000_000

/** Returns the chunks of a file in memory. @throws TruncatedFileError, FileLimitError */
export function* readPngChunks(file: Buffer): Generator<PngChunk> {
  let count = 0
  for (let at = signature.length; at + headerBytes + checksumBytes <= file.length; ) {
    if (count++ === maxChunks) throw new FileLimitError(`it has more than ${maxChunks} chunks`)
    const { type, start, end } = parseHeader(file.subarray(at, at + headerBytes), at)
    if (end + checksumBytes > file.length)
      throw new TruncatedFileError('it is cut off: a chunk is longer than the file')
    yield { type, data: file.subarray(start, end) }
    at = end + checksumBytes
  }
}

/**
 * Locates the chunks from the start of a file; the last chunk may be cut off.
 * @param max chunks beyond this number are not read
 */
export async function* locatePngChunks(file: RandomAccess, max: number): AsyncGenerator<PngChunkRange> {
  let at = signature.length
  for (let count = 0; at + headerBytes + checksumBytes <= file.size && count < max; count++) {
    const chunk = parseHeader(await file.at(at, headerBytes), at)
    yield chunk
    at = chunk.end + checksumBytes
  }
}

function parseHeader(header: Buffer, at: number): PngChunkRange {
  const start = at + headerBytes
  return { type: header.toString('latin1', 4, 8), start, end: start + header.readUInt32BE(0) }
}

export function buildPng(chunks: readonly PngChunk[]): Buffer {
  const parts = chunks.flatMap(({ type, data }) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(body))
    return [length, body, sum]
  })
  return Buffer.concat([signature, ...parts])
}
