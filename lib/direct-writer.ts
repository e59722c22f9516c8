import type { FileHandle } from 'node:fs/promises'
import { allocateAligned, directIoAlignment, openDirect, undefinedIfUnsupported } from './direct-io.ts'

/** Bytes of one write, and writes that are on their way at a time. */
const blockBytes = 1 << 20
const blockCount = 3

type BufferSet = readonly Buffer[]

/** Sets of buffers that nobody uses. */
const idleSets: BufferSet[] = []

function acquireBuffers(): BufferSet {
  const idle = idleSets.pop()
  if (idle) return idle
  const buffer = allocateAligned(blockBytes * blockCount)
  return Array.from({ length: blockCount }, (_, at) => Buffer.from(buffer, at * blockBytes, blockBytes))
}

/** Writes the rest of a file past the page cache. */
export class DirectWriter {
  readonly #direct: FileHandle
  readonly #cached: FileHandle
  readonly #buffers = acquireBuffers()
  readonly #writes: Promise<void>[] = Array.from({ length: blockCount }, () => Promise.resolve())
  #at: number
  /** The block that is being filled, and how far it is. */
  #current = 0
  #filled = 0

  private constructor(direct: FileHandle, cached: FileHandle, at: number) {
    this.#direct = direct
    this.#cached = cached
    this.#at = at
  }

  /** Undefined where this cannot be done: on file systems that only live in memory, or at an odd place of the file. */
  static async openAt(at: number, { path, file }: { path: string; file: FileHandle }) {
    if (at % directIoAlignment !== 0) return undefined
    const direct = await openDirect(path, 'write')
    return direct && new DirectWriter(direct, file, at)
  }

  /** Takes a copy of the bytes. @throws what an earlier write threw. */
  async write(chunk: Buffer): Promise<void> {
    for (let taken = 0; taken < chunk.length; ) {
      const block = this.#buffers[this.#current] as Buffer // it counts round them
      if (this.#filled === 0) await this.#writes[this.#current]
      const copied = chunk.copy(block, this.#filled, taken)
      taken += copied
      this.#filled += copied
      if (this.#filled === blockBytes) this.#writeBlock(block)
    }
  }

  #writeBlock(block: Buffer): void {
    const at = this.#at
    const write = writeFully(this.#direct, block, at).catch((error: unknown) => {
      // Some file systems say no only now.
      undefinedIfUnsupported(error)
      return writeFully(this.#cached, block, at)
    })
    // It is thrown when the block is wanted again, or at the end.
    write.catch(() => {})
    this.#writes[this.#current] = write
    this.#at += blockBytes
    this.#filled = 0
    this.#current = (this.#current + 1) % blockCount
  }

  /** Writes what is no whole block, and waits for all. */
  async finish(): Promise<void> {
    await Promise.all(this.#writes)
    const rest = this.#buffers[this.#current]?.subarray(0, this.#filled)
    if (rest && rest.length > 0) await writeFully(this.#cached, rest, this.#at)
  }

  /** To be called in any case: until then the disk may still read from the buffers. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writes)
    await this.#direct.close()
    idleSets.push(this.#buffers)
  }
}

async function writeFully(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}
