import { createWriteStream, openAsBlob } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import type { ByteRange } from '../io/byte-range.ts'
import { hashFile } from '../io/file-hash.ts'
import { defined } from '../validation/defined.ts'
import { createFileGoneError, createFileOverwrittenError } from './file-errors.ts'
import type { FileReference } from './files.ts'
import { maxSinglePutBytes, type PresignedForm, type TaskFiles } from './task-files.ts'

/** Number of attempts, the same as in the SDK. */
const maxAttempts = 3
const retryPauseMs = 100

/** The storage rejected the request: the signature expired early or does not cover it. */
export class SignatureRejectedError extends Error {}

interface TaskUrls {
  /** Presigned URLs by key. */
  readonly inputs: Readonly<Record<string, string>>
  readonly output: PresignedForm
}

/** Access to the files of one task with presigned URLs, for a worker without credentials. */
export class SignedFiles implements TaskFiles {
  readonly #urls: TaskUrls
  /** Local paths of the files that this process uploaded, by key. */
  readonly #sentPaths = new Map<string, string>()

  constructor(taskUrls: TaskUrls) {
    this.#urls = taskUrls
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
    if (url === undefined) throw new SignatureRejectedError(`there is no presigned URL for the input ${key}`)
    const response = await fetchWithRetries(() =>
      fetch(url, { headers: { ...range, ...defined({ 'if-match': etag }) }, signal }),
    )
    if (response.ok && response.body)
      return Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]) // Node's type for the same stream
    const text = await response.text()
    if (response.status === 412) throw createFileOverwrittenError(filename)
    if (response.status === 404) throw createFileGoneError(filename)
    throw createStorageError(response.status, text)
  }

  async putFile(key: string, path: string, contentType: string, sha256: Promise<string>): Promise<void> {
    const { size } = await stat(path)
    if (size > maxSinglePutBytes)
      throw new AppError(
        'FILE_TOO_LARGE',
        `The result has ${size} bytes, more than the ${maxSinglePutBytes} bytes (5 GiB) that a conversion can store here. Choose options that produce a smaller result, or convert the file in parts.`,
        { size, max: maxSinglePutBytes },
      )
    const { url, prefix, fields } = this.#urls.output
    if (!key.startsWith(prefix))
      throw new SignatureRejectedError(`there is no presigned form for the output ${key}`)
    const form = new FormData()
    const checksum = Buffer.from(await sha256, 'hex').toString('base64')
    const formFields = { ...fields, key, 'Content-Type': contentType, 'x-amz-checksum-sha256': checksum }
    for (const [name, value] of Object.entries(formFields)) form.set(name, value)
    // S3 ignores all form fields after the file.
    form.set('file', await openAsBlob(path), 'file')
    const response = await fetchWithRetries(() => fetch(url, { method: 'POST', body: form }))
    const text = await response.text()
    if (!response.ok) throw createStorageError(response.status, text)
    this.#sentPaths.set(key, path)
  }

  /** Writes the stream to `path` in the work folder, then stores it. */
  async receive(
    key: string,
    body: Readable,
    { path, contentType, signal }: { path: string; contentType: string; signal: AbortSignal },
  ): Promise<void> {
    await pipeline(body, createWriteStream(path), { signal })
    const { size } = await stat(path)
    await this.putFile(key, path, contentType, hashFile(path, size))
  }

  /** Reads from the local copy of a file that this process uploaded. */
  async read(key: string, start: number, end: number): Promise<Uint8Array> {
    const path = this.#sentPaths.get(key)
    if (path === undefined) throw new Error(`${key} was not uploaded by this process`)
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

  /** Does nothing: unused files are stored below the prefix of their job and are deleted with it. */
  async delete(): Promise<void> {}
}

/** Retries if the storage or the connection fails. */
async function fetchWithRetries(send: () => Promise<Response>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await send()
      if (response.status < 500 || attempt >= maxAttempts) return response
      await response.body?.cancel()
    } catch (error) {
      // Undici throws a TypeError for connection errors; other errors, such as an abort, are not retried.
      if (!(error instanceof TypeError) || attempt >= maxAttempts) throw error
    }
    await sleep(retryPauseMs * 2 ** attempt * Math.random())
  }
}

const createStorageError = (status: number, text: string) => {
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? 'no code'
  return status === 403 || status === 400
    ? new SignatureRejectedError(`the storage responded with ${status} ${code}`)
    : new Error(`the storage responded with ${status} ${code}`)
}
