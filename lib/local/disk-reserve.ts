import { execFile } from 'node:child_process'
import { statfsSync, statSync, truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { roomIn, spareBytes } from '../disk-space.ts'
import type { Log } from '../log.ts'

const execFileAsync = promisify(execFile)

const mib = 1024 ** 2
/** Out of the way of a backup, which leaves out what begins so. */
const fileName = '.reserve'
/** Bytes that any one request or sweep may need for its records: SQLite appends to a log before it makes room. */
const minFreeBytes = 4 * mib
/** What is given up at a time. */
const releaseStepBytes = 2 * minFreeBytes
const growEveryMs = 10_000

/** Of a disk: all that it is kept for happens in the part into which nothing large is written. */
const targetBytes = (diskBytes: number): number => (spareBytes(diskBytes) * 2) / 3

/**
 * Room that is taken before somebody else takes it. A deletion frees space, but needs some first; on a disk that is
 * full to the last byte it would fail, and so would all that could help. So a file holds some, gives it up a little at
 * a time when something is to be done that needs it, and takes it back when there is room.
 */
export class DiskReserve {
  readonly #folder: string
  readonly #file: string
  readonly #log: Log
  readonly #onReleased: () => void
  readonly #timer: NodeJS.Timeout
  #growth: Promise<void> = Promise.resolve()

  /** @param onReleased hears that the disk was full. */
  constructor(
    folder: string,
    log: Log,
    onReleased: () => void = () => undefined,
    checkEveryMs = growEveryMs,
  ) {
    this.#folder = folder
    this.#file = join(folder, fileName)
    this.#log = log
    this.#onReleased = onReleased
    this.#timer = setInterval(() => this.#scheduleGrowth(), checkEveryMs).unref()
    this.#scheduleGrowth()
  }

  /** Before anything that writes: gives up as much as it may need. @returns bytes that are free then. */
  ensureFreeSpace(): number {
    const free = freeBytes(this.#folder)
    if (free >= minFreeBytes) return free
    const reserved = this.#reservedBytes()
    if (reserved === 0) return free
    const left = Math.max(0, reserved - releaseStepBytes)
    truncateSync(this.#file, left)
    this.#log.error(
      { given: reserved - left, left },
      'the disk is full; room that was kept for this is given up',
    )
    this.#onReleased()
    return freeBytes(this.#folder)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#growth
  }

  #reservedBytes(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
  }

  #scheduleGrowth(): void {
    this.#growth = this.#growth
      .then(() => this.#grow())
      .catch((error: unknown) => this.#log.warn({ error }, 'no room could be kept for a full disk'))
  }

  async #grow(): Promise<void> {
    const { free, size, spare } = await roomIn(this.#folder)
    const target = Math.floor(targetBytes(size))
    const reserved = this.#reservedBytes()
    if (reserved >= target || free - (target - reserved) < spare) return
    await allocate(this.#file, reserved, target)
    this.#log.info({ bytes: target }, 'room is kept for a full disk')
  }
}

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** A file that only says how long it is would keep nothing. */
async function allocate(file: string, from: number, to: number): Promise<void> {
  const handle = await open(file, 'a', 0o600)
  try {
    await execFileAsync('fallocate', ['--offset', String(from), '--length', String(to - from), file]).catch(
      () => writeRandomBytes(handle, to - from),
    )
  } finally {
    await handle.close()
  }
}

/** Where a file system cannot do it by itself. Some leave out zeros: the bytes are of no pattern. */
async function writeRandomBytes(handle: Awaited<ReturnType<typeof open>>, length: number): Promise<void> {
  const block = crypto.getRandomValues(new Uint8Array(64 * 1024))
  for (let left = length; left > 0; left -= block.length)
    await handle.write(block.subarray(0, Math.min(left, block.length)))
}
