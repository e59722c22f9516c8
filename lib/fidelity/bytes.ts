import { readFileSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** A file of which parts are read; a small one is read at once. */
export class FileBytes implements AsyncDisposable {
  readonly size: number
  readonly #from: FileHandle | Buffer

  private constructor(from: FileHandle | Buffer, size: number) {
    this.#from = from
    this.size = size
  }

  static async open(path: string): Promise<FileBytes> {
    const found = statSync(path)
    if (!found.isFile()) throw new RangeError('only files have bytes')
    const { size } = found
    if (size > smallBytes) return new FileBytes(await open(path), size)
    // It has just been written, so that the system has it at hand: the ways to the thread pool would take longer.
    const whole = readFileSync(path)
    return new FileBytes(whole, whole.length)
  }

  /** Fewer bytes only at the end of the file. */
  async at(position: number, length: number): Promise<Buffer> {
    if (position < 0 || length < 0) throw new RangeError('no file has bytes there')
    if (this.#from instanceof Uint8Array) return this.#from.subarray(position, position + length)
    const wanted = Math.min(length, Math.max(0, this.size - position))
    if (wanted > mostAtOnce) throw new RangeError('too much to be read at once')
    const { buffer, bytesRead } = await this.#from.read(Buffer.allocUnsafe(wanted), 0, wanted, position)
    return buffer.subarray(0, bytesRead)
  }

  /** All of it. @throws RangeError for a file that is too large. */
  whole(): Promise<Buffer> {
    return this.at(0, this.size)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!(this.#from instanceof Uint8Array)) await this.#from.close()
  }
}

const smallBytes = 1024 * 1024
/** Text of more than a hundred thousand pages; what is larger is not looked into. */
export const mostAtOnce = 32 * 1024 * 1024
