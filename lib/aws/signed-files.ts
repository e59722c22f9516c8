import { createWriteStream, openAsBlob } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { sha256Of } from '../file-hash.ts'
import type { ByteRange } from '../transfer/transfer.ts'
import { fileGoneError, fileOverwrittenError } from './file-errors.ts'
import type { FileReference } from './files.ts'
import { maxSinglePutBytes, type PresignedForm, type TaskFiles } from './task-files.ts'

/** As often as the SDK does. */
const maxAttempts = 3
const pauseMs = 100

/** The storage does not let it through: the signature has ended before its time, or does not cover it. */
export class SignatureRejectedError extends Error {}

interface TaskUrls {
  /** Addresses by key. */
  readonly inputs: Readonly<Record<string, string>>
  readonly output: PresignedForm
}

/**
 * The files of one task for a worker that may reach no other: by addresses that somebody else has signed, without keys
 * of its own.
 */
export class SignedFiles implements TaskFiles {
  readonly #urls: TaskUrls
  /** Where on this machine those are that were sent from it. */
  readonly #sentPaths = new Map<string, string>()

  constructor(signed: TaskUrls) {
    this.#urls = signed
  }

  async getFile(file: FileReference, path: string, signal: AbortSignal): Promise<void> {
    const body = await this.#open(file, signal)
    await pipeline(body, createWriteStream(path), { signal })
  }

  async stream(file: FileReference, { start, end }: ByteRange, signal: AbortSignal): Promise<Readable> {
    return this.#open(file, signal, { range: `bytes=${start}-${end - 1}` })
  }

  async #open({ key, filename, etag }: FileReference, signal: AbortSignal, range: { range?: string } = {}) {
    const url = this.#urls.inputs[key]
    if (url === undefined) throw new SignatureRejectedError(`nobody signed for the input ${key}`)
    const response = await fetchWithRetries(() =>
      fetch(url, { headers: { ...range, ...(etag && { 'if-match': etag }) }, signal }),
    )
    if (response.ok && response.body)
      return Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]) // Node's own type of the same
    const text = await response.text()
    if (response.status === 412) throw fileOverwrittenError(filename)
    if (response.status === 404) throw fileGoneError(filename)
    throw storageError(response.status, text)
  }

  async putFile(key: string, path: string, contentType: string, sha256: Promise<string>): Promise<void> {
    const { size } = await stat(path)
    if (size > maxSinglePutBytes)
      throw new AppError(
        'FILE_TOO_LARGE',
        `The result has ${size} bytes, more than the ${maxSinglePutBytes} bytes (5 GiB) that one conversion can store here. Make a smaller one, or convert the file in parts.`,
        { size, max: maxSinglePutBytes },
      )
    const { url, prefix, fields } = this.#urls.output
    if (!key.startsWith(prefix)) throw new SignatureRejectedError(`nobody signed for the output ${key}`)
    const form = new FormData()
    const checksum = Buffer.from(await sha256, 'hex').toString('base64')
    const all = { ...fields, key, 'Content-Type': contentType, 'x-amz-checksum-sha256': checksum }
    for (const [name, value] of Object.entries(all)) form.set(name, value)
    // S3 ignores every field behind the file.
    form.set('file', await openAsBlob(path), 'file')
    const response = await fetchWithRetries(() => fetch(url, { method: 'POST', body: form }))
    const text = await response.text()
    if (!response.ok) throw storageError(response.status, text)
    this.#sentPaths.set(key, path)
  }

  /** By `path`, in the work folder. */
  async receive(
    key: string,
    body: Readable,
    { path, contentType, signal }: { path: string; contentType: string; signal: AbortSignal },
  ): Promise<void> {
    await pipeline(body, createWriteStream(path), { signal })
    const { size } = await stat(path)
    await this.putFile(key, path, contentType, sha256Of(path, size))
  }

  /** Of a file that this process has sent: it is here still. */
  async read(key: string, start: number, end: number): Promise<Uint8Array> {
    const path = this.#sentPaths.get(key)
    if (path === undefined) throw new Error(`${key} was not sent from here`)
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(Math.max(0, end - start)),
        0,
        end - start,
        start,
      )
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }

  /** What is of no use any more lies below the prefix of its job, and goes with it. */
  async delete(): Promise<void> {}
}

/** Again when the storage or the way to it fails. */
async function fetchWithRetries(send: () => Promise<Response>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await send()
      if (response.status < 500 || attempt >= maxAttempts) return response
      await response.body?.cancel()
    } catch (error) {
      // Undici says so of connections; what was aborted stays so.
      if (!(error instanceof TypeError) || attempt >= maxAttempts) throw error
    }
    await sleep(pauseMs * 2 ** attempt * Math.random())
  }
}

const storageError = (status: number, text: string) => {
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? 'no code'
  return status === 403 || status === 400
    ? new SignatureRejectedError(`the storage answered ${status} ${code}`)
    : new Error(`the storage answered ${status} ${code}`)
}
