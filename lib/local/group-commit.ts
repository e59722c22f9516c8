// Durable writes to one SQLite file. An fsync costs more than a change, so changes that arrive together share one,
// and it runs in the thread pool: on the event loop everybody else would wait for the disk too.
//
// SQLite itself writes with `synchronous = NORMAL`: a commit only appends to the write-ahead log, which is synced
// here, and answers wait for it. SQLite still syncs the log before a checkpoint, the database after it, and the log's
// new header before it writes over old frames (https://sqlite.org/wal.html), so a commit
// that is in the log no more is in the database, and to sync the log is enough at any time.
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { enableIncrementalVacuum, IncrementalVacuum } from './sqlite-vacuum.ts'

/**
 * What a change outlives: the loss of `power`, or only of the `process`. The latter saves an fsync, and serves where
 * a change that is forgotten is made again: a message that is received twice, a delivery that is repeated.
 */
type Durability = 'power' | 'process'

export interface GroupCommit {
  /**
   * Runs a change inside the next transaction. Others see it from then on; its answer, a refusal too, comes when it
   * and all that it saw outlives what was asked for. So a change that only reads tells what is kept.
   * A change that throws is undone alone and harms no other.
   */
  commit<T>(change: () => T, durability?: Durability): Promise<T>
  /** Hears of every transaction, also before it is on disk. */
  onCommit(listener: () => void): void
  /** Commits what waits, and closes the file when it is on disk. */
  close(): Promise<void>
}

interface GroupCommitOptions {
  /** What a change gets that comes too late. */
  readonly createClosedError: () => Error
  /** Hears of every error that undid something: whatever is cached may have to be read again. */
  readonly onUndone?: (error: unknown) => void
  /** Hears, once, that the disk failed: what waited for it and all that comes later is refused with this error. */
  readonly onFailed?: (error: Error) => void
  /** Brings to the disk what the log holds when it is called. */
  readonly sync?: () => Promise<void>
}

