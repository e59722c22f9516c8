import type { Api, Format, Job, TaskImportUpload } from './api-types.ts'
import { MutaborError } from './errors.ts'
import {
  commonFields,
  convertFields,
  createForm,
  type How,
  mergeFields,
  type Options,
  prepareFiles,
  type Source,
} from './request-body.ts'
import { Result } from './result.ts'
import { type Settings, Transport } from './transport.ts'
import { type FileData, fileNameOf, type Uploading, upload } from './upload.ts'
import { followJob, type Heard, isFinished, readStatus, type Waiting, waitForJob } from './wait.ts'

type Operations = Api['operations']
/** Path, query and body of an operation, as its types have them. */
export type Given<Name extends keyof Operations> = Omit<Operations[Name], 'data'> & SendOptions
type SendOptions = Partial<Record<'signal', AbortSignal> & Record<'idempotencyKey', string>>
type Arguments<Name extends keyof Operations> =
  Record<string, never> extends Omit<Operations[Name], 'data'> ? [given?: Given<Name>] : [given: Given<Name>]

export interface BatchItem {
  readonly file: Source
  readonly filename?: string
  /** The format, when it is not that of the whole batch. */
  readonly to?: string
  readonly options?: Options
}

export interface BatchOutcome {
  readonly filename: string
  readonly file?: Result['files'][number]
  readonly error?: { readonly code: string; readonly message: string }
}

type Tasks = Operations['POST /v1/jobs']['body']['tasks']
/** Tasks by name; `file` of an import/upload is uploaded first. */
export type Pipeline = Readonly<
  Record<string, Tasks[string] | (TaskImportUpload & { readonly file: FileData })>
>

/** Seconds in which most conversions are over, so that one request is enough. */
const initialWaitS = 2

export class Mutabor {
  readonly #transport: Transport

  constructor(settings: Settings = {}) {
    this.#transport = new Transport(settings)
  }

  get url(): string {
    return this.#transport.url
  }

  /** Any operation of the API by its name, as `call('GET /v1/jobs', { query: { limit: 5 } })`. */
  call<Name extends keyof Operations>(
    operation: Name,
    ...[given]: Arguments<Name>
  ): Promise<Operations[Name]['data']> {
    return this.#transport.call({ operation, ...given }) as Promise<Operations[Name]['data']> // by the contract
  }

  convert(file: Source, to: string, options: Options = {}, settings: How = {}): Promise<Result> {
    return this.#run('POST /v1/convert', [file], { targetFormat: to }, options, settings)
  }

  /** A PDF tool, or `compress`. */
  tool(file: Source, tool: string, options: Options = {}, settings: How = {}): Promise<Result> {
    return this.#run('POST /v1/convert', [file], { toolOperation: tool }, options, settings)
  }

  /** Files become one. Of other kinds than PDF with `mergeType` among the options: `video`, `audio`, `image`. */
  merge(
    files: readonly Source[],
    { mergeType, targetFormat, ...options }: Options = {},
    settings: How = {},
  ): Promise<Result> {
    return this.#run('POST /v1/convert/merge', files, { mergeType, targetFormat }, options, settings)
  }

