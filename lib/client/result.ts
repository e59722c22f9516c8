import type { Job } from './api-types.ts'
import { MutaborError } from './errors.ts'
import { sleep, type Transport } from './transport.ts'

export interface ResultFile {
  readonly filename: string
  readonly size: number
  readonly mimeType: string
  readonly sha256: string
  readonly downloadUrl: string
}

/** Maximum number of consecutive attempts to resume a download without receiving data. */
const maxAttempts = 5

/** The files that a job created. They are downloaded only when needed. */
export class Result {
  readonly job: Job
  readonly files: readonly ResultFile[]
  readonly #transport: Transport

  constructor(transport: Transport, job: Job) {
    const { result } = job
    this.#transport = transport
    this.job = job
    this.files = result ? ((result.files ?? [result]) as readonly ResultFile[]) : [] // all results have these fields
  }

  get filename(): string {
    return this.#firstFile().filename
  }

  /**
   * URL at which anyone can download the result until the link expires. The files of a batch come as one ZIP. Undefined
   * if the job has no result.
   */
  get downloadUrl(): string | undefined {
    return this.job.result?.downloadUrl
  }

  get size(): number {
    return this.#firstFile().size
  }

  #firstFile(): ResultFile {
    const [file] = this.files
    if (!file)
      throw new MutaborError('FILE_GONE', 'The job has no result file to download.', { job: this.job })
    return file
  }

  /** Streams the file. If the connection breaks, the download resumes where it stopped. */
  stream(file: ResultFile = this.#firstFile(), signal?: AbortSignal): ReadableStream<Uint8Array> {
    const chunks = this.#chunks(file, signal)
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => {
        await chunks.return(undefined)
      },
    })
  }

  /** Downloads a file completely. @throws MutaborError `DAMAGED` if the checksum of the download is wrong */
  async bytes(file: ResultFile = this.#firstFile(), signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(await new Response(this.stream(file, signal)).arrayBuffer())
    // The digest is not checked on pages without TLS, where browsers cannot compute it.
    const digest = await globalThis.crypto?.subtle?.digest('SHA-256', bytes)
    const hex =
      digest && Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
    if (hex !== undefined && hex !== file.sha256)
      throw new MutaborError(
        'DAMAGED',
        `The download of ${file.filename} is corrupted: its checksum is wrong. Download it again.`,
        { job: this.job },
      )
    return bytes
  }

  async text(file?: ResultFile): Promise<string> {
    return new TextDecoder().decode(await this.bytes(file))
  }

  async blob(file: ResultFile = this.#firstFile()): Promise<Blob> {
    return new Blob([await this.bytes(file)], { type: file.mimeType })
  }

  async *#chunks(file: ResultFile, signal?: AbortSignal): AsyncGenerator<Uint8Array, void> {
    let offset = 0
    for (let attempt = 0; offset < file.size; attempt += 1) {
      if (attempt > maxAttempts)
        throw new MutaborError('UNREACHABLE', 'The download was interrupted too many times.', {
          job: this.job,
        })
      if (attempt > 0) await sleep(500, signal)
      try {
        for await (const chunk of this.#readFrom(file, offset, signal)) {
          offset += chunk.length
          attempt = 0
          yield chunk
        }
      } catch (cause) {
        if (signal?.aborted || cause instanceof MutaborError) throw cause
      }
    }
  }

  async *#readFrom(
    { downloadUrl }: ResultFile,
    offset: number,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const init = { headers: offset > 0 ? { range: `bytes=${offset}-` } : {} }
    const request = () => this.#transport.fetch(downloadUrl, init, signal)
    const { body, status } = await this.#transport.sendWithRetries(request, true, signal)
    const reader = body?.getReader()
    if (!reader || (offset > 0 && status !== 206))
      throw new MutaborError(
        'UNREACHABLE',
        'The download cannot be resumed: the server ignores range requests.',
      )
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
    } finally {
      await reader.cancel().catch(() => undefined)
    }
  }
}
