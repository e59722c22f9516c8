// Data of the event bus: documents (buses and rules), cached in memory, and the outbox of pending deliveries.

import { GroupCommit, openDatabase } from '../group-commit.ts'
import type { LogFunction } from '../log-line.ts'
import { ApiError } from '../signed-api.ts'
import { type Outbox, openOutbox } from './outbox.ts'

const kinds = ['bus', 'rule'] as const
type Kind = (typeof kinds)[number]

interface Collection<T> {
  get(key: string): T | undefined
  values(): Iterable<T>
  /** Returns all documents, sorted by key. */
  list(): T[]
  /**
   * Stores a document. `dueAt`, in milliseconds, is when the document has to be processed. Call only inside `commit`.
   */
  put(key: string, document: T, dueAt?: number): void
  /** Replaces an existing document without changing its due time. Call only inside `commit`. */
  update(key: string, document: T): void
  delete(key: string): void
}

export interface EventsStore extends Pick<GroupCommit, 'commit' | 'onCommit' | 'close'> {
  collection<T>(kind: Kind): Collection<T>
  readonly outbox: Outbox
  /** Returns the due documents, oldest first. */
  listDueDocuments(now: number): { readonly kind: Kind; readonly key: string; readonly dueAt: number }[]
  getNextDue(): number | undefined
}

const schema = `
  CREATE TABLE IF NOT EXISTS document (kind TEXT, key TEXT, json TEXT NOT NULL, due INTEGER, PRIMARY KEY (kind, key)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS document_due ON document (due) WHERE due IS NOT NULL;
  CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, due INTEGER NOT NULL, json TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS outbox_due ON outbox (due, id, target);
  -- Earlier versions also stored schedules.
  DELETE FROM document WHERE kind NOT IN ('bus', 'rule');
`

export function openEventsStore(file: string, log: LogFunction): EventsStore {
  const db = openDatabase(file, schema)
  const collections = new Map<Kind, Map<string, unknown>>()
  const load = () => {
    for (const kind of kinds) collections.set(kind, new Map())
    for (const row of db.prepare('SELECT kind, key, json FROM document ORDER BY key').iterate())
      collections.get(row.kind as Kind)?.set(String(row.key), JSON.parse(String(row.json))) // written with a kind
  }
  load()

  const putRow = db.prepare('INSERT OR REPLACE INTO document (kind, key, json, due) VALUES (?, ?, ?, ?)')
  const updateRow = db.prepare('UPDATE document SET json = ? WHERE kind = ? AND key = ?')
  const deleteRow = db.prepare('DELETE FROM document WHERE kind = ? AND key = ?')
  const selectDueRows = db.prepare(
    'SELECT kind, key, due FROM document WHERE due <= ? ORDER BY due LIMIT 100',
  )
  const selectFirstDue = db.prepare('SELECT min(due) AS due FROM document WHERE due IS NOT NULL')
  const commits = new GroupCommit(db, {
    createClosedError: () => new Error('The store of the event bus is closed.'),
    // A refusal is thrown before any write; after another error, documents in memory may differ from the file.
    onUndone: (error) => {
      if (!(error instanceof ApiError)) load()
    },
    onFailed: (error) => log('The event bus stopped because its disk failed.', { error }),
  })

  return {
    ...commits,
    collection<T>(kind: Kind): Collection<T> {
      // Only one module writes the documents of a kind, with the type that it reads.
      const documents = () => collections.get(kind) as Map<string, T>
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
    listDueDocuments: (now) =>
      selectDueRows
        .all(now)
        // The kind is valid, because rows are only written with a valid kind.
        .map((row) => ({ kind: row.kind as Kind, key: String(row.key), dueAt: Number(row.due) })),
    // SQLite returns null when there is none.
    getNextDue: () => (selectFirstDue.get()?.due ?? undefined) as number | undefined,
  }
}
