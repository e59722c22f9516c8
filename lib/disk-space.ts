import { statfsSync } from 'node:fs'
import type { Config } from './config.ts'
import { AppError } from './errors.ts'

const mib = 1024 ** 2

/**
 * Bytes of a disk of this size into which nothing large is written, whatever the settings say: records of jobs, the
 * log, and above all deletions need them, and without deletions a full disk stays full.
 */
export const spareBytes = (diskBytes: number): number => Math.min(96 * mib, diskBytes / 8)

/** Bytes below which what a program has just written may lack its end, though the program did not say so. */
const nothingBytes = mib

/** Bytes that the largest files have between two steps: with less a program may fail that has not filled the disk. */
const crampedBytes = 512 * mib

/** Milliseconds between two looks; a program that fills what is left has not ended by then. */
const lookMs = 100

/** Seconds after which asking again may be worth it: somebody has to make room, or a conversion ends. */
const askAgainS = 60

export interface Room {
  /** Bytes that are free for us. */
  readonly free: number
  /** Bytes of the whole disk. */
  readonly size: number
  /** See `spareBytes`. */
  readonly spare: number
}

export async function roomIn(folder: string): Promise<Room> {
  // The system knows it without looking at the disk: the way to the thread pool and back takes fifty times as long.
  const { bavail, blocks, bsize } = statfsSync(folder)
  const size = blocks * bsize
  return { free: bavail * bsize, size, spare: spareBytes(size) }
}

type SpaceSettings = Pick<Config, 'WORK_DIR' | 'MIN_FREE_DISK_GB'>

/** Bytes that are free for us where files are kept, and below which no new ones are taken. */
export async function spaceForFiles(config: SpaceSettings): Promise<{ free: number; needed: number }> {
  const { free, spare } = await roomIn(config.WORK_DIR)
  return { free, needed: Math.max(config.MIN_FREE_DISK_GB * 1e9, spare) }
}

/** Before new files are taken. @throws AppError INSUFFICIENT_DISK_SPACE below the threshold. */
export async function requireDiskSpace(config: SpaceSettings): Promise<void> {
  const { free, needed } = await spaceForFiles(config)
  if (free < needed) throw shortOfSpace()
}

/** Before a file of this size is made. @throws AppError INSUFFICIENT_DISK_SPACE when it has no room where files are kept. */
export async function requireRoom(bytes: number, { config }: { config: SpaceSettings }): Promise<void> {
  const { free, spare } = await roomIn(config.WORK_DIR)
  if (free - bytes < spare) throw shortOfSpace()
}

/** Before anything that makes work. @throws AppError INSUFFICIENT_DISK_SPACE when only deletions have room. */
export async function requireSpareSpace({ WORK_DIR }: Pick<Config, 'WORK_DIR'>): Promise<void> {
  if (await isFull(WORK_DIR)) throw shortOfSpace()
}

async function isFull(folder: string): Promise<boolean> {
  const { free, spare } = await roomIn(folder)
  return free < spare
}

export function shortOfSpace(cause?: unknown): AppError {
  return new AppError(
    'INSUFFICIENT_DISK_SPACE',
    'The service is short of disk space and takes no new files now. Try again later.',
    { retryAfter: askAgainS },
    { cause },
  )
}

/** Whether a request broke down for want of room. */
export async function isFullFor(thrown: unknown, { WORK_DIR }: Pick<Config, 'WORK_DIR'>): Promise<boolean> {
  return saysNoSpace(thrown) || (await isFull(WORK_DIR).catch(() => false))
}

/** Looks at a disk while programs write to it. */
export class SpaceWatch {
  readonly #folder: string
  readonly #timer: NodeJS.Timeout
  /** Bytes that were free at the worst moment. */
  #least = Number.POSITIVE_INFINITY
  #spare = 0
  #size = 0
  /** Bytes that were free at the first look. */
  #first: number | undefined

  constructor(folder: string) {
    this.#folder = folder
    void this.#look()
    this.#timer = setInterval(() => void this.#look(), lookMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Before a result is kept. @throws AppError INSUFFICIENT_DISK_SPACE when it may be cut off. */
  async requireWhole(): Promise<void> {
    await this.#look()
    if (this.#least < nothingBytes) throw this.#ranOut()
  }

  /** What to tell instead of an error that is one of a full disk: a file is not damaged because its copy is. */
  async explain(error: unknown): Promise<AppError | undefined> {
    if (error instanceof AppError && !mayBeOfDisk.has(error.code)) return undefined
    await this.#look()
    // A program that fails may have cleared up by now.
    const isOfDisk =
      saysNoSpace(error) ||
      this.#least < this.#spare ||
      (this.#least < crampedBytes && diesWithoutSpace(error))
    return isOfDisk ? this.#ranOut(error) : undefined
  }

  /** Where the disk was as good as empty another try, or somebody who makes room, would change nothing. */
  #ranOut(cause?: unknown): AppError {
    const wasEmpty = this.#first !== undefined && this.#first > this.#size * emptyShare
    return wasEmpty ? largerThanDisk(this.#size, cause) : ranOut(cause)
  }

  async #look(): Promise<void> {
    // Without an answer we know as much as before.
    const room = await roomIn(this.#folder).catch(() => undefined)
    if (!room) return
    this.#least = Math.min(this.#least, room.free)
    this.#spare = room.spare
    this.#size = room.size
    this.#first ??= room.free
  }
}

const mayBeOfDisk: ReadonlySet<string> = new Set(['CORRUPT_FILE', 'CONVERSION_FAILED', 'INTERNAL_ERROR'])

/** Of a disk that nobody else has filled. */
const emptyShare = 0.9

function largerThanDisk(diskBytes: number, cause: unknown): AppError {
  const diskMb = Math.floor(diskBytes / mib)
  return new AppError(
    'FILE_TOO_LARGE',
    `The file needs more room while it is converted than the disk of ${diskMb} MiB has that a conversion gets.`,
    { diskMb },
    { cause },
  )
}

export const ranOut = (cause?: unknown) =>
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
function diesWithoutSpace(error: unknown): boolean {
  return error instanceof Error && 'signal' in error && /^SIG(BUS|ABRT)$/.test(String(error.signal))
}

/** As the C library words it, which every program repeats, and SQLite. */
const noSpaceWords = /No space left on device|Disk quota exceeded|database or disk is full/i

/** Whether the system said so, to us or to a program that told us. */
export function saysNoSpace(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (noSpaceCodes.has('code' in one && one.code) || noSpaceCodes.has(one.name)) return true
    if (noSpaceWords.test(one.message)) return true
    if ('stderr' in one && noSpaceWords.test(String(one.stderr))) return true
  }
  return false
}
