// The one SQLite file behind the queues, and the group commit that makes durable writes cheap.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { SqsError } from './errors.ts'

// Bodies stand apart: SQLite writes a whole row anew when a column changes, and every receive changes a message.
const schema = `
CREATE TABLE IF NOT EXISTS queues (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  attributes TEXT NOT NULL,
  tags TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  purged_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS deleted_queues (name TEXT PRIMARY KEY, deleted_at INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  queue_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  group_id TEXT,
  dedup_id TEXT,
  sent_at INTEGER NOT NULL,
  enqueued_at INTEGER NOT NULL,
  visible_at INTEGER NOT NULL,
  received INTEGER NOT NULL DEFAULT 0,
  received_before INTEGER NOT NULL DEFAULT 0,
  first_received_at INTEGER,
  received_at INTEGER,
  receipt INTEGER,
  source_arn TEXT
) STRICT;
-- The group is in it so that a FIFO queue finds the groups of a long backlog without reading its messages.
CREATE INDEX IF NOT EXISTS messages_by_visibility ON messages (queue_id, visible_at, seq, group_id);
CREATE INDEX IF NOT EXISTS messages_by_arrival ON messages (queue_id, enqueued_at);
CREATE INDEX IF NOT EXISTS messages_by_group ON messages (queue_id, group_id, enqueued_at)
  WHERE group_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS bodies (
  seq INTEGER PRIMARY KEY,
  body TEXT NOT NULL,
  attributes TEXT NOT NULL,
  trace TEXT,
  sender TEXT NOT NULL
) STRICT;
CREATE TRIGGER IF NOT EXISTS message_deleted AFTER DELETE ON messages BEGIN
  DELETE FROM bodies WHERE seq = old.seq;
END;
CREATE TABLE IF NOT EXISTS dedup (
  queue_id INTEGER NOT NULL,
  scope TEXT NOT NULL,
  dedup_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (queue_id, scope, dedup_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS dedup_by_age ON dedup (at);
CREATE TABLE IF NOT EXISTS attempts (
  queue_id INTEGER NOT NULL,
  attempt_id TEXT NOT NULL,
  taken TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (queue_id, attempt_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS move_tasks (
  id TEXT PRIMARY KEY,
  source_arn TEXT NOT NULL,
  destination_arn TEXT,
  per_second INTEGER,
  status TEXT NOT NULL,
  moved INTEGER NOT NULL DEFAULT 0,
  to_move INTEGER NOT NULL,
  failure TEXT,
  started_at INTEGER NOT NULL
) STRICT;
PRAGMA user_version = 1;
`

export interface Statement<Row> {
  get(...values: SQLInputValue[]): Row | undefined
  all(...values: SQLInputValue[]): Row[]
  iterate(...values: SQLInputValue[]): IterableIterator<Row>
  /** Runs it; tells how many rows changed and the last row id. */
  run(...values: SQLInputValue[]): { changes: number; lastId: number }
}

export interface Store {
  prepare<Row>(sql: string): Statement<Row>
  /**
   * Runs `work` inside the next transaction, together with all work that arrived meanwhile, and resolves after
   * the fsync, where one of them asks for it. What `work` wrote is undone when it throws; the others of the group are not affected.
   */
  commit<T>(work: () => T, durability?: Durability): Promise<T>
  /** Says that messages of a queue came, went or changed; whoever waits hears of it after the commit. */
  touched(queueId: number): void
  onTouched(listener: (queueId: number) => void): void
  /** Calls back when a whole group was lost (disk full): whatever was cached must be read again. */
  onLost(reload: () => void): void
  close(): Promise<void>
}

/**
 * What a change outlives: the loss of `power`, or only of the `process`. The latter saves an fsync, and serves
 * receipts and deletions: a message that comes once more is what SQS promises anyway.
 */
export type Durability = 'power' | 'process'

interface Job {
  readonly durability: Durability
  readonly work: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export function openStore(file: string): Store {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;')
  db.exec(schema)
  const reloads: (() => void)[] = []
  const listeners: ((queueId: number) => void)[] = []
  const touched = new Set<number>()
  let synchronous = 'FULL'
  let waiting: Job[] = []
  let closing: Promise<void> | undefined

  /** In a write-ahead log NORMAL leaves the fsync to the next checkpoint or FULL commit. */
  function synchronize(level: 'FULL' | 'NORMAL') {
    if (level !== synchronous) db.exec(`PRAGMA synchronous = ${level}`)
    synchronous = level
  }

  function flush() {
    const jobs = waiting
    waiting = []
    const settle = commitAll(jobs)
    for (const one of settle) one()
    if (settle.length === 0) return
    for (const queueId of touched) for (const listener of listeners) listener(queueId)
    touched.clear()
  }

  /** One transaction; what it returns answers the jobs. None when the whole group was lost. */
  function commitAll(jobs: readonly Job[]): (() => void)[] {
    try {
      synchronize(jobs.some(({ durability }) => durability === 'power') ? 'FULL' : 'NORMAL')
      db.exec('BEGIN')
      const settle = jobs.map(attempt)
      db.exec('COMMIT')
      return settle
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      for (const reload of reloads) reload()
      for (const job of jobs) job.reject(error)
      return []
    }
  }

  function attempt({ work, resolve, reject }: Job): () => void {
    db.exec('SAVEPOINT job')
    try {
      const value = work()
      db.exec('RELEASE job')
      return () => resolve(value)
    } catch (error) {
      db.exec('ROLLBACK TO job; RELEASE job')
      return () => reject(error)
    }
  }

  function commit<T>(work: () => T, durability: Durability = 'power'): Promise<T> {
    if (closing !== undefined)
      return Promise.reject(new SqsError('ServiceUnavailable', 'The service is shutting down.'))
    return new Promise<T>((resolve, reject) => {
      // The cast pairs this job's own work with its own promise, which the list cannot express.
      const job: Job = { work, durability, resolve: resolve as (value: unknown) => void, reject }
      // Not sooner than the check phase: by then every request that is readable now has joined the group.
      if (waiting.push(job) === 1) setImmediate(flush)
    })
  }

  return {
    commit,
    touched: (queueId) => touched.add(queueId),
    onTouched: (listener) => listeners.push(listener),
    onLost: (reload) => reloads.push(reload),
    prepare<Row>(sql: string): Statement<Row> {
      const statement = db.prepare(sql)
      // The tables are STRICT, so a row has the types that the caller names.
      return {
        get: (...values) => statement.get(...values) as Row | undefined,
        all: (...values) => statement.all(...values) as Row[],
        iterate: (...values) => statement.iterate(...values) as IterableIterator<Row>,
        run(...values) {
          const { changes, lastInsertRowid } = statement.run(...values)
          return { changes: Number(changes), lastId: Number(lastInsertRowid) }
        },
      }
    },
    close() {
      closing ??= commit(() => undefined).finally(() => db.close())
      return closing
    },
  }
}
