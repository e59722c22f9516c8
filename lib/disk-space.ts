import { statfsSync } from 'node:fs'
import type { Config } from './config.ts'
import { AppError } from './errors.ts'

const mib = 1024 ** 2

/**
 * Bytes of a disk of this size into which nothing large is written, whatever the settings say: records of jobs, the
 * log, and above all deletions need them, and without deletions a full disk stays full.
 */
export const reservedBytes = (diskBytes: number): number => Math.min(96 * mib, diskBytes / 8)

/** Bytes below which what a program has just written may lack its end, though the program did not say so. */
const exhaustedBytes = mib

/** Bytes that the largest files have between two steps: with less a program may fail that has not filled the disk. */
const lowSpaceBytes = 512 * mib

/** Milliseconds between two looks; a program that fills what is left has not ended by then. */
const pollIntervalMs = 100

/** Seconds after which asking again may be worth it: somebody has to make room, or a conversion ends. */
const retryAfterS = 60

export interface DiskSpace {
  /** Bytes that are free for us. */
  readonly free: number
  /** Bytes of the whole disk. */
  readonly size: number
  /** See `spareBytes`. */
  readonly reserved: number
}

export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  // The system knows it without looking at the disk: the way to the thread pool and back takes fifty times as long.
  const { bavail, blocks, bsize } = statfsSync(folder)
  const size = blocks * bsize
  return { free: bavail * bsize, size, reserved: reservedBytes(size) }
}

type SpaceSettings = Pick<Config, 'WORK_DIR' | 'MIN_FREE_DISK_GB'>

/** Bytes that are free for us where files are kept, and below which no new ones are taken. */
export async function readFileSpace(config: SpaceSettings): Promise<{ free: number; needed: number }> {
  const { free, reserved } = await readDiskSpace(config.WORK_DIR)
  return { free, needed: Math.max(config.MIN_FREE_DISK_GB * 1e9, reserved) }
}

/** Before new files are taken. @throws AppError INSUFFICIENT_DISK_SPACE below the threshold. */
export async function requireDiskSpace(config: SpaceSettings): Promise<void> {
  const { free, needed } = await readFileSpace(config)
  if (free < needed) throw insufficientSpaceError()
}

/** Before a file of this size is made. @throws AppError INSUFFICIENT_DISK_SPACE when it has no room where files are kept. */
export async function requireSpaceFor(bytes: number, { config }: { config: SpaceSettings }): Promise<void> {
  const { free, reserved } = await readDiskSpace(config.WORK_DIR)
  if (free - bytes < reserved) throw insufficientSpaceError()
}

/** Before anything that makes work. @throws AppError INSUFFICIENT_DISK_SPACE when only deletions have room. */
export async function requireReservedSpace({ WORK_DIR }: Pick<Config, 'WORK_DIR'>): Promise<void> {
  if (await isFull(WORK_DIR)) throw insufficientSpaceError()
}

async function isFull(folder: string): Promise<boolean> {
  const { free, reserved } = await readDiskSpace(folder)
  return free < reserved
}

export function insufficientSpaceError(cause?: unknown): AppError {
  return new AppError(
    'INSUFFICIENT_DISK_SPACE',
    'The service is short of disk space and takes no new files now. Try again later.',
    { retryAfter: retryAfterS },
    { cause },
  )
}

/** Whether a request broke down for want of room. */
export async function isCausedByFullDisk(
  thrown: unknown,
  { WORK_DIR }: Pick<Config, 'WORK_DIR'>,
): Promise<boolean> {
  return isNoSpaceError(thrown) || (await isFull(WORK_DIR).catch(() => false))
}

/** Looks at a disk while programs write to it. */
export class DiskSpaceMonitor {
  readonly #folder: string
  readonly #timer: NodeJS.Timeout
  /** Bytes that were free at the worst moment. */
  #minFree = Number.POSITIVE_INFINITY
  #reserved = 0
  #size = 0
  /** Bytes that were free at the first look. */
  #initialFree: number | undefined

  constructor(folder: string) {
    this.#folder = folder
    void this.#poll()
    this.#timer = setInterval(() => void this.#poll(), pollIntervalMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Before a result is kept. @throws AppError INSUFFICIENT_DISK_SPACE when it may be cut off. */
  async requireCompleteOutput(): Promise<void> {
    await this.#poll()
    if (this.#minFree < exhaustedBytes) throw this.#outOfSpaceError()
  }

  /** What to tell instead of an error that is one of a full disk: a file is not damaged because its copy is. */
  async explain(error: unknown): Promise<AppError | undefined> {
    if (error instanceof AppError && !possiblyDiskErrors.has(error.code)) return undefined
    await this.#poll()
    // A program that fails may have cleared up by now.
    const isDiskError =
      isNoSpaceError(error) ||
      this.#minFree < this.#reserved ||
      (this.#minFree < lowSpaceBytes && isOutOfSpaceSignal(error))
    return isDiskError ? this.#outOfSpaceError(error) : undefined
  }

  /** Where the disk was as good as empty another try, or somebody who makes room, would change nothing. */
  #outOfSpaceError(cause?: unknown): AppError {
    const wasNearlyEmpty =
      this.#initialFree !== undefined && this.#initialFree > this.#size * emptyDiskFraction
    return wasNearlyEmpty ? exceedsDiskError(this.#size, cause) : outOfSpaceError(cause)
  }

  async #poll(): Promise<void> {
    // Without an answer we know as much as before.
    const space = await readDiskSpace(this.#folder).catch(() => undefined)
    if (!space) return
    this.#minFree = Math.min(this.#minFree, space.free)
    this.#reserved = space.reserved
    this.#size = space.size
    this.#initialFree ??= space.free
  }
}

const possiblyDiskErrors: ReadonlySet<string> = new Set([
  'CORRUPT_FILE',
  'CONVERSION_FAILED',
  'INTERNAL_ERROR',
])

/** Of a disk that nobody else has filled. */
const emptyDiskFraction = 0.9

function exceedsDiskError(diskBytes: number, cause: unknown): AppError {
  const diskMb = Math.floor(diskBytes / mib)
  return new AppError(
    'FILE_TOO_LARGE',
    `The file needs more room while it is converted than the disk of ${diskMb} MiB has that a conversion gets.`,
    { diskMb },
    { cause },
  )
}

export const outOfSpaceError = (cause?: unknown) =>
  new AppError(
    'INSUFFICIENT_DISK_SPACE',
    'The service ran out of disk space while it converted the file. Try again later.',
    undefined,
    { cause },
  )

const noSpaceCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])
/**
 * Whether it ended as programs do that find no room for a file that they have mapped, or that they want whole at once:
 * these say nothing and leave nothing.
 */
function isOutOfSpaceSignal(error: unknown): boolean {
  return error instanceof Error && 'signal' in error && /^SIG(BUS|ABRT)$/.test(String(error.signal))
}

/** As the C library words it, which every program repeats, and SQLite. */
const noSpaceMessage = /No space left on device|Disk quota exceeded|database or disk is full/i

/** Whether the system said so, to us or to a program that told us. */
export function isNoSpaceError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (noSpaceCodes.has('code' in cause && cause.code) || noSpaceCodes.has(cause.name)) return true
    if (noSpaceMessage.test(cause.message)) return true
    if ('stderr' in cause && noSpaceMessage.test(String(cause.stderr))) return true
  }
  return false
}
