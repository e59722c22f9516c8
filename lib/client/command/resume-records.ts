import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadState } from '../upload.ts'
import { readJson, removeFile, writeJson } from './json-files.ts'

/** A file as it was when it was looked at last. */
export interface FileSnapshot {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

/** How far a piece of work has come: a command that was killed goes on from here when it is called again. */
export interface ResumeRecord {
  readonly sources: readonly FileSnapshot[]
  /** Sent with the request, so that what was sent before the end is not sent twice. */
  readonly key: string
  readonly upload?: UploadState
  readonly uploadId?: string
  readonly jobId?: string
  readonly output?: FileSnapshot
}

export const shortHash = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
const dayMs = 86_400_000

export class ResumeRecords {
  readonly #folder: string
  readonly #onWriteFailure: (reason: unknown) => void
  #hasFailed = false
  /** What this command has written, by what it was made of. */
  readonly #claims = new Map<string, string>()

  /** @param onWriteFailure told once, when nothing can be kept: that is no reason not to convert */
  constructor(folder: string, onWriteFailure: (reason: unknown) => void) {
    this.#folder = folder
    this.#onWriteFailure = onWriteFailure
  }

  #workPath = (identity: unknown) => join(this.#folder, 'works', `${shortHash(identity)}.json`)
  #outputPath = (path: string) => join(this.#folder, 'outputs', `${shortHash(path)}.json`)
  #save = async (path: string, value: unknown) => {
    try {
      await writeJson(path, value)
    } catch (reason) {
      if (!this.#hasFailed) this.#onWriteFailure(reason)
      this.#hasFailed = true
    }
  }

  /** A file that is there while a process makes such a result. */
  lockPath(identity: unknown): string {
    return join(this.#folder, 'held', shortHash(identity))
  }

  /** Whether nothing else that this command converts has become this file. */
  claimOutput(output: string, { path }: FileSnapshot): boolean {
    const source = this.#claims.get(output) ?? path
    this.#claims.set(output, source)
    return source === path
  }

  /** @param identity what is wanted of which files, and of whom */
  async open(identity: unknown, sources: readonly FileSnapshot[]): Promise<StoredRecord> {
    const path = this.#workPath(identity)
    const found = (await readJson(path)) as ResumeRecord | undefined // our own file
    const isSame = found !== undefined && JSON.stringify(found.sources) === JSON.stringify(sources)
    const fresh = { sources, key: crypto.randomUUID() }
    return new StoredRecord(path, isSame ? found : fresh, this.#save)
  }

  /** Whether a command of ours wrote this file, and nobody has changed it since. */
  async isOwnOutput(output: string): Promise<boolean> {
    const snapshot = await snapshotOf(output)
    const stored = await readJson(this.#outputPath(output))
    return snapshot !== undefined && JSON.stringify(snapshot) === JSON.stringify(stored)
  }

  async recordOutput(output: FileSnapshot): Promise<void> {
    await this.#save(this.#outputPath(output.path), output)
  }

  /** Forgets what nobody has come back to for a month. */
  async removeExpired(): Promise<void> {
    for (const kind of ['works', 'outputs', 'held']) {
      const folder = join(this.#folder, kind)
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

  /** One after the other: what is said last stays. */
  update(changes: Partial<ResumeRecord>): Promise<void> {
    this.#current = { ...this.#current, ...changes }
    this.#lastWrite = this.#lastWrite.then(() => this.#save(this.#path, this.#current))
    return this.#lastWrite
  }

  /** As if nothing had happened yet. */
  async reset(): Promise<void> {
    this.#current = { sources: this.#current.sources, key: crypto.randomUUID() }
    await this.#lastWrite
    await removeFile(this.#path)
  }
}

export async function snapshotOf(path: string): Promise<FileSnapshot | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && { path, size: found.size, mtimeMs: found.mtimeMs }
}
