import { statfsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'

const bytesPerMib = 1024 ** 2

/**
 * Returns how many bytes of a disk are never used for files, whatever the settings say. Job records, the log and above
 * all deletions need them; without deletions, a full disk stays full.
 */
export const getReservedBytes = (diskBytes: number): number => Math.min(96 * bytesPerMib, diskBytes / 8)

/** With less free space than this, the output of a program may be truncated even if the program reported no error. */
const exhaustedThresholdBytes = bytesPerMib

/**
 * Maximum number of bytes that a program allocates in one step. With less free space, the program may fail although the
 * disk is not full.
 */
const lowSpaceBytes = 512 * bytesPerMib

/** Polling interval, which is short enough that a program that fills the remaining space is still running. */
const pollIntervalMs = 100

/** Value of `Retry-After`: after this time, a conversion may have ended, or the operator may have freed space. */
const retryAfterS = 60

interface DiskSpace {
  /** Bytes available to this process. */
  readonly free: number
  /** Bytes of the whole disk. */
  readonly size: number
  /** Bytes that are never used for files; see `getReservedBytes`. */
  readonly reserved: number
}

export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  // The call is synchronous: it needs no disk access, and the thread pool would take fifty times as long.
  const { bavail, blocks, bsize } = statfsSync(folder)
  const size = blocks * bsize
  return { free: bavail * bsize, size, reserved: getReservedBytes(size) }
}

type SpaceSettings = Pick<Config, 'WORK_DIR' | 'MIN_FREE_DISK_GB'>

/** Returns the bytes available for files, and the threshold below which new files are refused. */
export async function readFileSpace(
  config: SpaceSettings,
): Promise<{ free: number; requiredFreeBytes: number }> {
  const { free, reserved } = await readDiskSpace(config.WORK_DIR)
  return { free, requiredFreeBytes: Math.max(config.MIN_FREE_DISK_GB * 1e9, reserved) }
}

/** Call before accepting new files. @throws AppError INSUFFICIENT_DISK_SPACE below the threshold. */
export async function requireDiskSpace(config: SpaceSettings): Promise<void> {
  const { free, requiredFreeBytes } = await readFileSpace(config)
  if (free < requiredFreeBytes) throw createInsufficientSpaceError()
}

/** Call before creating a file of this size. @throws AppError INSUFFICIENT_DISK_SPACE if it does not fit. */
export async function requireSpaceFor(bytes: number, { config }: { config: SpaceSettings }): Promise<void> {
  const { free, reserved } = await readDiskSpace(config.WORK_DIR)
  if (free - bytes < reserved) throw createInsufficientSpaceError()
}

/**
 * Call before creating work.
 * @throws AppError INSUFFICIENT_DISK_SPACE if the remaining space is reserved for deletions.
 */
export async function requireReservedSpace({ WORK_DIR }: Pick<Config, 'WORK_DIR'>): Promise<void> {
  if (await isFull(WORK_DIR)) throw createInsufficientSpaceError()
}

async function isFull(folder: string): Promise<boolean> {
  const { free, reserved } = await readDiskSpace(folder)
  return free < reserved
}

export function createInsufficientSpaceError(cause?: unknown): AppError {
  return new AppError(
    'INSUFFICIENT_DISK_SPACE',
    'The service is low on disk space and accepts no new files right now. Try again later.',
    { retryAfter: retryAfterS },
    { cause },
  )
}

/** Whether a full disk is the likely reason why a request failed. */
export async function isCausedByFullDisk(
  thrownError: unknown,
  { WORK_DIR }: Pick<Config, 'WORK_DIR'>,
): Promise<boolean> {
  return isNoSpaceError(thrownError) || (await isFull(WORK_DIR).catch(() => false))
}

/** Monitors the free space of a disk while programs write to it. */
export class DiskSpaceMonitor {
  readonly #folder: string
  readonly #timer: NodeJS.Timeout
  /** Lowest number of free bytes seen. */
  #minFreeBytes = Number.POSITIVE_INFINITY
  #reservedBytes = 0
  #size = 0
  /** Free bytes at the first poll. */
  #initialFreeBytes: number | undefined

