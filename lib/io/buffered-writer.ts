import type { FileHandle } from 'node:fs/promises'

/** Chunks are collected up to this size, because each write wakes a thread, which costs more than a small write. */
const minWriteBytes = 512 << 10
/** Several writes may run at a time, because with only one, reading would have to wait for it. */
const maxConcurrentWrites = 3
/** Number of bytes between two syncs. */
const bytesPerSync = 64 << 20

/**
 * Writes chunks to a new file while the next ones arrive, and syncs early: a single sync at the end would double the
 * time.
 * @param requireSpace called periodically; throws to stop writing.
 * @returns the number of bytes written.
 */
export async function writeBuffered(
  chunks: AsyncIterable<Buffer>,
  file: FileHandle,
  requireSpace: () => Promise<void> = async () => {},
): Promise<number> {
  let size = 0
  let unsyncedBytes = 0
  let batch: Buffer[] = []
  let batchBytes = 0
  const writes: Promise<void>[] = []
  let syncPromise: Promise<void> = Promise.resolve()
  const writeBatch = async () => {
    if (writes.length === maxConcurrentWrites) await writes.shift()
    writes.push(deferRejection(writeAll(file, batch, size)))
    size += batchBytes
    unsyncedBytes += batchBytes
    batch = []
    batchBytes = 0
  }
  try {
    for await (const chunk of chunks) {
      batch.push(chunk)
      batchBytes += chunk.length
      if (batchBytes < minWriteBytes) continue
      await writeBatch()
      if (unsyncedBytes < bytesPerSync) continue
      await requireSpace()
      await syncPromise
      syncPromise = deferRejection(file.datasync())
      unsyncedBytes = 0
    }
    if (batchBytes > 0) await writeBatch()
    // A disk reports a failure only once: the sync that follows a failed write would succeed.
    await Promise.all([...writes, syncPromise])
    return size
  } finally {
    await Promise.allSettled([...writes, syncPromise])
  }
}

/** Prevents Node from reporting a failed write as unhandled before the next await throws it. */
function deferRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** Writes all bytes. Repeats `writev`, which may write fewer bytes than requested. */
async function writeAll(file: FileHandle, batch: readonly Buffer[], start: number): Promise<void> {
  let remainingBuffers = [...batch]
  for (let at = start; remainingBuffers.length > 0; ) {
    let { bytesWritten } = await file.writev(remainingBuffers, at)
    at += bytesWritten
    while (remainingBuffers[0] && bytesWritten >= remainingBuffers[0].length) {
      bytesWritten -= remainingBuffers[0].length
      remainingBuffers = remainingBuffers.slice(1)
    }
    if (remainingBuffers[0] && bytesWritten > 0)
      remainingBuffers[0] = remainingBuffers[0].subarray(bytesWritten)
  }
}
