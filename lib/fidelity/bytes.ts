import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { CountingStopped } from './read-errors.ts'

/**
 * Random access to a file; a small one is read at once. The file was just written or fetched, so it is in the page
 * cache: synchronous reads are faster than round trips to the thread pool.
 */
export class FileBytes implements AsyncDisposable {
  readonly size: number
  readonly #source: number | Buffer
  /** The part of a large file that was read last, since most reads are adjacent. */
  #window: Buffer = Buffer.alloc(0)
  #start = 0
  #decompressedBytes = 0

  private constructor(from: number | Buffer, size: number) {
    this.#source = from
    this.size = size
  }

  static async open(path: string): Promise<FileBytes> {
    const stats = statSync(path)
    if (!stats.isFile()) throw new RangeError('not a regular file')
    const { size } = stats
    if (size > maxCachedBytes) return new FileBytes(openSync(path, 'r'), size)
    const whole = readFileSync(path)
    return new FileBytes(whole, whole.length)
  }

  /** Reads bytes; fewer only at the end of the file. */
  async at(position: number, length: number): Promise<Buffer> {
    if (position < 0 || length < 0) throw new RangeError('the position or length is negative')
    if (typeof this.#source !== 'number') return this.#source.subarray(position, position + length)
    const wanted = Math.min(length, Math.max(0, this.size - position))
    if (wanted > maxReadBytes) throw new RangeError('the read is too large')
    const isInWindow = position >= this.#start && position + wanted <= this.#start + this.#window.length
    if (!isInWindow) {
      const buffer = Buffer.allocUnsafe(Math.max(wanted, windowBytes))
      this.#window = buffer.subarray(0, readSync(this.#source, buffer, 0, buffer.length, position))
      this.#start = position
    }
    return this.#window.subarray(position - this.#start, position - this.#start + wanted)
  }

  /** Counts bytes that are decompressed. @throws CountingStopped */
  countDecompressed(bytes: number): void {
    this.#decompressedBytes += bytes
    if (this.#decompressedBytes > maxDecompressedBytes)
      throw new CountingStopped('too many bytes to decompress')
  }

  /** Reads the whole file. @throws RangeError if it is too large. */
  whole(): Promise<Buffer> {
    return this.at(0, this.size)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (typeof this.#source === 'number') closeSync(this.#source)
    freeBuffer(typeof this.#source === 'number' ? this.#window : this.#source)
  }
}

/**
 * Frees a large buffer at once, so that the next file reuses its memory. Otherwise, until the next garbage collection,
 * each file would be read into untouched pages, which takes several times as long as decompressing it.
 */
export function freeBuffer({ buffer }: Buffer): void {
  // Smaller buffers share their memory with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

const maxCachedBytes = 1024 * 1024
const windowBytes = 64 * 1024
/** Most bytes that are decompressed from one file. */
const maxDecompressedBytes = 256 * 1024 * 1024
/** Files with more bytes are not examined; that is text of more than a hundred thousand pages. */
export const maxReadBytes = 32 * 1024 * 1024
