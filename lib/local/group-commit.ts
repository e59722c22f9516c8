// Durable writes to one SQLite file. An fsync costs more than a change, so changes that arrive together share one.
import { DatabaseSync } from 'node:sqlite'

/**
 * What a change outlives: the loss of `power`, or only of the `process`. The latter saves an fsync, and serves where
 * a change that is forgotten is made again: a message that is received twice, a delivery that is repeated.
 */
type Durability = 'power' | 'process'

export interface GroupCommit {
  /**
   * Runs a change inside the next transaction and resolves after its fsync, where one of the group asks for it.
   * A change that throws is undone alone and harms no other.
   */
  commit<T>(change: () => T, durability?: Durability): Promise<T>
  onCommit(listener: () => void): void
  /** Commits what waits, then closes the file. */
  close(): Promise<void>
}

interface Options {
  /** What a change gets that comes too late. */
  readonly closed: () => Error
  /** Hears of every error that undid something: whatever is cached may have to be read again. */
  readonly undone?: (error: unknown) => void
}

interface Waiting {
  readonly durability: Durability
  readonly change: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export function openDatabase(file: string, schema: string): DatabaseSync {
  // A backup that reads the file may hold it for a moment.
  const db = new DatabaseSync(file, { timeout: 5000 })
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec(schema)
  return db
}

export function groupCommit(db: DatabaseSync, { closed, undone = () => undefined }: Options): GroupCommit {
  const listeners: (() => void)[] = []
  let synchronous = 'FULL'
  let waiting: Waiting[] = []
  let closing: Promise<void> | undefined

  /** In a write-ahead log NORMAL leaves the fsync to the next checkpoint or FULL commit. */
  function synchronize(level: 'FULL' | 'NORMAL'): void {
    if (level !== synchronous) db.exec(`PRAGMA synchronous = ${level}`)
    synchronous = level
  }

  function flush(): void {
    const group = waiting
    waiting = []
    try {
      synchronize(group.some(({ durability }) => durability === 'power') ? 'FULL' : 'NORMAL')
      db.exec('BEGIN IMMEDIATE')
      const answers = group.map(attempt)
      db.exec('COMMIT')
      for (const answer of answers) answer()
    } catch (error) {
      // The disk is full, or the file is locked: none of the group is stored.
      if (db.isTransaction) db.exec('ROLLBACK')
      undone(error)
      for (const { reject } of group) reject(error)
      return
    }
    for (const listener of listeners) listener()
  }

  function attempt({ change, resolve, reject }: Waiting): () => void {
    db.exec('SAVEPOINT change')
    try {
      const value = change()
      db.exec('RELEASE change')
      return () => resolve(value)
    } catch (error) {
      db.exec('ROLLBACK TO change; RELEASE change')
      undone(error)
      return () => reject(error)
    }
  }

  function commit<T>(change: () => T, durability: Durability = 'power'): Promise<T> {
    if (closing !== undefined) return Promise.reject(closed())
    return new Promise<T>((resolve, reject) => {
      // The cast pairs this change with its own promise, which the list cannot express.
      const one = { change, durability, resolve: resolve as (value: unknown) => void, reject }
      // Not sooner than the check phase: by then every request that is readable now has joined the group.
      if (waiting.push(one) === 1) setImmediate(flush)
    })
  }

  return {
    commit,
    onCommit: (listener) => void listeners.push(listener),
    close() {
      closing ??= commit(() => undefined).finally(() => db.close())
      return closing
    },
  }
}