  /** Many files in one job; what cannot be converted is told of by its item. */
  async batch(
    items: readonly BatchItem[],
    to: string | undefined,
    options: Options = {},
    settings: How = {},
  ): Promise<{ readonly result: Result; readonly items: readonly BatchOutcome[] }> {
    const requests = items.map(({ file, filename, to: own, options: itemOptions }) => ({
      ...{ targetFormat: own, filename: filename ?? fileNameOf(file, undefined), options: itemOptions },
    }))
    const files = await prepareFiles(
      this.#transport,
      items.map(({ file }) => file),
      settings,
      items.map(({ filename }) => filename),
    )
    const fields = { ...commonFields(settings), targetFormat: to, options }
    const body =
      'blobs' in files
        ? createForm(files.blobs, { ...fields, items: requests })
        : { ...fields, items: files.places.map((place, at) => ({ ...requests[at], ...place })) }
    const sent = {
      operation: 'POST /v1/convert/batch',
      body,
      headers: { prefer: `wait=${initialWaitS}` },
    } as const
    const accepted = (await this.#transport.call({
      ...sent,
      ...{ signal: settings.signal, idempotencyKey: settings.idempotencyKey },
    })) as Operations['POST /v1/convert/batch']['data'] // by the contract
    const result = await this.#waitForResult(accepted, settings)
    const { tasks } = await this.call('GET /v1/jobs/{jobId}', { path: { jobId: result.job.jobId } })
    const outcomes = accepted.items.map(({ filename, taskName }): BatchOutcome => {
      const { status, code, message, result } = tasks[taskName] ?? {}
      if (status !== 'completed')
        return { filename, error: { code: code ?? 'CONVERSION_FAILED', message: message ?? 'It failed.' } }
      const [file] = result && 'files' in result ? result.files : []
      return { filename, ...(file && { file: { ...file, mimeType: file.mime_type, downloadUrl: file.url } }) }
    })
    return { result, items: outcomes }
  }

  /** A job of tasks that take files from each other by name. */
  async pipeline(tasks: Pipeline, settings: How = {}): Promise<Result> {
    const ready: Record<string, unknown> = {}
    for (const [name, task] of Object.entries(tasks)) {
      const { file, ...rest } = task as { file?: FileData; filename?: string; operation: string }
      const isUpload = task.operation === 'import/upload' && file !== undefined
      const { signal, onSent } = settings
      ready[name] = isUpload
        ? { ...rest, upload_id: await this.upload(file, { filename: rest.filename, signal, onSent }) }
        : task
    }
    const job = (await this.#transport.call({
      operation: 'POST /v1/jobs',
      body: {
        tasks: ready,
        ...(settings.tag && { tag: settings.tag }),
        ...(settings.webhookUrl && { webhookUrl: settings.webhookUrl }),
      },
      ...{ signal: settings.signal, idempotencyKey: settings.idempotencyKey },
    })) as { id: string } // by the contract
    return this.#waitForResult(await this.status(job.id), settings)
  }

  /** @returns the id of an upload, which serves one conversion */
  upload(file: FileData, settings: Uploading = {}): Promise<string> {
    return upload(this.#transport, file, settings)
  }

  status(jobId: string): Promise<Job> {
    return readStatus(this.#transport, jobId)
  }

  /** The job when it is over, however it has ended. */
  wait(jobId: string, waiting: Waiting = {}): Promise<Job> {
    return waitForJob(this.#transport, jobId, waiting)
  }

  /** What the job has made, when it is completed. @throws MutaborError what the job has failed by */
  async result(jobId: string, settings: Waiting = {}): Promise<Result> {
    return this.#waitForResult(await this.status(jobId), settings)
  }

  /** First the job as it is, then what happens to it, until its end. */
  events(jobId: string, from: { signal?: AbortSignal; lastEventId?: string } = {}): AsyncGenerator<Heard> {
    return followJob(this.#transport, jobId, from)
  }

  /** Your jobs, the newest first, page after page. */
  async *jobs(query: Operations['GET /v1/jobs']['query'] = {}) {
    for (let cursor: string | null | undefined = query.cursor; cursor !== null; ) {
      const page: Operations['GET /v1/jobs']['data'] = await this.call('GET /v1/jobs', {
        query: { ...query, ...(cursor !== undefined && { cursor }) },
      })
      yield* page.jobs
      cursor = page.pagination.nextCursor
    }
  }

  async formats(): Promise<readonly Format[]> {
    return (await this.call('GET /v1/formats')).formats as readonly Format[] // by the contract
  }

  async #run(
    operation: 'POST /v1/convert' | 'POST /v1/convert/merge',
    files: readonly Source[],
    itemOptions: Options,
    options: Options,
    settings: How,
  ): Promise<Result> {
    const fields = { ...itemOptions, ...commonFields(settings), options }
    const isMerge = operation !== 'POST /v1/convert'
    const sent = await prepareFiles(this.#transport, [...files, ...(settings.more ?? [])], settings, [
      settings.filename,
    ])
    const job = await this.#transport.call({
      operation,
      body:
        'blobs' in sent
          ? createForm(sent.blobs, fields, isMerge ? 'file' : 'additionalFile')
          : { ...fields, ...(isMerge ? mergeFields : convertFields)(sent.places) },
      headers: { prefer: `wait=${settings.onProgress ? 1 : initialWaitS}` },
      ...{ signal: settings.signal, idempotencyKey: settings.idempotencyKey },
    })
    return this.#waitForResult(job as Job, settings) // by the contract
  }

  async #waitForResult(job: Job, settings: How): Promise<Result> {
    settings.onJob?.(job)
    const finished = isFinished(job) ? job : await this.wait(job.jobId, settings)
    if (finished.status === 'completed') return new Result(this.#transport, finished)
    const { code, message, details } = finished.error ?? {
      ...{
        code: finished.status === 'expired' ? 'FILE_GONE' : 'CONFLICT',
        details: { status: finished.status },
      },
      message: `The job was ${finished.status}.`,
    }
    throw new MutaborError(code as MutaborError['code'], message, { job: finished, details }) // one of the service's
  }
}
