import { execFile } from 'node:child_process'
import { statfsSync, statSync, truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { getReservedBytes, readDiskSpace } from '../../io/disk-space.ts'
import type { Log } from '../../log.ts'

const execFileAsync = promisify(execFile)

const bytesPerMib = 1024 ** 2
/** The name starts with a dot, so that backups skip the file. */
const reserveFilename = '.reserve'
/**
 * Free space, in bytes, below which a part of the reserve is released. A request or sweep needs at most this much for
 * its records, because SQLite appends to its log before it frees space.
 */
const minFreeBytes = 4 * bytesPerMib
/** Number of bytes released at a time. */
const releaseStepBytes = 2 * minFreeBytes
const growIntervalMs = 10_000

/**
 * Returns the intended size of the reserve in bytes. It is a part of the space that is never used for files, so large
 * files leave room for the reserve and for deletions.
 */
const getTargetBytes = (diskBytes: number): number => (getReservedBytes(diskBytes) * 2) / 3

/**
 * A file that reserves disk space. A deletion frees space but needs some first, so on a full disk it would fail, like
 * everything else that could help. The file shrinks step by step when an operation needs space, and grows back when
 * there is enough.
 */
export class DiskReserve {
  readonly #folder: string
  readonly #file: string
  readonly #log: Log
  readonly #onReleased: () => void
  readonly #timer: NodeJS.Timeout
  #growthPromise: Promise<void> = Promise.resolve()

  /** Opens the reserve. @param onReleased called when the disk was full and space was released */
  constructor(
    folder: string,
    log: Log,
    onReleased: () => void = () => undefined,
    checkIntervalMs = growIntervalMs,
  ) {
    this.#folder = folder
    this.#file = join(folder, reserveFilename)
    this.#log = log
    this.#onReleased = onReleased
    this.#timer = setInterval(() => this.#scheduleGrowth(), checkIntervalMs).unref()
    this.#scheduleGrowth()
  }

  /**
   * Releases a part of the reserve if needed; call it before anything that writes.
   * @returns the number of free bytes
   */
  ensureFreeSpace(): number {
    const currentFreeBytes = readFreeBytes(this.#folder)
    if (currentFreeBytes >= minFreeBytes) return currentFreeBytes
    const reservedBytes = this.#reservedBytes()
    if (reservedBytes === 0) return currentFreeBytes
    const remainingBytes = Math.max(0, reservedBytes - releaseStepBytes)
    truncateSync(this.#file, remainingBytes)
    this.#log.error(
      { released: reservedBytes - remainingBytes, left: remainingBytes },
      'the disk is full: reserved space was released',
    )
    this.#onReleased()
    return readFreeBytes(this.#folder)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#growthPromise
  }

  #reservedBytes(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
  }

  #scheduleGrowth(): void {
    this.#growthPromise = this.#growthPromise
      .then(() => this.#grow())
      .catch((error: unknown) => this.#log.warn({ error }, 'disk space could not be reserved'))
  }

  async #grow(): Promise<void> {
    const { free, size, reserved: minFree } = await readDiskSpace(this.#folder)
    const target = Math.floor(getTargetBytes(size))
    const reservedBytes = this.#reservedBytes()
    if (reservedBytes >= target || free - (target - reservedBytes) < minFree) return
    await allocate(this.#file, reservedBytes, target)
    this.#log.info({ bytes: target }, 'disk space reserved')
  }
}

const readFreeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Allocates the blocks of a file, because a sparse file would reserve nothing. */
async function allocate(file: string, start: number, to: number): Promise<void> {
  const handle = await open(file, 'a', 0o600)
  try {
    await execFileAsync('fallocate', ['--offset', String(start), '--length', String(to - start), file]).catch(
      () => writeRandomBytes(handle, to - start),
    )
  } finally {
    await handle.close()
  }
}

/** Writes random bytes, for file systems without fallocate; some file systems don't store zeros. */
async function writeRandomBytes(handle: Awaited<ReturnType<typeof open>>, length: number): Promise<void> {
  const block = crypto.getRandomValues(new Uint8Array(64 * 1024))
  for (let bytesLeft = length; bytesLeft > 0; bytesLeft -= block.length)
    await handle.write(block.subarray(0, Math.min(bytesLeft, block.length)))
}
