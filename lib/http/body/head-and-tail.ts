const edgeBytes = 64 * 1024

/**
 * Keeps the first and last 64 KiB of a stream, which are enough to detect a file's format and whether it is complete.
 */
export class HeadAndTail {
  #size = 0
  #head: Buffer[] = []
  #headSize = 0
  #tail: Buffer[] = []
  #tailSize = 0

  add(chunk: Buffer): void {
    this.#size += chunk.length
    const missingBytes = edgeBytes - this.#headSize
    if (missingBytes > 0) {
      this.#head.push(chunk.subarray(0, missingBytes))
      this.#headSize += Math.min(missingBytes, chunk.length)
    }
    this.#tail.push(chunk)
    this.#tailSize += chunk.length
    while (this.#tailSize - (this.#tail[0]?.length ?? 0) >= edgeBytes) {
      this.#tailSize -= this.#tail.shift()?.length ?? 0
    }
  }

  /** Returns the bytes of a range; undefined if neither the head nor the tail contains all of it. */
  read(start: number, end: number): Uint8Array | undefined {
    const to = Math.min(end, this.#size)
    if (to <= this.#headSize) return Buffer.concat(this.#head).subarray(start, to)
    const tailStart = this.#size - this.#tailSize
    if (start >= tailStart) return Buffer.concat(this.#tail).subarray(start - tailStart, to - tailStart)
    return undefined
  }
}
