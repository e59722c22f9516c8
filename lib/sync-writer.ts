import { writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { cachedBytes as usually } from './direct-io.ts'
import { DirectBlocks } from './direct-writer.ts'

/** The disk begins early and often: whoever waits for the last sync waits for the bytes since the one before it. */
const syncBytes = 16 << 20

interface Draining {
  readonly path: string
  /** Is told of each chunk, which is of no use any more. */
  readonly written: (chunk: Buffer) => void
  /** Bytes, where somebody has told; there may be more or fewer. */
  readonly size?: number | undefined
  readonly cachedBytes?: number
}

/**
 * Writes chunks into a file, in a process that has nothing else to do: each as it comes, while it is in the processor's
 * cache.
 */
export async function drainAtOnce(
  chunks: AsyncIterable<Buffer>,
  { path, written, size, cachedBytes: most = usually }: Draining,
): Promise<void> {
  const file = await open(path, 'w')
  const cachedBytes = size !== undefined && size > most ? 0 : most
  const cached = new CachedWrites(file)
  let direct: DirectBlocks | undefined
  let rest: Pick<DirectBlocks, 'write'> | undefined
  try {
    for await (const chunk of chunks) {
      const kept = rest ? 0 : cachedBytes - cached.bytes
      if (kept > 0) await cached.write(chunk.subarray(0, kept))
      if (kept < chunk.length) {
        if (!rest) {
          direct = await DirectBlocks.after(cached.bytes, { path, file })
          rest = direct ?? cached
        }
        await rest.write(chunk.subarray(kept))
      }
      written(chunk)
    }
    await direct?.finish()
    await cached.settled()
  } finally {
    await Promise.allSettled([cached.settled(), direct?.close()])
    await file.close()
  }
}

class CachedWrites {
  readonly #file: FileHandle
  bytes = 0
  #unsynced = 0
  #syncing: Promise<void> = Promise.resolve()

  constructor(file: FileHandle) {
    this.#file = file
  }

  async write(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) at += writeSync(this.#file.fd, chunk, at)
    this.bytes += chunk.length
    this.#unsynced += chunk.length
    if (this.#unsynced < syncBytes) return
    await this.#syncing
    this.#syncing = this.#file.datasync()
    // It is thrown at the next await; until then Node must not take it for unhandled.
    this.#syncing.catch(() => undefined)
    this.#unsynced = 0
  }

  settled = (): Promise<void> => this.#syncing
}
