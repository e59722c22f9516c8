// Takes a consistent copy of a data folder while the service keeps writing to it.
import { copyFileSync, linkSync, mkdirSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { getBlobPath, listBlobs, s3BlobsPath, s3DatabasePath } from './s3-files.ts'

/** Time to wait for a lock, which is longer than any commit of the servers takes. */
const lockTimeoutMs = 5000
const allPagesAtOnce = 2 ** 30

export interface Snapshot {
  /** Number of copied databases. */
  readonly databases: number
  /** Number of other files. */
  readonly files: number
}

/**
 * Copies databases and links files of `dataDir` into `target`, which has to be on the same file system. While the
 * snapshots begin, S3's database is locked against writers, so that no file that a row refers to is deleted and all
 * databases are consistent with each other. The lock lasts milliseconds, because most files are linked before it is
 * taken.
 */
export async function takeSnapshot(dataDir: string, target: string, signal: AbortSignal): Promise<Snapshot> {
  const foundFiles = await listFiles(dataDir)
  for (const file of [...foundFiles.databases, ...foundFiles.files])
    mkdirSync(dirname(join(target, file)), { recursive: true, mode: 0o700 })
  for (const file of foundFiles.files) linkIfExists(join(dataDir, file), join(target, file))
  const blobs = new BlobLinks(dataDir, target)
  const readers = new Map(foundFiles.databases.map((file) => [file, openReader(join(dataDir, file))]))
  try {
    const s3 = readers.get(s3DatabasePath)
    if (s3) blobs.link(s3)
    const lock = s3 && lockWriters(join(dataDir, s3DatabasePath))
    try {
      // A read transaction sees the same snapshot for as long as it lasts.
      for (const reader of readers.values()) reader.exec('BEGIN; SELECT 1 FROM sqlite_schema')
      if (s3) blobs.link(s3)
    } finally {
      lock?.close()
    }
    for (const [file, reader] of readers) {
      signal.throwIfAborted()
      await backup(reader, join(target, file), { rate: allPagesAtOnce })
    }
    if (s3) await blobs.removeDeleted(s3)
  } finally {
    for (const reader of readers.values()) reader.close()
  }
  return { databases: readers.size, files: foundFiles.files.length + blobs.size }
}

/**
 * Whether a backup leaves out a file: a file that the service creates again when it starts, a file of a running
 * process, a log, or a damaged file that was set aside.
 */
const isExcluded = (name: string) =>
  name === 'lock.sqlite' ||
  name.startsWith('.') ||
  /(-wal|-shm|-journal|\.new)$|\.log(\.|$)|\.damaged-/.test(name)

/** Lists all files that are not excluded, so that files of later versions are saved too. */
async function listFiles(dataDir: string): Promise<{ databases: string[]; files: string[] }> {
  const databases: string[] = []
  const files: string[] = []
  async function walk(folder: string): Promise<void> {
    for (const entry of await readdir(join(dataDir, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (isExcluded(entry.name) || path === 'work' || path === s3BlobsPath) continue
      if (entry.isDirectory()) await walk(path)
      else if (entry.isFile()) (path.endsWith('.sqlite') ? databases : files).push(path)
    }
  }
  await walk('')
  return { databases, files }
}

function openReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: lockTimeoutMs })
  database.exec('PRAGMA query_only = TRUE')
  return database
}

/** Returns a connection that blocks commits of other connections until it is closed; they can still read. */
function lockWriters(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: lockTimeoutMs })
  database.exec('BEGIN IMMEDIATE')
  return database
}

/** Links to the bytes of S3's objects, which are files that never change, with names that are never reused. */
class BlobLinks {
  readonly #dataDir: string
  readonly #target: string
  readonly #linkedBlobs = new Set<string>()

  constructor(dataDir: string, target: string) {
    this.#dataDir = dataDir
    this.#target = target
  }

  get size(): number {
    return this.#linkedBlobs.size
  }

  /** Links the files to which the database refers and that are not linked yet. A file may be deleted meanwhile. */
  link(database: DatabaseSync): void {
    for (const { blobId: blob } of listBlobs(database)) {
      if (this.#linkedBlobs.has(blob)) continue
      const path = join(this.#target, getBlobPath(blob))
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      if (linkIfExists(join(this.#dataDir, getBlobPath(blob)), path)) this.#linkedBlobs.add(blob)
    }
  }

  /** Removes files of objects that were deleted between the first pass and the snapshot. */
  async removeDeleted(database: DatabaseSync): Promise<void> {
    const deletedBlobs = new Set(this.#linkedBlobs)
    for (const { blobId: blob } of listBlobs(database)) deletedBlobs.delete(blob)
    for (const blob of deletedBlobs) {
      await rm(join(this.#target, getBlobPath(blob)))
      this.#linkedBlobs.delete(blob)
    }
  }
}

/** Links a file; returns false if it no longer exists. Copies its bytes if the file system cannot create the link. */
function linkIfExists(from: string, to: string): boolean {
  try {
    try {
      linkSync(from, to)
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') throw error
      copyFileSync(from, to)
    }
    return true
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return false
    throw error
  }
}

const getErrorCode = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)