interface PendingChange {
  readonly durability: Durability
  readonly change: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface PendingResult {
  readonly durability: Durability
  readonly deliver: () => void
  readonly reject: (error: unknown) => void
}

const syncFile = promisify(fdatasync)

/** How long another process may hold the file. */
const lockTimeoutMs = 2000
/** How long SQLite itself waits for it, and nobody gets an answer meanwhile, before we look again. */
const busyTimeoutMs = 5
const lockRetryMs = 20
/** Bytes to which the log is cut when it has grown beyond; one that is there is written over, which needs no room. */
const maxLogBytes = 8 * 1024 ** 2

export function openDatabase(file: string, schema: string): DatabaseSync {
  // A backup that reads the file may hold it for a moment.
  const db = new DatabaseSync(file, { timeout: lockTimeoutMs })
  enableIncrementalVacuum(db)
  db.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${maxLogBytes}`,
  )
  db.exec(schema)
  // From now on `flush` waits, beside everything else that is to be done.
  db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  return db
}

export function groupCommit(db: DatabaseSync, options: GroupCommitOptions): GroupCommit {
  const { createClosedError, onUndone = () => undefined, onFailed = () => undefined } = options
  const file = db.location() ?? ''
  // SQLite resets the log and cuts it, but the file stays the same as long as the database is open. A descriptor from
  // before the first commit hears of every error: the kernel tells each descriptor once, and later ones of new errors.
  const log = openSync(`${file}-wal`, 'r')
  // A process that was killed may have left what is not on disk, on which nothing may be built before it is.
  fdatasyncSync(log)
  const { sync = () => syncFile(log) } = options
  const selectChanges = db.prepare('SELECT total_changes() AS changes')
  const listeners: (() => void)[] = []
  let waiting: PendingChange[] = []
  /** Answers that wait for a sync that has not begun. */
  let unsynced: PendingResult[] = []
  let syncing: Promise<void> | undefined
  let synced = countChanges()
  let failure: Error | undefined
  let closing: Promise<void> | undefined
  let lockedSince: number | undefined
  const vacuum = new IncrementalVacuum(db)

  function countChanges(): unknown {
    return selectChanges.get()?.changes
  }

  function flush(): void {
    if (failure) rejectWaiting(failure)
    else if (beginTransaction()) commitGroup()
  }

  function rejectWaiting(error: unknown): void {
    for (const { reject } of waiting.splice(0)) reject(error)
  }

  function commitGroup(): void {
    const group = waiting
    waiting = []
    let results: PendingResult[]
    try {
      results = group.map(runChange)
      db.exec('COMMIT')
    } catch (error) {
      // The disk is full, or the file is locked: none of the group is stored.
      if (db.isTransaction) db.exec('ROLLBACK')
      onUndone(error)
      for (const { reject } of group) reject(error)
      return
    }
    for (const result of results)
      if (result.durability === 'process') result.deliver()
      else unsynced.push(result)
    // One sync at a time: commits go on beside it, and share the next.
    syncing ??= deliverWhenSynced().finally(() => {
      syncing = undefined
    })
    for (const listener of listeners) listener()
    vacuum.schedule()
  }

  /** False when another process has the file: then it is tried again soon, or those that wait hear why not. */
  function beginTransaction(): boolean {
    try {
      db.exec('BEGIN IMMEDIATE')
      lockedSince = undefined
      return true
    } catch (error) {
      lockedSince ??= Date.now()
      if (isLocked(error) && Date.now() - lockedSince < lockTimeoutMs) {
        setTimeout(flush, lockRetryMs)
        return false
      }
      lockedSince = undefined
      rejectWaiting(error)
      return false
    }
  }

  function runChange({ change, durability, resolve, reject }: PendingChange): PendingResult {
    db.exec('SAVEPOINT change')
    try {
      const value = change()
      db.exec('RELEASE change')
      return { durability, deliver: () => resolve(value), reject }
    } catch (error) {
      db.exec('ROLLBACK TO change; RELEASE change')
      onUndone(error)
      return { durability, deliver: () => reject(error), reject }
    }
  }

  async function deliverWhenSynced(): Promise<void> {
    while (unsynced.length > 0) {
      const results = unsynced
      unsynced = []
      const changes = countChanges()
      if (changes !== synced) {
        try {
          await sync()
        } catch (cause) {
          return failPermanently(cause, results)
        }
        synced = changes
      }
      for (const { deliver } of results) deliver()
    }
  }

  /** What the disk did not keep once it may have dropped from memory too, so a second sync that succeeds proves nothing. */
  function failPermanently(cause: unknown, results: readonly PendingResult[]): void {
    failure = new Error(
      `The disk could not keep what was written to ${file}, so nothing more is taken. See whether the disk is well and has room, then start the service again.`,
      { cause },
    )
    onFailed(failure)
    for (const { reject } of [...results, ...unsynced]) reject(failure)
    unsynced = []
  }

  function commit<T>(change: () => T, durability: Durability = 'power'): Promise<T> {
    if (closing !== undefined) return Promise.reject(createClosedError())
    return new Promise<T>((resolve, reject) => {
      // The cast pairs this change with its own promise, which the list cannot express.
      const one = { change, durability, resolve: resolve as (value: unknown) => void, reject }
      // Not sooner than the check phase: by then every request that is readable now has joined the group.
      if (waiting.push(one) === 1) setImmediate(flush)
    })
  }

  async function closeAfter(last: Promise<void>): Promise<void> {
    try {
      await last
    } finally {
      await syncing
      vacuum.stop()
      db.close()
      closeSync(log)
    }
  }

  return {
    commit,
    onCommit: (listener) => void listeners.push(listener),
    close() {
      closing ??= closeAfter(commit(() => undefined))
      return closing
    },
  }
}

// https://www.sqlite.org/rescode.html
const sqliteBusy = 5

/** Whether another process had the file for too long. */
export const isLocked = (error: unknown) =>
  error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
