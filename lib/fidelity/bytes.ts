import type { ByteSource } from '../formats/detect/byte-source.ts'
import { CountingStoppedError } from './read-errors.ts'

/** Random access to a file, with a limit on the bytes that are decompressed. */
export class FileBytes {
  readonly size: number
  readonly #read: ByteSource['read']
  #decompressedBytes = 0

  constructor({ size, read }: Pick<ByteSource, 'size' | 'read'>) {
    this.size = size
    this.#read = read
  }

  /** Reads `length` bytes, or fewer at the end of the file. */
  async at(position: number, length: number): Promise<Buffer> {
    if (position < 0 || length < 0) throw new RangeError('the position or length is negative')
    const readLength = Math.min(length, Math.max(0, this.size - position))
    if (readLength > maxReadBytes) throw new RangeError('the read is too large')
    if (readLength === 0) return Buffer.alloc(0)
    const { buffer, byteOffset, byteLength } = await this.#read(position, position + readLength)
    return Buffer.from(buffer, byteOffset, byteLength)
  }

  /** Counts bytes that are decompressed. @throws CountingStoppedError */
  countDecompressed(bytes: number): void {
    this.#decompressedBytes += bytes
    if (this.#decompressedBytes > maxDecompressedBytes)
      throw new CountingStoppedError('too many bytes to decompress')
  }

  /** Reads the whole file. @throws RangeError if it is too large. */
  readWhole(): Promise<Buffer> {
    return this.at(0, this.size)
  }
}

/**
 * Frees a large buffer immediately, so that the next file reuses its memory. Until the next garbage collection, each
 * file would otherwise be read into newly allocated memory, which takes several times as long as decompressing it.
 */
export function freeBuffer({ buffer }: Buffer): void {
  // Smaller buffers share their memory with other buffers.
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

/** Maximum bytes that are decompressed from one file. */
const maxDecompressedBytes = 256 * 1024 * 1024
/** Larger files are not examined; the limit is enough for the text of ten thousand pages. */
export const maxReadBytes = 32 * 1024 * 1024
