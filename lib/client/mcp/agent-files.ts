import { createWriteStream } from 'node:fs'
import { lstat, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readLocalFile } from '../command/open-file.ts'
import { toSafeFileName } from '../command/safe-file-name.ts'
import { MutaborError } from '../errors.ts'
import type { Source } from '../request-body.ts'
import type { Result, ResultFile } from '../result.ts'

export const limits = {
  /** The largest file that an agent may send. */
  maxFileBytes: 500 * 1024 ** 2,
  /** The largest resource that an agent may read. */
  maxResourceBytes: 5 * 1024 ** 2,
  /** Characters of text that one call returns. */
  maxTextLength: 50_000,
} as const

const createRefusal = (code: MutaborError['code'], message: string) => new MutaborError(code, message)

function requireSize(name: string, size: number): void {
  if (size > limits.maxFileBytes)
    throw createRefusal(
      'FILE_TOO_LARGE',
      `${name} has ${size} bytes; agents can send at most ${limits.maxFileBytes} bytes.`,
    )
}

/** Files that an agent can refer to: paths below the root folder, http(s) URLs, and results of this session. */
export class AgentFiles {
  /** Undefined for agents that connect over HTTP: they have no access to local files. */
  readonly #root: string | undefined
  readonly #results = new Map<string, { result: Result; file: ResultFile }>()
  /** Paths of files that this session wrote and may therefore overwrite. */
  readonly #ownFiles = new Set<string>()

  constructor(root: string | undefined) {
    this.#root = root
  }

  async open(reference: unknown): Promise<{ source: Source; name: string }> {
    const text = String(reference)
    if (/^https?:\/\//i.test(text)) {
      if (!URL.canParse(text)) throw createRefusal('INVALID_INPUT', `${text} is not a valid URL.`)
      const url = new URL(text)
      return { source: url, name: basename(url.pathname) }
    }
    const storedResult = this.#results.get(text)
    if (storedResult) requireSize(text, storedResult.file.size)
    if (storedResult)
      return { source: await storedResult.result.blob(storedResult.file), name: storedResult.file.filename }
    if (text.startsWith('mutabor://'))
      throw createRefusal('FILE_GONE', `${text} is not a result of this session.`)
    const path = await this.#resolveInRoot(text)
    const stats = await stat(path)
    if (!stats.isFile()) throw createRefusal('INVALID_INPUT', `${text} is not a file.`)
    requireSize(text, stats.size)
    return { source: await readLocalFile(path, stats.size), name: basename(path) }
  }

  /** Writes the result to `output`; if that is undefined, offers the result as a resource. */
  async saveResult(result: Result, output: string | undefined): Promise<readonly SavedFile[]> {
    const savedFiles: SavedFile[] = []
    for (const [at, file] of result.files.entries()) {
      if (output === undefined) {
        const uri = `mutabor://${result.job.jobId}/${encodeURIComponent(file.filename)}`
        this.#results.set(uri, { result, file })
        savedFiles.push({ file, uri })
      } else {
        // Only the first file gets the requested name, because the others would overwrite it.
        const name = at === 0 ? basename(output) : toSafeFileName(file.filename)
        const path = join(await this.#resolveInRoot(dirname(output)), name)
        await this.#write(path, result.stream(file))
        savedFiles.push({ file, path })
      }
    }
    return savedFiles
  }

  /** Throws before the conversion starts if the output cannot be written or already exists. */
  async requireFree(output: string | undefined): Promise<void> {
    if (output !== undefined)
      await this.#requireFree(join(await this.#resolveInRoot(dirname(output)), basename(output)))
  }

  async #requireFree(path: string): Promise<void> {
    const exists = await lstat(path).then(Boolean, () => false)
    if (exists && !this.#ownFiles.has(path))
      throw createRefusal('CONFLICT', `${basename(path)} already exists. Choose another output.`)
  }

  /** Writes to a temporary file and renames it, so that the file appears complete and a symlink is not followed. */
  async #write(path: string, bytes: ReadableStream<Uint8Array>): Promise<void> {
    await this.#requireFree(path)
    const temporaryPath = join(dirname(path), `.${basename(path)}.mutabor-part`)
    await rm(temporaryPath, { force: true })
    const source = Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0]) // Node's type for the same stream
    await pipeline(source, createWriteStream(temporaryPath, { flags: 'wx' }))
    await rename(temporaryPath, path)
    this.#ownFiles.add(path)
  }

  list(): readonly { readonly uri: string; readonly file: ResultFile }[] {
    return [...this.#results].map(([uri, { file }]) => ({ uri, file }))
  }

  async read(uri: string): Promise<{ bytes: Uint8Array; mimeType: string }> {
    const storedResult = this.#results.get(uri)
    if (!storedResult) throw createRefusal('FILE_GONE', `${uri} is not a result of this session.`)
    const { result, file } = storedResult
    if (file.size > limits.maxResourceBytes) {
      throw createRefusal(
        'FILE_TOO_LARGE',
        `${file.filename} has ${file.size} bytes; a resource can have at most ${limits.maxResourceBytes}. Download it from ${file.downloadUrl}, or call the tool with output.`,
      )
    }
    return { bytes: await result.bytes(file), mimeType: file.mimeType }
  }

  /** Resolves symlinks before checking that the path is below the root, because a link may lead out of the root. */
  async #resolveInRoot(path: string): Promise<string> {
    if (this.#root === undefined)
      throw createRefusal('URL_NOT_ALLOWED', 'This server has no access to local files: send an http(s) URL.')
    const root = await realpath(this.#root)
    const realPath = await realpath(resolve(root, path)).catch(() => {
      throw createRefusal('INVALID_INPUT', `${path} does not exist.`)
    })
    if (realPath !== root && !realPath.startsWith(`${root}${sep}`))
      throw createRefusal('URL_NOT_ALLOWED', `${path} is outside the folder that agents may use (--root).`)
    return realPath
  }
}

interface SavedFile {
  readonly file: ResultFile
  readonly path?: string
  readonly uri?: string
}
