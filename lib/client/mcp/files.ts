import { createWriteStream } from 'node:fs'
import { lstat, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileBlob } from '../command/file-blob.ts'
import { localName } from '../command/local-name.ts'
import { MutaborError } from '../failure.ts'
import type { Source } from '../request-body.ts'
import type { Result, ResultFile } from '../result.ts'

/** Bytes of a file that an agent may send, and of a result that it may read at once. */
export const limits = { file: 500 * 1024 ** 2, resource: 5 * 1024 ** 2, textLength: 50_000 } as const

const refused = (code: MutaborError['code'], message: string) => new MutaborError(code, message)

function requireSize(name: string, size: number): void {
  if (size > limits.file)
    throw refused(
      'FILE_TOO_LARGE',
      `${name} has ${size} bytes; at most ${limits.file} are taken from an agent.`,
    )
}

/** What agents name files by: paths below a folder where they may, addresses, and results of this server. */
export class AgentFiles {
  /** Undefined of those who call from elsewhere: they reach no files here. */
  readonly #root: string | undefined
  readonly #results = new Map<string, { result: Result; file: ResultFile }>()
  /** Files that this server wrote: it may write them anew. */
  readonly #written = new Set<string>()

  constructor(root: string | undefined) {
    this.#root = root
  }

  async open(given: unknown): Promise<{ source: Source; name: string }> {
    const text = String(given)
    if (/^https?:\/\//i.test(text)) {
      if (!URL.canParse(text)) throw refused('INVALID_INPUT', `${text} is no address.`)
      const url = new URL(text)
      return { source: url, name: basename(url.pathname) }
    }
    const known = this.#results.get(text)
    if (known) requireSize(text, known.file.size)
    if (known) return { source: await known.result.blob(known.file), name: known.file.filename }
    if (text.startsWith('mutabor://')) throw refused('FILE_GONE', `${text} is no result of this session.`)
    const path = await this.#inside(text)
    const found = await stat(path)
    if (!found.isFile()) throw refused('INVALID_INPUT', `${text} is no file.`)
    requireSize(text, found.size)
    return { source: await fileBlob(path, found.size), name: basename(path) }
  }

  /** Writes the result where it is wanted, or keeps it as a resource. */
  async keep(result: Result, output: string | undefined): Promise<readonly Kept[]> {
    const kept: Kept[] = []
    for (const [at, file] of result.files.entries()) {
      if (output === undefined) {
        const uri = `mutabor://${result.job.jobId}/${encodeURIComponent(file.filename)}`
        this.#results.set(uri, { result, file })
        kept.push({ file, uri })
      } else {
        // One name for several files would keep the last.
        const name = at === 0 ? basename(output) : localName(file.filename)
        const path = join(await this.#inside(dirname(output)), name)
        await this.#write(path, result.stream(file))
        kept.push({ file, path })
      }
    }
    return kept
  }

  /** Before anything is converted: a place that cannot be written to, or is taken. */
  async requireFree(output: string | undefined): Promise<void> {
    if (output !== undefined) await this.#free(join(await this.#inside(dirname(output)), basename(output)))
  }

  async #free(path: string): Promise<void> {
    const isThere = await lstat(path).then(Boolean, () => false)
    if (isThere && !this.#written.has(path))
      throw refused('CONFLICT', `${basename(path)} is there already. Name another output.`)
  }

  /** Under its name when all of it is there; what a link there leads to is left alone. */
  async #write(path: string, bytes: ReadableStream<Uint8Array>): Promise<void> {
    await this.#free(path)
    const draft = join(dirname(path), `.${basename(path)}.mutabor-part`)
    await rm(draft, { force: true })
    const source = Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0])
    await pipeline(source, createWriteStream(draft, { flags: 'wx' }))
    await rename(draft, path)
    this.#written.add(path)
  }

  list(): readonly { readonly uri: string; readonly file: ResultFile }[] {
    return [...this.#results].map(([uri, { file }]) => ({ uri, file }))
  }

  async read(uri: string): Promise<{ bytes: Uint8Array; mimeType: string }> {
    const known = this.#results.get(uri)
    if (!known) throw refused('FILE_GONE', `${uri} is no result of this session.`)
    const { result, file } = known
    if (file.size > limits.resource) {
      throw refused(
        'FILE_TOO_LARGE',
        `${file.filename} has ${file.size} bytes, and at most ${limits.resource} are read at once. It is at ${file.downloadUrl}, or call the tool with output.`,
      )
    }
    return { bytes: await result.bytes(file), mimeType: file.mimeType }
  }

  /** A link may lead out of the folder, so it is where it leads that counts. */
  async #inside(path: string): Promise<string> {
    if (this.#root === undefined)
      throw refused('URL_NOT_ALLOWED', 'Files of this machine are not served here: send an http(s) address.')
    const root = await realpath(this.#root)
    const real = await realpath(resolve(root, path)).catch(() => {
      throw refused('INVALID_INPUT', `There is no ${path}.`)
    })
    if (real !== root && !real.startsWith(`${root}${sep}`))
      throw refused('URL_NOT_ALLOWED', `${path} is not below the folder that agents may use (--root).`)
    return real
  }
}

interface Kept {
  readonly file: ResultFile
  readonly path?: string
  readonly uri?: string
}
