// Makes changes to one SQLite file durable.
// An fsync costs more than a change, so concurrent changes share one.
// The fsync runs in the thread pool, because on the event loop everything else would wait for the disk too.
// SQLite itself writes with `synchronous = NORMAL`: a commit only appends to the write-ahead log.
// This module syncs the log before it acknowledges a change, which is always enough (https://sqlite.org/wal.html):
// SQLite syncs log and database around each checkpoint, so a commit that has left the log is in the database.
import { DatabaseSync } from 'node:sqlite'
import { LogSync, type PendingDelivery } from './log-sync.ts'
import { enableIncrementalVacuum, IncrementalVacuum } from './sqlite-vacuum.ts'

/**
 * What a change must survive: a `power` failure, or only the death of the `process`. `process` saves an fsync and is
 * enough for a change whose loss only causes a repetition: a message received twice, a delivery repeated.
 */
type Durability = 'power' | 'process'

interface GroupCommitOptions {
  /** Creates the error for changes after `close`. */
  readonly createClosedError: () => Error
  /** Called for every error that rolled a change back, because caches may have to be reloaded. */
  readonly onUndone?: (error: unknown) => void
  /** Called once when the disk has failed: waiting and later changes are rejected with this error. */
  readonly onFailed?: (error: Error) => void
  /** Syncs the contents of the write-ahead log to disk. */
  readonly sync?: () => Promise<void>
}

interface PendingChange {
  readonly durability: Durability
  readonly change: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type PendingResult = PendingDelivery & Pick<PendingChange, 'durability'>

/** How long another process may keep the file locked. */
const lockTimeoutMs = 2000
/** How long SQLite itself waits for a lock, which blocks the event loop; after that, `flush` retries. */
const busyTimeoutMs = 5
const lockRetryMs = 20
/** A larger log is truncated to this size, but not to zero: overwriting existing bytes needs no new disk space. */
const maxLogBytes = 8 * 1024 ** 2

export function openDatabase(file: string, schema: string): DatabaseSync {
  // The timeout is long here, because a backup that reads the file may lock it briefly.
  const db = new DatabaseSync(file, { timeout: lockTimeoutMs })
  enableIncrementalVacuum(db)
  db.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${maxLogBytes}`,
  )
  db.exec(schema)
  // From now on, `flush` retries instead, without blocking the event loop.
  db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  return db
}

/** Groups concurrent changes into transactions. Its functions don't use `this`, so that stores can pass them on. */
export class GroupCommit {
  readonly #db: DatabaseSync
  readonly #options: GroupCommitOptions
  readonly #log: LogSync
  readonly #vacuum: IncrementalVacuum
  readonly #listeners: (() => void)[] = []
  #pendingChanges: PendingChange[] = []
  #closing: Promise<void> | undefined
  #lockedSince: number | undefined

  constructor(db: DatabaseSync, options: GroupCommitOptions) {
    this.#db = db
    this.#options = options
    this.#log = new LogSync(db, options.onFailed ?? (() => undefined), options.sync)
    this.#vacuum = new IncrementalVacuum(db)
  }

  /**
   * Runs a change inside the next transaction. Changes that run later see its effect. The promise resolves, or rejects
   * with what the change threw, once the change and everything it read have the requested durability. So a change that
   * only reads returns durable data. A change that throws is rolled back alone and does not affect others.
   */
  readonly commit = <T>(change: () => T, durability: Durability = 'power'): Promise<T> => {
    if (this.#closing !== undefined) return Promise.reject(this.#options.createClosedError())
    return new Promise<T>((resolve, reject) => {
      // The cast pairs this change with its own promise, which the list cannot express.
      const pendingChange = { change, durability, resolve: resolve as (value: unknown) => void, reject }
      // The flush starts in the check phase, after every request that is readable now has joined the group.
      if (this.#pendingChanges.push(pendingChange) === 1) setImmediate(this.#flush)
    })
  }

  /** Calls the listener after every transaction, even before it is on disk. */
  readonly onCommit = (listener: () => void): void => {
    this.#listeners.push(listener)
  }

  /** Commits waiting changes, and closes the file once they are on disk. */
  readonly close = (): Promise<void> => {
    this.#closing ??= this.#closeAfter(this.commit(() => undefined))
    return this.#closing
  }

  async #closeAfter(lastCommit: Promise<void>): Promise<void> {
    try {
      await lastCommit
    } finally {
      await this.#log.close(() => {
        this.#vacuum.stop()
        this.#db.close()
      })
    }
  }

  readonly #flush = (): void => {
    if (this.#log.failure) this.#rejectPending(this.#log.failure)
    else if (this.#beginTransaction()) this.#commitGroup()
  }

  #rejectPending(error: unknown): void {
    for (const { reject } of this.#pendingChanges.splice(0)) reject(error)
  }

  #commitGroup(): void {
    const group = this.#pendingChanges
    this.#pendingChanges = []
    let results: PendingResult[]
    try {
      results = group.map((pendingChange) => this.#runChange(pendingChange))
      this.#db.exec('COMMIT')
    } catch (error) {
      // The disk is full or the file is locked, so nothing of the group was stored.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      this.#options.onUndone?.(error)
      for (const { reject } of group) reject(error)
      return
    }
    for (const { durability, deliver } of results) if (durability === 'process') deliver()
    this.#log.deliverDurably(results.filter(({ durability }) => durability === 'power'))
    for (const listener of this.#listeners) listener()
    this.#vacuum.schedule()
  }

  /**
   * Returns false if another process has locked the file; then either schedules a retry or rejects the waiting changes.
   */
  #beginTransaction(): boolean {
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      this.#lockedSince = undefined
      return true
    } catch (error) {
      this.#lockedSince ??= Date.now()
      if (isLocked(error) && Date.now() - this.#lockedSince < lockTimeoutMs) {
        setTimeout(this.#flush, lockRetryMs)
        return false
      }
      this.#lockedSince = undefined
      this.#rejectPending(error)
      return false
    }
  }

  #runChange({ change, durability, resolve, reject }: PendingChange): PendingResult {
    this.#db.exec('SAVEPOINT change')
    try {
      const value = change()
      this.#db.exec('RELEASE change')
      return { durability, deliver: () => resolve(value), reject }
    } catch (error) {
      this.#db.exec('ROLLBACK TO change; RELEASE change')
      this.#options.onUndone?.(error)
      return { durability, deliver: () => reject(error), reject }
    }
  }
}

// SQLite error codes: https://www.sqlite.org/rescode.html
const sqliteBusy = 5

/** True if another process has locked the file for too long. */
export const isLocked = (error: unknown) =>
  error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
