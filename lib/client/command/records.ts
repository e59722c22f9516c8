import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadState } from '../upload.ts'
import { readJson, removeFile, writeJson } from './kept-json.ts'

/** A file as it was when it was looked at last. */
export interface Seen {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

/** How far a piece of work has come: a command that was killed goes on from here when it is called again. */
export interface WorkRecord {
  readonly sources: readonly Seen[]
  /** Sent with the request, so that what was sent before the end is not sent twice. */
  readonly key: string
  readonly upload?: UploadState
  readonly uploadId?: string
  readonly jobId?: string
  readonly output?: Seen
}

export const hashOf = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
const dayMs = 86_400_000

export class Records {
  readonly #folder: string
  readonly #onLost: (reason: unknown) => void
  #isLost = false
  /** What this command has written, by what it was made of. */
  readonly #claims = new Map<string, string>()

  /** @param onLost told once, when nothing can be kept: that is no reason not to convert */
  constructor(folder: string, onLost: (reason: unknown) => void) {
    this.#folder = folder
    this.#onLost = onLost
  }

  #work = (identity: unknown) => join(this.#folder, 'works', `${hashOf(identity)}.json`)
  #output = (path: string) => join(this.#folder, 'outputs', `${hashOf(path)}.json`)
  #keep = async (path: string, value: unknown) => {
    try {
      await writeJson(path, value)
    } catch (reason) {
      if (!this.#isLost) this.#onLost(reason)
      this.#isLost = true
    }
  }

  /** A file that is there while a process makes such a result. */
  held(what: unknown): string {
    return join(this.#folder, 'held', hashOf(what))
  }

  /** Whether nothing else that this command converts has become this file. */
  claim(output: string, { path }: Seen): boolean {
    const source = this.#claims.get(output) ?? path
    this.#claims.set(output, source)
    return source === path
  }

  /** @param identity what is wanted of which files, and of whom */
  async open(identity: unknown, sources: readonly Seen[]): Promise<OpenRecord> {
    const path = this.#work(identity)
    const found = (await readJson(path)) as WorkRecord | undefined // our own file
    const isSame = found !== undefined && JSON.stringify(found.sources) === JSON.stringify(sources)
    const fresh = { sources, key: crypto.randomUUID() }
    return new OpenRecord(path, isSame ? found : fresh, this.#keep)
  }

  /** Whether a command of ours wrote this file, and nobody has changed it since. */
  async isOurs(output: string): Promise<boolean> {
    const seen = await lookAt(output)
    const known = await readJson(this.#output(output))
    return seen !== undefined && JSON.stringify(seen) === JSON.stringify(known)
  }

  async written(output: Seen): Promise<void> {
    await this.#keep(this.#output(output.path), output)
  }

  /** Forgets what nobody has come back to for a month. */
  async sweep(): Promise<void> {
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

export class OpenRecord {
  readonly #path: string
  readonly #keep: (path: string, value: unknown) => Promise<void>
  #now: WorkRecord
  #turn = Promise.resolve()

  constructor(path: string, now: WorkRecord, keep: (path: string, value: unknown) => Promise<void>) {
    this.#path = path
    this.#now = now
    this.#keep = keep
  }

  get now(): WorkRecord {
    return this.#now
  }

  /** One after the other: what is said last stays. */
  add(news: Partial<WorkRecord>): Promise<void> {
    this.#now = { ...this.#now, ...news }
    this.#turn = this.#turn.then(() => this.#keep(this.#path, this.#now))
    return this.#turn
  }

  /** As if nothing had happened yet. */
  async forget(): Promise<void> {
    this.#now = { sources: this.#now.sources, key: crypto.randomUUID() }
    await this.#turn
    await removeFile(this.#path)
  }
}

export async function lookAt(path: string): Promise<Seen | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && { path, size: found.size, mtimeMs: found.mtimeMs }
}
