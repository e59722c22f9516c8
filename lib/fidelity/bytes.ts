import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'

/**
 * A file of which parts are read; a small one is read at once. It has just been written or fetched, so that the system
 * has it at hand: the ways to the thread pool would take longer than the reading.
 */
export class FileBytes implements AsyncDisposable {
  readonly size: number
  readonly #source: number | Buffer
  /** What was read last of a large one: most parts stand side by side. */
  #window: Buffer = Buffer.alloc(0)
  #start = 0

  private constructor(from: number | Buffer, size: number) {
    this.#source = from
    this.size = size
  }

  static async open(path: string): Promise<FileBytes> {
    const found = statSync(path)
    if (!found.isFile()) throw new RangeError('only files have bytes')
    const { size } = found
    if (size > maxCachedBytes) return new FileBytes(openSync(path, 'r'), size)
    const whole = readFileSync(path)
    return new FileBytes(whole, whole.length)
  }

  /** Fewer bytes only at the end of the file. */
  async at(position: number, length: number): Promise<Buffer> {
    if (position < 0 || length < 0) throw new RangeError('no file has bytes there')
    if (typeof this.#source !== 'number') return this.#source.subarray(position, position + length)
    const wanted = Math.min(length, Math.max(0, this.size - position))
    if (wanted > maxReadBytes) throw new RangeError('too much to be read at once')
    const isInWindow = position >= this.#start && position + wanted <= this.#start + this.#window.length
    if (!isInWindow) {
      const buffer = Buffer.allocUnsafe(Math.max(wanted, windowBytes))
      this.#window = buffer.subarray(0, readSync(this.#source, buffer, 0, buffer.length, position))
      this.#start = position
    }
    return this.#window.subarray(position - this.#start, position - this.#start + wanted)
  }

  /** All of it. @throws RangeError for a file that is too large. */
  whole(): Promise<Buffer> {
    return this.at(0, this.size)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (typeof this.#source === 'number') closeSync(this.#source)
    freeBuffer(typeof this.#source === 'number' ? this.#window : this.#source)
  }
}

/**
 * Large memory goes back at once, and the next file is read into it. Until somebody collects it, each file would be read
 * into pages that nobody has touched before, which takes several times as long as unpacking it.
 */
export function freeBuffer({ buffer }: Buffer): void {
  // Smaller ones share theirs with others.
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

const maxCachedBytes = 1024 * 1024
const windowBytes = 64 * 1024
/** Text of more than a hundred thousand pages; what is larger is not looked into. */
export const maxReadBytes = 32 * 1024 * 1024
