// What the event bus and the scheduler remember: documents (buses, rules, groups, schedules) held in memory and
// written through, and the outbox of deliveries that are owed to targets.
import { DatabaseSync } from 'node:sqlite'
import { AwsError } from './aws-error.ts'
import type { Delivery } from './delivery.ts'

const kinds = ['bus', 'rule', 'group', 'schedule', 'token'] as const
export type Kind = (typeof kinds)[number]

export interface Shelf<T> {
  get(key: string): T | undefined
  values(): Iterable<T>
  /** All documents, sorted by key. */
  list(): T[]
  /** `dueAt` (milliseconds) is when the clock has to look at the document. Only inside `commit`. */
  put(key: string, document: T, dueAt?: number): void
  /** Replaces a document that is there and leaves when it is due. Only inside `commit`. */
  update(key: string, document: T): void
  delete(key: string): void
}

export interface Outbox {
  add(delivery: Delivery, dueAt: number): void
  update(id: number, delivery: Delivery, dueAt: number): void
  remove(id: number): void
  read(id: number): Delivery
  /** Ids of what is due, the oldest first, without those of the targets named. */
  due(now: number, without: readonly string[]): Iterable<{ readonly id: number; readonly target: string }>
  /** When the first delivery after `now` is due. */
  nextAfter(now: number): number | undefined
}

/**
 * What a change outlives: the loss of `power`, or only of the `process`. The latter saves an fsync, and serves where
 * a change that is forgotten is made again, as the removal of a delivery that then is delivered twice.
 */
export type Durability = 'power' | 'process'

