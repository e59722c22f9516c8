// The metadata of all objects: one SQLite file with one writer.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, SQLTagStore } from 'node:sqlite'
import { lockFile } from '../../io/data-lock.ts'
import { GroupCommit, openDatabase } from '../group-commit.ts'
import type { LogFunction } from '../log-line.ts'

// Keys are blobs, so that they sort by their UTF-8 bytes, as S3 lists them, and may contain any character.
const schema = `
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

export class Database {
  readonly sql: SQLTagStore
  /** Runs a change in a transaction that it shares with others, and resolves when it is on disk. */
  readonly write: GroupCommit['commit']
  readonly #commits: GroupCommit
  readonly #lock: DatabaseSync

  constructor(dir: string, log: LogFunction) {
    mkdirSync(dir, { recursive: true })
    // The lock prevents a second process, because its sweep at startup would delete files that this one is writing.
    this.#lock = lockFile(
      join(dir, 'lock.sqlite'),
      `Expected to be the only S3 server on the folder "${dir}", but another process has it open.`,
    )
    const db = openDatabase(join(dir, 'objects.sqlite'), schema)
    this.#commits = new GroupCommit(db, {
      createClosedError: () => new Error('The S3 server is closed.'),
      onFailed: (cause) => log('The S3 server stopped because its disk failed', { cause }),
    })
    this.write = this.#commits.commit
    this.sql = db.createTagStore()
  }

  async close(): Promise<void> {
    try {
      await this.#commits.close()
    } finally {
      if (this.#lock.isOpen) this.#lock.close()
    }
  }
}
