import type { Api } from './api-types.ts'
import { isFailure, MutaborError, readFailure } from './errors.ts'
import { sleep, type Transport } from './transport.ts'

type Operations = Api['operations']

/** The contents of a file. A stream can be read only once. */
export type FileData = Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array>

export interface SentBytes {
  readonly sent: number
  /** Size in bytes; undefined for a stream of unknown length. */
  readonly total: number | undefined
}

/** State from which a multipart upload can be resumed, even in another process. */
export interface UploadState {
  readonly uploadId: string
  readonly key: string
  readonly partSize: number
}

export interface UploadOptions {
  /** The filename, if the data has none. */
  readonly filename?: string | undefined
  readonly onSent?: ((bytes: SentBytes) => void) | undefined
  /** Called once a multipart upload has started. Store the state and pass it as `resume` to continue the upload. */
  readonly onState?: ((state: UploadState) => void) | undefined
  readonly resume?: UploadState | undefined
  readonly signal?: AbortSignal | undefined
  /** Files larger than this many bytes are uploaded in parts; defaults to 50 MiB. */
  readonly partsAbove?: number | undefined
}

const mebibyteBytes = 1024 ** 2
const maxConcurrentParts = 3
const maxAttempts = 5

export function toBlob(data: Exclude<FileData, ReadableStream>): Blob {
  return data instanceof Blob ? data : new Blob([data as Uint8Array<ArrayBuffer>]) // Blob doesn't accept shared memory
}

export const getFileName = (data: unknown, explicitName: string | undefined): string =>
  explicitName ?? (typeof data === 'object' && data !== null && 'name' in data ? String(data.name) : 'file')

/** Uploads a file to the storage. @returns the upload id, which can be used for one conversion */
export async function uploadToStorage(
  transport: Transport,
  data: FileData,
  options: UploadOptions = {},
): Promise<string> {
  const maxSingleBytes = options.partsAbove ?? 50 * mebibyteBytes
  const filename = getFileName(data, options.filename)
  if (!(data instanceof ReadableStream)) {
    const blob = toBlob(data)
    return blob.size > maxSingleBytes || options.resume
      ? new MultipartUpload(transport, filename, options, blob.size).run(new BlobParts(blob))
      : uploadInOneRequest(transport, blob, filename, options)
  }
  const parts = new StreamParts(data)
  const head = await parts.peek(Math.min(maxSingleBytes, 8 * mebibyteBytes))
  if (parts.hasEnded) return uploadInOneRequest(transport, head, filename, options)
  return new MultipartUpload(transport, filename, options, undefined).run(parts)
}

async function uploadInOneRequest(
  transport: Transport,
  blob: Blob,
  filename: string,
  { signal, onSent }: UploadOptions,
): Promise<string> {
  const body = { filename, contentType: blob.type || 'application/octet-stream', size: blob.size }
  const target = (await transport.call({
    operation: 'POST /v1/uploads/presign',
    body,
    signal,
  })) as Operations['POST /v1/uploads/presign']['data'] // as the API contract says
  const init = { method: 'PUT', headers: target.headers ?? {}, body: blob }
  await transport.sendWithRetries(() => transport.fetch(target.url, init, signal), true, signal)
  onSent?.({ sent: blob.size, total: blob.size })
  return target.uploadId
}

interface PartSource {
  /** Returns the next part and its number, counted from 1; undefined after the last part. */
  next(size: number): Promise<{ readonly number: number; readonly bytes: Blob } | undefined>
}

class BlobParts implements PartSource {
  readonly #blob: Blob
  #number = 0

  constructor(blob: Blob) {
    this.#blob = blob
  }

  async next(size: number) {
    const from = this.#number * size
    if (from >= this.#blob.size) return undefined
    this.#number += 1
    return { number: this.#number, bytes: this.#blob.slice(from, from + size) }
  }
}

class StreamParts implements PartSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #buffered = new Blob([])
  #number = 0
  #lastRead: Promise<unknown> = Promise.resolve()
  hasEnded = false

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader()
  }

  /** Buffers and returns at least `size` bytes, or everything if the stream ends earlier. */
  async peek(size: number): Promise<Blob> {
    const chunks: Blob[] = [this.#buffered]
    let length = this.#buffered.size
    while (length < size && !this.hasEnded) {
      const { done, value } = await this.#reader.read()
      if (done) this.hasEnded = true
      else {
        chunks.push(new Blob([value as Uint8Array<ArrayBuffer>])) // Blob doesn't accept shared memory
        length += value.length
      }
    }
    this.#buffered = new Blob(chunks)
    return this.#buffered
  }

  next(size: number) {
    const partPromise = this.#lastRead.then(async () => {
      const bytes = (await this.peek(size)).slice(0, size)
      this.#buffered = this.#buffered.slice(size)
      if (bytes.size === 0) return undefined
      this.#number += 1
      return { number: this.#number, bytes }
    })
    this.#lastRead = partPromise.catch(() => undefined)
    return partPromise
  }
}

