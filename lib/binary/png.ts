import { crc32 } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** PNG (third edition) section 5.3: a length, a four-character type, the data, a checksum. */
export interface PngChunk {
  readonly type: string
  readonly data: Buffer
}

/** @throws RangeError when a chunk is longer than the rest of the file. */
export function* readPngChunks(file: Buffer): Generator<PngChunk> {
  let at = signature.length
  while (at + 12 <= file.length) {
    const length = file.readUInt32BE(at)
    if (at + 12 + length > file.length) throw new RangeError('A chunk of the PNG is longer than the file.')
    yield { type: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, at + 8 + length) }
    at += 12 + length
  }
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
