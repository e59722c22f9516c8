import type { FileHandle } from 'node:fs/promises'

const writeBytes = 256 << 10
const syncBytes = 64 << 20

/**
 * Writes chunks into a file while the next ones arrive, and lets the disk begin early: one sync at the end would cost
 * the whole time again.
 * @param requireRoom is asked now and then whether it may go on.
 * @returns bytes.
 */
export async function drain(
  chunks: AsyncIterable<Buffer>,
  file: FileHandle,
  requireRoom: () => Promise<void> = async () => {},
): Promise<number> {
  let size = 0
  let unsynced = 0
  let batch: Buffer[] = []
  let batchBytes = 0
  let writing: Promise<unknown> = Promise.resolve()
  let syncing: Promise<void> = Promise.resolve()
  try {
    for await (const chunk of chunks) {
      batch.push(chunk)
      batchBytes += chunk.length
      size += chunk.length
      if (batchBytes < writeBytes) continue
      await writing
      writing = settleLater(writeAll(file, batch))
      unsynced += batchBytes
      batch = []
      batchBytes = 0
      if (unsynced < syncBytes) continue
      await requireRoom()
      await syncing
      syncing = settleLater(file.datasync())
      unsynced = 0
    }
    await writing
    if (batch.length > 0) await writeAll(file, batch)
    return size
  } finally {
    await Promise.allSettled([writing, syncing])
  }
}

/** A failed write is thrown at the next await; until then Node must not take it for unhandled. */
function settleLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** writev may write less than it was given. */
async function writeAll(file: FileHandle, batch: readonly Buffer[]): Promise<void> {
  let rest = [...batch]
  while (rest.length > 0) {
    let { bytesWritten } = await file.writev(rest)
    while (rest[0] && bytesWritten >= rest[0].length) {
      bytesWritten -= rest[0].length
      rest = rest.slice(1)
    }
    if (rest[0] && bytesWritten > 0) rest[0] = rest[0].subarray(bytesWritten)
  }
}
