import type { DatabaseSync } from 'node:sqlite'

/** Pages that are moved in one go, in about a millisecond: nothing else happens meanwhile. */
const pagesPerStep = 64
const pauseMs = 20
/** How long after a change it is looked for pages that nobody needs. */
const idleDelayMs = 2000
/** Free pages that stay for what comes next, and as many more as a quarter of those in use. */
const minFreePages = 256
/** Bytes up to which a file of an older service is written anew at its start, which takes some tenths of a second. */
const maxVacuumBytes = 64 * 1024 ** 2

const incremental = 2

/** For a file that has no table yet, or little in it: only such a one learns to give pages back. */
export function enableIncrementalVacuum(db: DatabaseSync): void {
  db.exec(`PRAGMA auto_vacuum = ${incremental}`)
  if (readPragma(db, 'auto_vacuum') === incremental) return
  const used = readPragma(db, 'page_count') - readPragma(db, 'freelist_count')
  if (used * readPragma(db, 'page_size') > maxVacuumBytes) return
  try {
    db.exec('VACUUM')
  } catch {
    // No room for a second copy: it stays as it is until the next start.
  }
}

/** Gives the disk what many deletions have left in the file, a little at a time, while nothing else is to be done. */
export class IncrementalVacuum {
  readonly #db: DatabaseSync
  readonly #delayMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(db: DatabaseSync, delayMs = idleDelayMs) {
    this.#db = db
    this.#delayMs = delayMs
  }

  /** After each change. */
  schedule(): void {
    this.#timer ??= setTimeout(() => this.#step(), this.#delayMs).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #step(): void {
    this.#timer = undefined
    try {
      if (this.#db.isOpen && this.#vacuumSome()) this.#timer = setTimeout(() => this.#step(), pauseMs).unref()
    } catch {
      // The file is locked or the disk full: the next change brings us here again.
    }
  }

  /** False when there is nothing to give. */
  #vacuumSome(): boolean {
    const free = readPragma(this.#db, 'freelist_count')
    const used = readPragma(this.#db, 'page_count') - free
    if (free <= minFreePages + used / 4 || readPragma(this.#db, 'auto_vacuum') !== incremental) return false
    this.#db.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`)
    return true
  }
}

function readPragma(db: DatabaseSync, pragma: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0)
}