interface UploadedPart {
  readonly PartNumber: number
  readonly ETag: string
  readonly Size: number
}

class MultipartUpload {
  readonly #transport: Transport
  readonly #filename: string
  readonly #options: UploadOptions
  readonly #total: number | undefined
  readonly #uploaded = new Map<number, UploadedPart>()

  constructor(transport: Transport, filename: string, options: UploadOptions, total: number | undefined) {
    this.#transport = transport
    this.#filename = filename
    this.#options = options
    this.#total = total
  }

  async run(parts: PartSource): Promise<string> {
    const state = await this.#start()
    if (!state) return this.#options.resume?.uploadId ?? ''
    const uploadParts = async () => {
      for (let part = await parts.next(state.partSize); part; part = await parts.next(state.partSize)) {
        if (this.#uploaded.get(part.number)?.Size !== part.bytes.size) await this.#send(state, part)
        this.#reportProgress()
      }
    }
    await Promise.all(Array.from({ length: maxConcurrentParts }, uploadParts))
    const orderedParts = [...this.#uploaded.values()].sort((a, other) => a.PartNumber - other.PartNumber)
    const { uploadId } = (await this.#transport.call({
      operation: 'POST /v1/uploads/multipart/{uploadId}/complete',
      path: { uploadId: state.uploadId },
      query: { key: state.key },
      body: { parts: orderedParts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag })) },
      signal: this.#options.signal,
    })) as Operations['POST /v1/uploads/multipart/{uploadId}/complete']['data'] // as the API contract says
    return uploadId
  }

  /** Starts or resumes the upload. Returns undefined if it is already complete. */
  async #start(): Promise<UploadState | undefined> {
    const { resume, signal, onState } = this.#options
    if (resume) {
      try {
        const { parts, complete } = (await this.#transport.call({
          operation: 'GET /v1/uploads/multipart/{uploadId}',
          path: { uploadId: resume.uploadId },
          query: { key: resume.key },
          signal,
        })) as Operations['GET /v1/uploads/multipart/{uploadId}']['data'] // as the API contract says
        for (const part of parts) this.#uploaded.set(part.PartNumber, part)
        return complete ? undefined : resume
      } catch (thrownError) {
        if (!isFailure(thrownError, 'UPLOAD_NOT_FOUND')) throw thrownError
      }
    }
    const size = this.#total
    const body = {
      filename: this.#filename,
      type: 'application/octet-stream',
      ...(size !== undefined && { size }),
    }
    const startedUpload = (await this.#transport.call({
      operation: 'POST /v1/uploads/multipart',
      body,
      signal,
    })) as Operations['POST /v1/uploads/multipart']['data'] // as the API contract says
    const state = {
      uploadId: startedUpload.uploadId,
      key: startedUpload.key,
      partSize: startedUpload.partSize,
    }
    onState?.(state)
    return state
  }

  /** Sends a part. Each attempt requests a new presigned URL, because the last one may have expired. */
  async #send(state: UploadState, { number, bytes }: { number: number; bytes: Blob }): Promise<void> {
    const { signal } = this.#options
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { url } = (await this.#transport.call({
          operation: 'GET /v1/uploads/multipart/{uploadId}/{partNumber}',
          path: { uploadId: state.uploadId, partNumber: number },
          query: { key: state.key },
          signal,
        })) as { url: string } // as the API contract says
        const response = await this.#transport.fetch(url, { method: 'PUT', body: bytes }, signal)
        if (!response.ok) throw await readFailure(response)
        const ETag = response.headers.get('etag')
        if (!ETag)
          throw new MutaborError(
            'UNREACHABLE',
            'The storage did not return an ETag for the part. Let its CORS rules expose the ETag header.',
          )
        this.#uploaded.set(number, { PartNumber: number, ETag, Size: bytes.size })
        return
      } catch (thrownError) {
        if (attempt >= maxAttempts || !isFailure(thrownError, 'UNREACHABLE')) throw thrownError
        await sleep(500 * 2 ** attempt, signal)
      }
    }
  }

  #reportProgress(): void {
    const sentBytes = [...this.#uploaded.values()].reduce((sum, { Size }) => sum + Size, 0)
    this.#options.onSent?.({ sent: sentBytes, total: this.#total })
  }
}
