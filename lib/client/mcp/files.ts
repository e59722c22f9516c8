import { openAsBlob } from 'node:fs'
import { realpath, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { MutaborError } from '../failure.ts'
import type { Source } from '../request-body.ts'
import type { Result, ResultFile } from '../result.ts'

/** Bytes of a file that an agent may send, and of a result that it may read at once. */
export const limits = { file: 500 * 1024 ** 2, resource: 5 * 1024 ** 2, textLength: 50_000 } as const

const refused = (code: MutaborError['code'], message: string) => new MutaborError(code, message)

/** What agents name files by: paths below a folder where they may, addresses, and results of this server. */
export class AgentFiles {
  /** Undefined of those who call from elsewhere: they reach no files here. */
  readonly #root: string | undefined
  readonly #results = new Map<string, { result: Result; file: ResultFile }>()

  constructor(root: string | undefined) {
    this.#root = root
  }

  async open(given: unknown): Promise<{ source: Source; name: string }> {
    const text = String(given)
    if (/^https?:\/\//i.test(text)) {
      const url = new URL(text)
      return { source: url, name: basename(url.pathname) }
    }
    const known = this.#results.get(text)
    if (known) return { source: await known.result.blob(known.file), name: known.file.filename }
    if (text.startsWith('mutabor://')) throw refused('FILE_GONE', `${text} is no result of this session.`)
    const path = await this.#inside(text)
    const { size } = await stat(path)
    if (size > limits.file)
      throw refused(
        'FILE_TOO_LARGE',
        `${text} has ${size} bytes; at most ${limits.file} are taken from an agent.`,
      )
    return { source: new File([await openAsBlob(path)], basename(path)), name: basename(path) }
  }

  /** Writes the result where it is wanted, or keeps it as a resource. */
  async keep(result: Result, output: unknown): Promise<readonly Kept[]> {
    const kept: Kept[] = []
    for (const file of result.files) {
      if (output !== undefined) {
        const folder = await this.#inside(dirname(String(output)))
        const path = join(folder, basename(String(output)))
        await writeFile(path, result.stream(file) as unknown as AsyncIterable<Uint8Array>) // Node's can be walked
        kept.push({ file, path })
      } else {
        const uri = `mutabor://${result.job.jobId}/${encodeURIComponent(file.filename)}`
        this.#results.set(uri, { result, file })
        kept.push({ file, uri })
      }
    }
    return kept
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
