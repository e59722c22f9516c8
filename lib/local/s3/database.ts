// Metadata of all objects: one SQLite file, one writer, commits shared by the changes of one turn of the loop.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLTagStore } from 'node:sqlite'

// Keys are blobs so that they sort by their UTF-8 bytes, as S3 lists them, and may hold any character.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS bucket (name TEXT PRIMARY KEY, created INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS setting (
    bucket TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (bucket, kind)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS object (
    id INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, key BLOB NOT NULL, size INTEGER NOT NULL,
    etag TEXT NOT NULL, modified INTEGER NOT NULL, headers TEXT NOT NULL, tags TEXT NOT NULL,
    checksum TEXT NOT NULL, parts INTEGER NOT NULL, UNIQUE (bucket, key));
  CREATE TABLE IF NOT EXISTS segment (
    object INTEGER NOT NULL, number INTEGER NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL,
    checksum TEXT NOT NULL, PRIMARY KEY (object, number)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS segment_by_blob ON segment (blob);
  CREATE TABLE IF NOT EXISTS upload (
    id TEXT PRIMARY KEY, bucket TEXT NOT NULL, key BLOB NOT NULL, initiated INTEGER NOT NULL,
    headers TEXT NOT NULL, tags TEXT NOT NULL, algorithm TEXT, type TEXT, completed TEXT) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS upload_by_key ON upload (bucket, key, id);
  CREATE TABLE IF NOT EXISTS part (
    upload TEXT NOT NULL, number INTEGER NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL,
    etag TEXT NOT NULL, checksum TEXT NOT NULL, modified INTEGER NOT NULL,
    PRIMARY KEY (upload, number)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS part_by_blob ON part (blob);
  CREATE TABLE IF NOT EXISTS event (
    id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, body TEXT NOT NULL, created INTEGER NOT NULL);
`

interface Change {
  readonly run: () => void
  readonly committed: () => void
  readonly failed: (cause: unknown) => void
}

export class Database {
  readonly sql: SQLTagStore
  readonly #db: DatabaseSync
  readonly #lock: DatabaseSync
  #waiting: Change[] = []

  constructor(dir: string) {
    mkdirSync(dir, { recursive: true })
    // The start-up sweep would delete the files that another process is just writing.
    this.#lock = lock(join(dir, 'lock.sqlite'), dir)
    this.#db = new DatabaseSync(join(dir, 'objects.sqlite'))
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000')
    this.#db.exec(SCHEMA)
    this.sql = this.#db.createTagStore()
  }

  /**
   * Runs a change and resolves when it is on disk. Changes that come in the same turn share one commit and its
   * fsync; each stands in a savepoint of its own, so one that throws leaves no trace and harms no other.
   */
  write<T>(change: () => T): Promise<T> {
    if (!this.#db.isOpen) return Promise.reject(new Error('The S3 server is closed.'))
    return new Promise((resolve, reject) => {
      let result: T
      if (this.#waiting.length === 0) setImmediate(() => this.#commit())
      this.#waiting.push({
        run: () => {
          result = change()
        },
        committed: () => resolve(result),
        failed: reject,
      })
    })
  }

  #commit(): void {
    const changes = this.#waiting
    this.#waiting = []
    if (changes.length === 0) return
    const settled: (() => void)[] = []
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      for (const change of changes) settled.push(this.#attempt(change))
      this.#db.exec('COMMIT')
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      for (const change of changes) change.failed(cause)
      return
    }
    for (const settle of settled) settle()
  }

  #attempt(change: Change): () => void {
    this.#db.exec('SAVEPOINT change')
    try {
      change.run()
      return change.committed
    } catch (cause) {
      this.#db.exec('ROLLBACK TO change')
      return () => change.failed(cause)
    } finally {
      this.#db.exec('RELEASE change')
    }
  }

  close(): void {
    if (!this.#db.isOpen) return
    this.#commit()
    this.#db.close()
    this.#lock.close()
  }
}

/** SQLite's own file lock, held open: the kernel drops it with the process, however that ends. */
function lock(file: string, dir: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    throw new Error(
      `Expected to be the only S3 server on the folder "${dir}", but another process has it open.`,
      {
        cause,
      },
    )
  }
  return db
}
