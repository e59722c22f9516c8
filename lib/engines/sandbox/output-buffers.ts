/** Collects output up to a number of bytes. `add` returns false once the limit is exceeded. */
export class OutputCap {
  readonly #limit: number
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(maxBytes: number) {
    this.#limit = maxBytes
  }

  add(chunk: Buffer): boolean {
    this.#size += chunk.length
    if (this.#size > this.#limit) return false
    this.#chunks.push(chunk)
    return true
  }

  toString(encoding: BufferEncoding = 'utf8'): string {
    return Buffer.concat(this.#chunks).toString(encoding)
  }
}

/** Keeps the beginning and the end of a long output: the beginning often shows the cause, the end the final error. */
export class TruncatedOutput {
  readonly #maxHalfBytes: number
  #head: Buffer = Buffer.alloc(0)
  #tail: Buffer = Buffer.alloc(0)
  #droppedBytes = 0

  constructor(maxBytes: number) {
    this.#maxHalfBytes = Math.floor(maxBytes / 2)
  }

  add(chunk: Buffer): void {
    const room = this.#maxHalfBytes - this.#head.length
    this.#head = Buffer.concat([this.#head, chunk.subarray(0, Math.max(0, room))])
    const tail = Buffer.concat([this.#tail, chunk.subarray(Math.max(0, room))])
    const excess = Math.max(0, tail.length - this.#maxHalfBytes)
    this.#droppedBytes += excess
    this.#tail = tail.subarray(excess)
  }

  toString(): string {
    const gap = this.#droppedBytes > 0 ? `\n… ${this.#droppedBytes} bytes left out …\n` : ''
    return `${this.#head.toString('utf8')}${gap}${this.#tail.toString('utf8')}`
  }
}
