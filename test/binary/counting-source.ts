import { openBuffer, type RandomAccess } from '../../lib/binary/random-access.ts'

/** A file in memory that counts the reads and the bytes that were read. */
export class CountingSource implements RandomAccess {
  reads = 0
  bytesRead = 0
  readonly size: number
  readonly #file: RandomAccess

  constructor(bytes: Buffer) {
    this.#file = openBuffer(bytes)
    this.size = bytes.length
  }

  async at(position: number, length: number): Promise<Buffer> {
    const bytes = await this.#file.at(position, length)
    this.reads++
    this.bytesRead += bytes.length
    return bytes
  }
}
