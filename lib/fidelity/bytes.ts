import { type FileHandle, open } from 'node:fs/promises'

/** A file of which parts are read; a small one is read at once. */
export class FileBytes implements AsyncDisposable {
  readonly size: number
  readonly #file: FileHandle
  readonly #whole: Buffer | undefined

  private constructor(file: FileHandle, size: number, whole: Buffer | undefined) {
    this.#file = file
    this.size = size
    this.#whole = whole
  }

  static async open(path: string): Promise<FileBytes> {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const isSmall = size <= smallBytes
      return new FileBytes(file, size, isSmall ? await file.readFile() : undefined)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Fewer bytes only at the end of the file. */
  async at(position: number, length: number): Promise<Buffer> {
    if (position < 0 || length < 0) throw new RangeError('no file has bytes there')
    if (this.#whole) return this.#whole.subarray(position, position + length)
    const wanted = Math.min(length, Math.max(0, this.size - position))
    if (wanted > mostAtOnce) throw new RangeError('too much to be read at once')
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(wanted), 0, wanted, position)
    return buffer.subarray(0, bytesRead)
  }

  /** All of it. @throws RangeError for a file that is too large. */
  whole(): Promise<Buffer> {
    return this.at(0, this.size)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}

const smallBytes = 1024 * 1024
/** Text of more than a hundred thousand pages; what is larger is not looked into. */
export const mostAtOnce = 32 * 1024 * 1024
