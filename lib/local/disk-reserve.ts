import { execFile } from 'node:child_process'
import { statfsSync, statSync, truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { roomIn, spareBytes } from '../disk-space.ts'
import type { Log } from '../log.ts'

const run = promisify(execFile)

const mib = 1024 ** 2
/** Out of the way of a backup, which leaves out what begins so. */
const fileName = '.reserve'
/** Bytes that any one request or sweep may need for its records: SQLite appends to a log before it makes room. */
const neededBytes = 4 * mib
/** What is given up at a time. */
const stepBytes = 2 * neededBytes
const regrowMs = 10_000

/** Of a disk: all that it is kept for happens in the part into which nothing large is written. */
const wholeBytes = (diskBytes: number): number => (spareBytes(diskBytes) * 2) / 3

/**
 * Room that is taken before somebody else takes it. A deletion frees space, but needs some first; on a disk that is
 * full to the last byte it would fail, and so would all that could help. So a file holds some, gives it up a little at
 * a time when something is to be done that needs it, and takes it back when there is room.
 */
export class Reserve {
  readonly #folder: string
  readonly #file: string
  readonly #log: Log
  readonly #onGiven: () => void
  readonly #timer: NodeJS.Timeout
  #growing: Promise<void> = Promise.resolve()

  /** @param onGiven hears that the disk was full. */
  constructor(folder: string, log: Log, onGiven: () => void = () => undefined, lookMs = regrowMs) {
    this.#folder = folder
    this.#file = join(folder, fileName)
    this.#log = log
    this.#onGiven = onGiven
    this.#timer = setInterval(() => this.#regrow(), lookMs).unref()
    this.#regrow()
  }

  /** Before anything that writes: gives up as much as it may need. @returns bytes that are free then. */
  makeRoom(): number {
    const free = freeIn(this.#folder)
    if (free >= neededBytes) return free
    const kept = this.#kept()
    if (kept === 0) return free
    const left = Math.max(0, kept - stepBytes)
    truncateSync(this.#file, left)
    this.#log.error({ given: kept - left, left }, 'the disk is full; room that was kept for this is given up')
    this.#onGiven()
    return freeIn(this.#folder)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#growing
  }

  #kept(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
  }

  #regrow(): void {
    this.#growing = this.#growing
      .then(() => this.#takeBack())
      .catch((error: unknown) => this.#log.warn({ error }, 'no room could be kept for a full disk'))
  }

  async #takeBack(): Promise<void> {
    const { free, size, spare } = await roomIn(this.#folder)
    const whole = Math.floor(wholeBytes(size))
    const kept = this.#kept()
    if (kept >= whole || free - (whole - kept) < spare) return
    await fill(this.#file, kept, whole)
    this.#log.info({ bytes: whole }, 'room is kept for a full disk')
  }
}

const freeIn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** A file that only says how long it is would keep nothing. */
async function fill(file: string, from: number, to: number): Promise<void> {
  const handle = await open(file, 'a', 0o600)
  try {
    await run('fallocate', ['--offset', String(from), '--length', String(to - from), file]).catch(() =>
      write(handle, to - from),
    )
  } finally {
    await handle.close()
  }
}

/** Where a file system cannot do it by itself. Some leave out zeros: the bytes are of no pattern. */
async function write(handle: Awaited<ReturnType<typeof open>>, length: number): Promise<void> {
  const piece = crypto.getRandomValues(new Uint8Array(64 * 1024))
  for (let left = length; left > 0; left -= piece.length)
    await handle.write(piece.subarray(0, Math.min(left, piece.length)))
}
