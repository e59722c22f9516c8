// Durable writes to one SQLite file. An fsync costs more than a change, so concurrent changes share one, and it runs in
// the thread pool: on the event loop everything else would wait for the disk too.
//
// SQLite itself writes with `synchronous = NORMAL`: a commit only appends to the write-ahead log, which is synced here
// before the change is acknowledged. SQLite still syncs the log before a checkpoint, the database after it, and the
// log's new header before it overwrites old frames (https://sqlite.org/wal.html). So a commit that is no longer in the
// log is in the database, and syncing the log is always enough.
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { enableIncrementalVacuum, IncrementalVacuum } from './sqlite-vacuum.ts'

/**
 * What a change survives: a `power` failure, or only the death of the `process`. The latter saves an fsync, and is
 * enough for a change whose loss only causes a repetition: a message received twice, a delivery repeated.
 */
type Durability = 'power' | 'process'

export interface GroupCommit {
  /**
   * Runs a change inside the next transaction. Others see it from then on. The promise resolves, or rejects with what
   * the change threw, once it and everything it read has the requested durability. So a change that only reads returns
   * durable data. A change that throws is rolled back alone and does not affect others.
   */
  commit<T>(change: () => T, durability?: Durability): Promise<T>
  /** Calls the listener after every transaction, even before it is on disk. */
  onCommit(listener: () => void): void
  /** Commits waiting changes, and closes the file once they are on disk. */
  close(): Promise<void>
}

interface GroupCommitOptions {
  /** Creates the error for changes after `close`. */
  readonly createClosedError: () => Error
  /** Called for every error that rolled something back: caches may have to be reloaded. */
  readonly onUndone?: (error: unknown) => void
  /** Called once when the disk failed: waiting and later changes are rejected with this error. */
  readonly onFailed?: (error: Error) => void
  /** Writes to disk what the log contains when it is called. */
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

/** How long another process may lock the file. */
const lockTimeoutMs = 2000
/** How long SQLite itself waits for a lock, which blocks the event loop; after that we retry. */
const busyTimeoutMs = 5
const lockRetryMs = 20
/** Size to which a larger log is truncated. The rest is kept, as overwriting it needs no new disk space. */
const maxLogBytes = 8 * 1024 ** 2

export function openDatabase(file: string, schema: string): DatabaseSync {
  // A backup that reads the file may lock it briefly.
  const db = new DatabaseSync(file, { timeout: lockTimeoutMs })
  enableIncrementalVacuum(db)
  db.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${maxLogBytes}`,
  )
  db.exec(schema)
  // From now on `flush` retries instead, without blocking the event loop.
  db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  return db
}

export function groupCommit(db: DatabaseSync, options: GroupCommitOptions): GroupCommit {
  const { createClosedError, onUndone = () => undefined, onFailed = () => undefined } = options
  const file = db.location() ?? ''
  // SQLite resets and truncates the log, but the file stays the same as long as the database is open. This descriptor
  // is opened before the first commit, so it gets every write error: the kernel reports an error once to each
  // descriptor that was open when it occurred.
  const log = openSync(`${file}-wal`, 'r')
  // A killed process may have left commits that are not on disk; nothing may depend on them before they are.
  fdatasyncSync(log)
  const { sync = () => syncFile(log) } = options
  const selectChanges = db.prepare('SELECT total_changes() AS changes')
  const listeners: (() => void)[] = []
  let waiting: PendingChange[] = []
  /** Results that wait for a sync that has not started. */
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
      // The disk is full or the file is locked: nothing of the group was stored.
      if (db.isTransaction) db.exec('ROLLBACK')
      onUndone(error)
      for (const { reject } of group) reject(error)
      return
    }
    for (const result of results)
      if (result.durability === 'process') result.deliver()
      else unsynced.push(result)
    // One sync at a time: commits continue during it, and share the next one.
    syncing ??= deliverWhenSynced().finally(() => {
      syncing = undefined
    })
    for (const listener of listeners) listener()
    vacuum.schedule()
  }

  /** Returns false when another process has locked the file: then it schedules a retry, or rejects what waits. */
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

  /**
   * After a failed sync the kernel may have dropped the data from memory, so a later successful sync proves nothing.
   */
  function failPermanently(cause: unknown, results: readonly PendingResult[]): void {
    failure = new Error(
      `Writes to ${file} could not be synced to disk, so no further changes are accepted. Check the disk for errors and free space, then restart the service.`,
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
      // Not before the check phase: by then every request that is readable now has joined the group.
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

/** True if another process has locked the file for too long. */
export const isLocked = (error: unknown) =>
  error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
