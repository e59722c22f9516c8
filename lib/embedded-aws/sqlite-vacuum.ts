import type { DatabaseSync } from 'node:sqlite'

/** Pages moved in one step, which blocks everything else for about a millisecond. */
const pagesPerStep = 64
const pauseMs = 20
/** How long after a change the file is checked for free pages. */
const idleDelayMs = 2000
/** Free pages that are kept for later writes, in addition to a quarter of the pages in use. */
const minFreePages = 256
/** Files of older versions up to this size are rewritten at the start, which takes some tenths of a second. */
const maxVacuumBytes = 64 * 1024 ** 2

const incrementalMode = 2

/**
 * Enables incremental vacuum. Only possible for a file without tables, or by rewriting it, which is done for small
 * ones.
 */
export function enableIncrementalVacuum(db: DatabaseSync): void {
  db.exec(`PRAGMA auto_vacuum = ${incrementalMode}`)
  if (readPragma(db, 'auto_vacuum') === incrementalMode) return
  const usedPages = readPragma(db, 'page_count') - readPragma(db, 'freelist_count')
  if (usedPages * readPragma(db, 'page_size') > maxVacuumBytes) return
  try {
    db.exec('VACUUM')
  } catch {
    // No space for a second copy: it stays unchanged until the next start.
  }
}

/** Returns the pages that deletions have freed to the file system, a few at a time, while the file is idle. */
export class IncrementalVacuum {
  readonly #db: DatabaseSync
  readonly #delayMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(db: DatabaseSync, delayMs = idleDelayMs) {
    this.#db = db
    this.#delayMs = delayMs
  }

  /** Call after each change. */
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
      // The file is locked or the disk is full: the next change schedules another attempt.
    }
  }

  /** Returns false when there is nothing to free. */
  #vacuumSome(): boolean {
    const free = readPragma(this.#db, 'freelist_count')
    const usedPages = readPragma(this.#db, 'page_count') - free
    if (free <= minFreePages + usedPages / 4 || readPragma(this.#db, 'auto_vacuum') !== incrementalMode)
      return false
    this.#db.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`)
    return true
  }
}

function readPragma(db: DatabaseSync, pragma: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0)
}
