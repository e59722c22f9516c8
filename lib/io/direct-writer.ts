import type { FileHandle } from 'node:fs/promises'
import { allocateAligned, directIoAlignment, ignoreUnsupported, openDirect } from './direct-io.ts'

/** Size of one write in bytes. */
const blockBytes = 1 << 20
/** Number of concurrent writes. */
const blockCount = 3

type BufferSet = readonly Buffer[]

/** Buffer sets that are not in use. */
const idleSets: BufferSet[] = []

function acquireBuffers(): BufferSet {
  const idleSet = idleSets.pop()
  if (idleSet) return idleSet
  const buffer = allocateAligned(blockBytes * blockCount)
  return Array.from({ length: blockCount }, (_, at) => Buffer.from(buffer, at * blockBytes, blockBytes))
}

/** Writes a file from a given position to its end, bypassing the page cache. */
export class DirectWriter {
  readonly #directFile: FileHandle
  readonly #cachedFile: FileHandle
  readonly #buffers = acquireBuffers()
  readonly #writes: Promise<void>[] = Array.from({ length: blockCount }, () => Promise.resolve())
  #position: number
  /** Index of the block that is being filled. */
  #currentIndex = 0
  #filledBytes = 0

  private constructor(directFile: FileHandle, cachedFile: FileHandle, at: number) {
    this.#directFile = directFile
    this.#cachedFile = cachedFile
    this.#position = at
  }

  /**
   * Opens a writer. Returns undefined if O_DIRECT cannot be used, because of the file system or an unaligned position.
   */
  static async openAt(at: number, { path, file }: { path: string; file: FileHandle }) {
    if (at % directIoAlignment !== 0) return undefined
    const directFile = await openDirect(path, 'write')
    return directFile && new DirectWriter(directFile, file, at)
  }

  /** Copies the bytes and writes them later. @throws the error of an earlier write. */
  async write(chunk: Buffer): Promise<void> {
    for (let takenBytes = 0; takenBytes < chunk.length; ) {
      const block = this.#buffers[this.#currentIndex] as Buffer // the index wraps around
      if (this.#filledBytes === 0) await this.#writes[this.#currentIndex]
      const copiedBytes = chunk.copy(block, this.#filledBytes, takenBytes)
      takenBytes += copiedBytes
      this.#filledBytes += copiedBytes
      if (this.#filledBytes === blockBytes) this.#writeBlock(block)
    }
  }

  #writeBlock(block: Buffer): void {
    const at = this.#position
    const write = writeFully(this.#directFile, block, at).catch((error: unknown) => {
      // Some file systems reject O_DIRECT only on the first write.
      ignoreUnsupported(error)
      return writeFully(this.#cachedFile, block, at)
    })
    // The error is thrown when the block is needed again, or at the end.
    write.catch(() => {})
    this.#writes[this.#currentIndex] = write
    this.#position += blockBytes
    this.#filledBytes = 0
    this.#currentIndex = (this.#currentIndex + 1) % blockCount
  }

  /** Waits for all writes, then writes the last partial block. */
  async finish(): Promise<void> {
    await Promise.all(this.#writes)
    const lastBytes = this.#buffers[this.#currentIndex]?.subarray(0, this.#filledBytes)
    if (lastBytes && lastBytes.length > 0) await writeFully(this.#cachedFile, lastBytes, this.#position)
  }

  /** Closes the writer. Must always be called, because a write may read from the buffers until then. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writes)
    await this.#directFile.close()
    idleSets.push(this.#buffers)
  }
}

async function writeFully(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let writtenBytes = 0; writtenBytes < bytes.length; ) {
    const { bytesWritten } = await file.write(
      bytes,
      writtenBytes,
      bytes.length - writtenBytes,
      at + writtenBytes,
    )
    writtenBytes += bytesWritten
  }
}
