import { writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { maxCachedFileBytes as defaultCachedBytes } from './direct-io.ts'
import { DirectWriter } from './direct-writer.ts'

/** Number of bytes between two syncs. With early and frequent syncs, the last sync has little left to write. */
const bytesPerSync = 16 << 20

interface SyncWriteOptions {
  readonly path: string
  /** Called with each chunk after it was written, when its buffer can be reused. */
  readonly onWritten: (chunk: Buffer) => void
  /** Expected size in bytes, if known; the stream may have more or fewer. */
  readonly size?: number | undefined
  readonly cachedBytes?: number
}

/**
 * Writes chunks to a file synchronously, while they are still in the CPU cache. This blocks the process, so it is only
 * for processes that have nothing else to do.
 */
export async function writeSynchronously(
  chunks: AsyncIterable<Buffer>,
  { path, onWritten, size, cachedBytes: maxCachedBytes = defaultCachedBytes }: SyncWriteOptions,
): Promise<void> {
  const file = await open(path, 'w')
  const cachedBytes = size !== undefined && size > maxCachedBytes ? 0 : maxCachedBytes
  const cachedWriter = new CachedWriter(file)
  let directWriter: DirectWriter | undefined
  let remainderWriter: Pick<DirectWriter, 'write'> | undefined
  try {
    for await (const chunk of chunks) {
      const cacheableBytes = remainderWriter ? 0 : cachedBytes - cachedWriter.bytes
      if (cacheableBytes > 0) await cachedWriter.write(chunk.subarray(0, cacheableBytes))
      if (cacheableBytes < chunk.length) {
        if (!remainderWriter) {
          directWriter = await DirectWriter.openAt(cachedWriter.bytes, { path, file })
          remainderWriter = directWriter ?? cachedWriter
        }
        await remainderWriter.write(chunk.subarray(cacheableBytes))
      }
      onWritten(chunk)
    }
    await directWriter?.finish()
    await cachedWriter.flush()
  } finally {
    await Promise.allSettled([cachedWriter.flush(), directWriter?.close()])
    await file.close()
  }
}

class CachedWriter {
  readonly #file: FileHandle
  bytes = 0
  #unsyncedBytes = 0
  #syncPromise: Promise<void> = Promise.resolve()

  constructor(file: FileHandle) {
    this.#file = file
  }

  async write(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) at += writeSync(this.#file.fd, chunk, at)
    this.bytes += chunk.length
    this.#unsyncedBytes += chunk.length
    if (this.#unsyncedBytes < bytesPerSync) return
    await this.#syncPromise
    this.#syncPromise = this.#file.datasync()
    // The next await throws the error; until then, Node must not report it as unhandled.
    this.#syncPromise.catch(() => undefined)
    this.#unsyncedBytes = 0
  }

  flush = (): Promise<void> => this.#syncPromise
}
