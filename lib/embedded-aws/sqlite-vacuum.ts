import type { DatabaseSync } from 'node:sqlite'

/** Number of pages moved in one step, which blocks everything else for about a millisecond. */
const pagesPerStep = 64
const pauseMs = 20
/** Delay between a change and the check for free pages. */
const idleDelayMs = 2000
/** Number of free pages kept for later writes, in addition to a quarter of the pages in use. */
const minFreePages = 256
/** Files of older versions up to this size are rewritten at startup, which takes some tenths of a second. */
const maxVacuumBytes = 64 * 1024 ** 2

const incrementalMode = 2

/**
 * Enables incremental vacuum. That is only possible for a file without tables, or by rewriting it, which is done for
 * small files.
 */
export function enableIncrementalVacuum(db: DatabaseSync): void {
  db.exec(`PRAGMA auto_vacuum = ${incrementalMode}`)
  if (readPragma(db, 'auto_vacuum') === incrementalMode) return
  const usedPages = readPragma(db, 'page_count') - readPragma(db, 'freelist_count')
  if (usedPages * readPragma(db, 'page_size') > maxVacuumBytes) return
  try {
    db.exec('VACUUM')
  } catch {
    // There is no space for a second copy, so the file stays unchanged until the next start.
  }
}

/** Gives pages that deletions have freed back to the file system, a few at a time, while the file is idle. */
export class IncrementalVacuum {
  readonly #db: DatabaseSync
  readonly #delayMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(db: DatabaseSync, delayMs = idleDelayMs) {
    this.#db = db
    this.#delayMs = delayMs
  }

  /** Schedules a check; call it after each change. */
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
      // The file is locked or the disk is full, so the next change schedules another attempt.
    }
  }

  /** Frees some pages; returns false if there are none to free. */
  #vacuumSome(): boolean {
    const freePages = readPragma(this.#db, 'freelist_count')
    const usedPages = readPragma(this.#db, 'page_count') - freePages
    if (freePages <= minFreePages + usedPages / 4 || readPragma(this.#db, 'auto_vacuum') !== incrementalMode)
      return false
    this.#db.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`)
    return true
  }
}

function readPragma(db: DatabaseSync, pragma: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0)
}
