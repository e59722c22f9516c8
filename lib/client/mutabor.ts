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
    ...[args]: Arguments<Name>
  ): Promise<Operations[Name]['data']> {
    return this.#transport.call({ operation, ...args }) as Promise<Operations[Name]['data']> // by the contract
  }

  convert(file: Source, to: string, options: Options = {}, requestOptions: How = {}): Promise<Result> {
    return this.#run('POST /v1/convert', [file], { targetFormat: to }, options, requestOptions)
  }

  /** A PDF tool, or `compress`. */
  tool(file: Source, tool: string, options: Options = {}, requestOptions: How = {}): Promise<Result> {
    return this.#run('POST /v1/convert', [file], { toolOperation: tool }, options, requestOptions)
  }

  /** Files become one. Of other kinds than PDF with `mergeType` among the options: `video`, `audio`, `image`. */
  merge(
    files: readonly Source[],
    { mergeType, targetFormat, ...options }: Options = {},
    requestOptions: How = {},
  ): Promise<Result> {
    return this.#run('POST /v1/convert/merge', files, { mergeType, targetFormat }, options, requestOptions)
  }

  /** Many files in one job; what cannot be converted is told of by its item. */
  async batch(
    items: readonly BatchItem[],
    to: string | undefined,
    options: Options = {},
    requestOptions: How = {},
  ): Promise<{ readonly result: Result; readonly items: readonly BatchOutcome[] }> {
    const requests = items.map(({ file, filename, to: itemFormat, options: itemOptions }) => ({
      ...{
        targetFormat: itemFormat,
        filename: filename ?? fileNameOf(file, undefined),
        options: itemOptions,
      },
    }))
    const prepared = await prepareFiles(
      this.#transport,
      items.map(({ file }) => file),
      requestOptions,
      items.map(({ filename }) => filename),
    )
    const fields = { ...commonFields(requestOptions), targetFormat: to, options }
    const body =
      'blobs' in prepared
        ? createForm(prepared.blobs, { ...fields, items: requests })
        : {
            ...fields,
            items: prepared.references.map((reference, index) => ({ ...requests[index], ...reference })),
          }
    const request = {
      operation: 'POST /v1/convert/batch',
      body,
      headers: { prefer: `wait=${initialWaitS}` },
    } as const
    const accepted = (await this.#transport.call({
      ...request,
      ...{ signal: requestOptions.signal, idempotencyKey: requestOptions.idempotencyKey },
    })) as Operations['POST /v1/convert/batch']['data'] // by the contract
    const result = await this.#waitForResult(accepted, requestOptions)
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
  async pipeline(tasks: Pipeline, requestOptions: How = {}): Promise<Result> {
    const uploadedTasks: Record<string, unknown> = {}
    for (const [name, task] of Object.entries(tasks)) {
      const { file, ...rest } = task as { file?: FileData; filename?: string; operation: string }
      const isUpload = task.operation === 'import/upload' && file !== undefined
      const { signal, onSent } = requestOptions
      uploadedTasks[name] = isUpload
        ? { ...rest, upload_id: await this.upload(file, { filename: rest.filename, signal, onSent }) }
        : task
    }
    const job = (await this.#transport.call({
      operation: 'POST /v1/jobs',
      body: {
        tasks: uploadedTasks,
        ...(requestOptions.tag && { tag: requestOptions.tag }),
        ...(requestOptions.webhookUrl && { webhookUrl: requestOptions.webhookUrl }),
      },
      ...{ signal: requestOptions.signal, idempotencyKey: requestOptions.idempotencyKey },
    })) as { id: string } // by the contract
    return this.#waitForResult(await this.status(job.id), requestOptions)
  }

  /** @returns the id of an upload, which serves one conversion */
  upload(file: FileData, options: Uploading = {}): Promise<string> {
    return upload(this.#transport, file, options)
  }

  status(jobId: string): Promise<Job> {
    return readStatus(this.#transport, jobId)
  }

  /** The job when it is over, however it has ended. */
  wait(jobId: string, waitOptions: Waiting = {}): Promise<Job> {
    return waitForJob(this.#transport, jobId, waitOptions)
  }

  /** What the job has made, when it is completed. @throws MutaborError what the job has failed by */
  async result(jobId: string, waitOptions: Waiting = {}): Promise<Result> {
    return this.#waitForResult(await this.status(jobId), waitOptions)
  }

  /** First the job as it is, then what happens to it, until its end. */
  events(
    jobId: string,
    position: { signal?: AbortSignal; lastEventId?: string } = {},
  ): AsyncGenerator<Heard> {
    return followJob(this.#transport, jobId, position)
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
    target: Options,
    options: Options,
    requestOptions: How,
  ): Promise<Result> {
    const fields = { ...target, ...commonFields(requestOptions), options }
    const isMerge = operation !== 'POST /v1/convert'
    const prepared = await prepareFiles(
      this.#transport,
      [...files, ...(requestOptions.more ?? [])],
      requestOptions,
      [requestOptions.filename],
    )
    const job = await this.#transport.call({
      operation,
      body:
        'blobs' in prepared
          ? createForm(prepared.blobs, fields, isMerge ? 'file' : 'additionalFile')
          : { ...fields, ...(isMerge ? mergeFields : convertFields)(prepared.references) },
      headers: { prefer: `wait=${requestOptions.onProgress ? 1 : initialWaitS}` },
      ...{ signal: requestOptions.signal, idempotencyKey: requestOptions.idempotencyKey },
    })
    return this.#waitForResult(job as Job, requestOptions) // by the contract
  }

  async #waitForResult(job: Job, requestOptions: How): Promise<Result> {
    requestOptions.onJob?.(job)
    const finished = isFinished(job) ? job : await this.wait(job.jobId, requestOptions)
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