export interface Store {
  shelf<T>(kind: Kind): Shelf<T>
  readonly outbox: Outbox
  /** The documents whose time has come, the oldest first. */
  dueDocuments(now: number): { readonly kind: Kind; readonly key: string; readonly dueAt: number }[]
  nextDue(): number | undefined
  /** Resolves once the change is on disk. Changes of one turn of the event loop share one fsync. */
  commit<T>(change: () => T, durability?: Durability): Promise<T>
  onCommit(listener: () => void): void
  close(): Promise<void>
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS document (kind TEXT, key TEXT, json TEXT NOT NULL, due INTEGER, PRIMARY KEY (kind, key)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS document_due ON document (due) WHERE due IS NOT NULL;
  CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, due INTEGER NOT NULL, json TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS outbox_due ON outbox (due, id, target);
`

export function openStore(file: string): Store {
  // A backup that reads the file may hold it for a moment.
  const db = new DatabaseSync(file, { timeout: 5000 })
  db.exec(schema)
  const shelves = new Map<Kind, Map<string, unknown>>()
  const load = () => {
    for (const kind of kinds) shelves.set(kind, new Map())
    for (const row of db.prepare('SELECT kind, key, json FROM document ORDER BY key').iterate())
      shelves.get(row.kind as Kind)?.set(String(row.key), JSON.parse(String(row.json)))
  }
  load()

  const putRow = db.prepare('INSERT OR REPLACE INTO document (kind, key, json, due) VALUES (?, ?, ?, ?)')
  const updateRow = db.prepare('UPDATE document SET json = ? WHERE kind = ? AND key = ?')
  const deleteRow = db.prepare('DELETE FROM document WHERE kind = ? AND key = ?')
  const dueRows = db.prepare('SELECT kind, key, due FROM document WHERE due <= ? ORDER BY due LIMIT 100')
  const firstDue = db.prepare('SELECT min(due) AS due FROM document WHERE due IS NOT NULL')
  const { commit, onCommit, drain } = groupCommits(db, load)

  return {
    shelf<T>(kind: Kind): Shelf<T> {
      // The documents of a kind are written by one module only, as the type that it reads them with.
      const documents = () => shelves.get(kind) as Map<string, T>
      return {
        get: (key) => documents().get(key),
        values: () => documents().values(),
        list: () => [...documents()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, document]) => document),
        put(key, document, dueAt) {
          putRow.run(kind, key, JSON.stringify(document), dueAt ?? null)
          documents().set(key, document)
        },
        update(key, document) {
          updateRow.run(JSON.stringify(document), kind, key)
          documents().set(key, document)
        },
        delete(key) {
          deleteRow.run(kind, key)
          documents().delete(key)
        },
      }
    },
    outbox: openOutbox(db),
    dueDocuments: (now) =>
      dueRows
        .all(now)
        .map((row) => ({ kind: row.kind as Kind, key: String(row.key), dueAt: Number(row.due) })),
    nextDue: () => optionalNumber(firstDue.get()?.due),
    commit,
    onCommit,
    async close() {
      await drain()
      db.close()
    },
  }
}

function openOutbox(db: DatabaseSync): Outbox {
  const add = db.prepare('INSERT INTO outbox (target, due, json) VALUES (?, ?, ?)')
  const update = db.prepare('UPDATE outbox SET due = ?, json = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM outbox WHERE id = ?')
  const read = db.prepare('SELECT json FROM outbox WHERE id = ?')
  const due = db.prepare(
    'SELECT id, target FROM outbox WHERE due <= ? AND target NOT IN (SELECT value FROM json_each(?)) ORDER BY due, id',
  )
  const next = db.prepare('SELECT min(due) AS due FROM outbox WHERE due > ?')
  return {
    add: (delivery, dueAt) => void add.run(delivery.targetArn, dueAt, JSON.stringify(delivery)),
    update: (id, delivery, dueAt) => void update.run(dueAt, JSON.stringify(delivery), id),
    remove: (id) => void remove.run(id),
    read: (id) => JSON.parse(String(read.get(id)?.json)) as Delivery,
    *due(now, without) {
      for (const row of due.iterate(now, JSON.stringify(without)))
        yield { id: Number(row.id), target: String(row.target) }
    },
    nextAfter: (now) => optionalNumber(next.get(now)?.due),
  }
}

const optionalNumber = (value: unknown) => (value === null || value === undefined ? undefined : Number(value))

/**
 * An fsync costs more than the change itself, so the changes that arrive together share one transaction. A change
 * that AWS's rules refuse checks before it writes and fails alone; anything else undoes the whole group.
 */
function groupCommits(db: DatabaseSync, reload: () => void) {
  interface Waiting {
    /** Makes the change; what it returns is called when the change is on disk. */
    readonly change: () => () => void
    readonly refuse: (error: unknown) => void
    readonly durability: Durability
  }
  let synchronous = 'FULL'
  let waiting: Waiting[] = []
  let flushed: Promise<void> = Promise.resolve()
  let closed = false
  const listeners: (() => void)[] = []

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
      const answers = group.map(({ change }) => change())
      db.exec('COMMIT')
      for (const answer of answers) answer()
    } catch (error) {
      for (const { refuse } of group) refuse(error)
      if (db.isTransaction) db.exec('ROLLBACK')
      reload()
      return
    }
    for (const listener of listeners) listener()
  }

  return {
    commit<T>(change: () => T, durability: Durability = 'power'): Promise<T> {
      return new Promise((resolve, reject) => {
        if (closed) return reject(new Error('The store of the event bus is closed.'))
        if (waiting.length === 0)
          flushed = new Promise((done, failed) => {
            setImmediate(() => {
              try {
                flush()
                done()
              } catch (error) {
                failed(error)
              }
            })
          })
        waiting.push({ refuse: reject, durability, change: () => settle(change, resolve, reject) })
      })
    },
    onCommit: (listener: () => void) => void listeners.push(listener),
    drain() {
      closed = true
      return flushed
    },
  }
}

function settle<T>(
  change: () => T,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const result = change()
    return () => resolve(result)
  } catch (error) {
    if (error instanceof AwsError) return () => reject(error)
    throw error
  }
}
