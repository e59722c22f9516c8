// The SQLite file of all queues.
import type { SQLInputValue } from 'node:sqlite'
import { GroupCommit, openDatabase } from '../group-commit.ts'
import { SqsError } from './errors.ts'

// Bodies have a separate table: each receive changes a message's row, which SQLite then rewrites as a whole.
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

interface Statement<Row> {
  get(...values: SQLInputValue[]): Row | undefined
  all(...values: SQLInputValue[]): Row[]
  iterate(...values: SQLInputValue[]): IterableIterator<Row>
  /** Runs the statement; returns the number of changed rows and the last row id. */
  run(...values: SQLInputValue[]): { changes: number; lastId: number }
}

export interface SqsStore extends Pick<GroupCommit, 'commit' | 'close'> {
  prepare<Row>(sql: string): Statement<Row>
  /** Marks a queue whose messages changed; listeners are called after the commit. */
  markChanged(queueId: number): void
  onChange(listener: (queueId: number) => void): void
  /** Registers a function to call after an unexpected rollback, such as on a full disk: caches must be reloaded. */
  onRollback(reload: () => void): void
}

export function openSqsStore(file: string, onFailed?: (error: Error) => void): SqsStore {
  const db = openDatabase(file, schema)
  const reloads: (() => void)[] = []
  const listeners: ((queueId: number) => void)[] = []
  const changedQueues = new Set<number>()
  const { commit, onCommit, close } = new GroupCommit(db, {
    createClosedError: () => new SqsError('ServiceUnavailable', 'The service is shutting down.'),
    onUndone: (error) => {
      // An SqsError is thrown before anything is written, so caches stay valid.
      if (!(error instanceof SqsError)) for (const reload of reloads) reload()
    },
    ...(onFailed && { onFailed }),
  })
  onCommit(() => {
    for (const queueId of changedQueues) for (const listener of listeners) listener(queueId)
    changedQueues.clear()
  })

  return {
    commit,
    close,
    markChanged: (queueId) => changedQueues.add(queueId),
    onChange: (listener) => listeners.push(listener),
    onRollback: (reload) => reloads.push(reload),
    prepare<Row>(sql: string): Statement<Row> {
      const statement = db.prepare(sql)
      // The tables are STRICT, so a row has the types that the caller declares.
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
  }
}
