import type { DatabaseSync } from 'node:sqlite'

/** Pages that are moved in one go, in about a millisecond: nothing else happens meanwhile. */
const pagesAtATime = 64
const pauseMs = 20
/** How long after a change it is looked for pages that nobody needs. */
const restMs = 2000
/** Free pages that stay for what comes next, and as many more as a quarter of those in use. */
const keptPages = 256
/** Bytes up to which a file of an older service is written anew at its start, which takes some tenths of a second. */
const quicklyWritten = 64 * 1024 ** 2

const incremental = 2

/** For a file that has no table yet, or little in it: only such a one learns to give pages back. */
export function makeShrinkable(db: DatabaseSync): void {
  db.exec(`PRAGMA auto_vacuum = ${incremental}`)
  if (numberOf(db, 'auto_vacuum') === incremental) return
  const used = numberOf(db, 'page_count') - numberOf(db, 'freelist_count')
  if (used * numberOf(db, 'page_size') > quicklyWritten) return
  try {
    db.exec('VACUUM')
  } catch {
    // No room for a second copy: it stays as it is until the next start.
  }
}

/** Gives the disk what many deletions have left in the file, a little at a time, while nothing else is to be done. */
export class Shrinking {
  readonly #db: DatabaseSync
  readonly #afterMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(db: DatabaseSync, afterMs = restMs) {
    this.#db = db
    this.#afterMs = afterMs
  }

  /** After each change. */
  look(): void {
    this.#timer ??= setTimeout(() => this.#step(), this.#afterMs).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #step(): void {
    this.#timer = undefined
    try {
      if (this.#db.isOpen && this.#giveBack()) this.#timer = setTimeout(() => this.#step(), pauseMs).unref()
    } catch {
      // The file is locked or the disk full: the next change brings us here again.
    }
  }

  /** False when there is nothing to give. */
  #giveBack(): boolean {
    const free = numberOf(this.#db, 'freelist_count')
    const used = numberOf(this.#db, 'page_count') - free
    if (free <= keptPages + used / 4 || numberOf(this.#db, 'auto_vacuum') !== incremental) return false
    this.#db.exec(`PRAGMA incremental_vacuum(${pagesAtATime})`)
    return true
  }
}

function numberOf(db: DatabaseSync, pragma: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] ?? 0)
}
