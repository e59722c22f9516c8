import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadState } from '../upload.ts'
import { readJson, removeFile, writeJson } from './json-files.ts'

/** Size and modification time of a file, to detect changes. */
export interface FileSnapshot {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

/** Progress of a work item. If a command was killed, running it again resumes from here. */
interface ResumeRecord {
  readonly sources: readonly FileSnapshot[]
  /** Idempotency key, which prevents a request that was sent before a crash from creating a second job. */
  readonly key: string
  readonly upload?: UploadState
  readonly uploadId?: string
  readonly jobId?: string
  readonly output?: FileSnapshot
}

export const computeShortHash = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
const dayMs = 86_400_000

export class ResumeRecords {
  readonly #folder: string
  readonly #onWriteFailure: (reason: unknown) => void
  #hasFailed = false
  /** The source of each output path that this command writes. */
  readonly #claims = new Map<string, string>()

  /** @param onWriteFailure called once if records cannot be saved; conversions continue without them */
  constructor(folder: string, onWriteFailure: (reason: unknown) => void) {
    this.#folder = folder
    this.#onWriteFailure = onWriteFailure
  }

  #workPath = (identity: unknown) => join(this.#folder, 'works', `${computeShortHash(identity)}.json`)
  #outputPath = (path: string) => join(this.#folder, 'outputs', `${computeShortHash(path)}.json`)
  #save = async (path: string, value: unknown) => {
    try {
      await writeJson(path, value)
    } catch (reason) {
      if (!this.#hasFailed) this.#onWriteFailure(reason)
      this.#hasFailed = true
    }
  }

  /** Returns the path of the lock file that exists while a process creates this result. */
  getLockPath(identity: unknown): string {
    return join(this.#folder, 'held', computeShortHash(identity))
  }

  /** Claims an output path. Returns false if it belongs to another source of this command. */
  claimOutput(output: string, { path }: FileSnapshot): boolean {
    const source = this.#claims.get(output) ?? path
    this.#claims.set(output, source)
    return source === path
  }

  /** Opens the record of a work item. @param identity the service, the request, its sources and its output */
  async open(identity: unknown, sources: readonly FileSnapshot[]): Promise<StoredRecord> {
    const path = this.#workPath(identity)
    const foundRecord = (await readJson(path)) as ResumeRecord | undefined // only written by this class
    const isSame =
      foundRecord !== undefined && JSON.stringify(foundRecord.sources) === JSON.stringify(sources)
    const freshRecord = { sources, key: crypto.randomUUID() }
    return new StoredRecord(path, isSame ? foundRecord : freshRecord, this.#save)
  }

  /** Whether this program wrote the file and it has not changed since. */
  async isOwnOutput(output: string): Promise<boolean> {
    const snapshot = await readSnapshot(output)
    const storedOutput = await readJson(this.#outputPath(output))
    return snapshot !== undefined && JSON.stringify(snapshot) === JSON.stringify(storedOutput)
  }

  async recordOutput(output: FileSnapshot): Promise<void> {
    await this.#save(this.#outputPath(output.path), output)
  }

  /** Deletes records that are older than 30 days. */
  async removeExpired(): Promise<void> {
    for (const subfolder of ['works', 'outputs', 'held']) {
      const folder = join(this.#folder, subfolder)
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name)
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
        if (Date.now() - mtimeMs > 30 * dayMs) await removeFile(path)
      }
    }
  }
}

export class StoredRecord {
  readonly #path: string
  readonly #save: (path: string, value: unknown) => Promise<void>
  #current: ResumeRecord
  #lastWrite = Promise.resolve()

  constructor(path: string, current: ResumeRecord, save: (path: string, value: unknown) => Promise<void>) {
    this.#path = path
    this.#current = current
    this.#save = save
  }

  get current(): ResumeRecord {
    return this.#current
  }

  /** Changes the record. Writes are queued, so that the last update wins. */
  update(changes: Partial<ResumeRecord>): Promise<void> {
    this.#current = { ...this.#current, ...changes }
    this.#lastWrite = this.#lastWrite.then(() => this.#save(this.#path, this.#current))
    return this.#lastWrite
  }

  /** Deletes the record and starts over with a new idempotency key. */
  async reset(): Promise<void> {
    this.#current = { sources: this.#current.sources, key: crypto.randomUUID() }
    await this.#lastWrite
    await removeFile(this.#path)
  }
}

export async function readSnapshot(path: string): Promise<FileSnapshot | undefined> {
  const stats = await stat(path).catch(() => undefined)
  return stats && { path, size: stats.size, mtimeMs: stats.mtimeMs }
}