  constructor(folder: string) {
    this.#folder = folder
    void this.#poll()
    this.#timer = setInterval(() => void this.#poll(), pollIntervalMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Call before storing a result. @throws AppError INSUFFICIENT_DISK_SPACE if it may be truncated. */
  async requireCompleteOutput(): Promise<void> {
    await this.#poll()
    if (this.#minFreeBytes < exhaustedThresholdBytes) throw this.#createOutOfSpaceError()
  }

  /**
   * Returns the error to report instead of `error` if a full disk is the likely cause. On a full disk, a program may
   * call the file damaged, although only its own copy of the file is truncated. Returns undefined for any other error.
   */
  async explainDiskError(error: unknown): Promise<AppError | undefined> {
    if (error instanceof AppError && !possibleDiskErrorCodes.has(error.code)) return undefined
    await this.#poll()
    // The program may have removed its files before the check, so an earlier low value counts as well.
    const isLikelyDiskError =
      isNoSpaceError(error) ||
      this.#minFreeBytes < this.#reservedBytes ||
      (this.#minFreeBytes < lowSpaceBytes && isOutOfSpaceSignal(error))
    return isLikelyDiskError ? this.#createOutOfSpaceError(error) : undefined
  }

  /**
   * Creates the error for a full disk. If the disk was nearly empty at the start, neither a retry nor freeing space
   * would help.
   */
  #createOutOfSpaceError(cause?: unknown): AppError {
    const wasDiskNearlyEmpty =
      this.#initialFreeBytes !== undefined && this.#initialFreeBytes > this.#size * emptyDiskFraction
    return wasDiskNearlyEmpty ? createDiskTooSmallError(this.#size, cause) : createOutOfSpaceError(cause)
  }

  async #poll(): Promise<void> {
    // If reading fails, the previous values remain.
    const space = await readDiskSpace(this.#folder).catch(() => undefined)
    if (!space) return
    this.#minFreeBytes = Math.min(this.#minFreeBytes, space.free)
    this.#reservedBytes = space.reserved
    this.#size = space.size
    this.#initialFreeBytes ??= space.free
  }
}

const possibleDiskErrorCodes: ReadonlySet<string> = new Set([
  'CORRUPT_FILE',
  'CONVERSION_FAILED',
  'INTERNAL_ERROR',
])

/** Free fraction of a disk above which it counts as nearly empty. */
const emptyDiskFraction = 0.9

function createDiskTooSmallError(diskBytes: number, cause: unknown): AppError {
  const diskMb = Math.floor(diskBytes / bytesPerMib)
  return new AppError(
    'FILE_TOO_LARGE',
    `Converting the file needs more disk space than the ${diskMb} MiB that a conversion has. Send a smaller file, or split it.`,
    { diskMb },
    { cause },
  )
}

export const createOutOfSpaceError = (cause?: unknown) =>
  new AppError(
    'INSUFFICIENT_DISK_SPACE',
    'The service ran out of disk space during the conversion. Try again later.',
    undefined,
    { cause },
  )

const noSpaceCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])
/**
 * Whether a program was killed by a signal that is typical of a full disk. A program that maps a file, or allocates its
 * whole size first, dies without an error message and leaves nothing behind.
 */
function isOutOfSpaceSignal(error: unknown): boolean {
  return error instanceof Error && 'signal' in error && /^SIG(BUS|ABRT)$/.test(String(error.signal))
}

/** Matches the error texts of the C library, which every program repeats, and of SQLite. */
const noSpaceMessagePattern = /No space left on device|Disk quota exceeded|database or disk is full/i

/** Whether an error, its cause or its stderr reports a full disk. */
export function isNoSpaceError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (noSpaceCodes.has('code' in cause && cause.code) || noSpaceCodes.has(cause.name)) return true
    if (noSpaceMessagePattern.test(cause.message)) return true
    if ('stderr' in cause && noSpaceMessagePattern.test(String(cause.stderr))) return true
  }
  return false
}
