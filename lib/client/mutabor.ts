import type { Api, Format, Job, TaskImportUpload } from './api-types.ts'
import { MutaborError } from './errors.ts'
import type { TargetOptions, ToolOptions } from './option-types.ts'
import {
  createCommonFields,
  createConvertFields,
  createForm,
  createMergeFields,
  type Options,
  prepareFiles,
  type RequestOptions,
  requireSupportedSources,
  type Source,
} from './request-body.ts'
import { Result } from './result.ts'
import { type Settings, Transport } from './transport.ts'
import { type FileData, getFileName, type UploadOptions, uploadToStorage } from './upload.ts'
import { fetchJob, followJob, isFinished, type StreamMessage, type WaitOptions, waitForJob } from './wait.ts'

type Operations = Api['operations']
/** Path parameters, query and body of an operation, as described by the API types. */
export type Given<Name extends keyof Operations> = Omit<Operations[Name], 'data'> & SendOptions
type SendOptions = Partial<Record<'signal', AbortSignal> & Record<'idempotencyKey', string>>
type Arguments<Name extends keyof Operations> =
  Record<string, never> extends Omit<Operations[Name], 'data'> ? [given?: Given<Name>] : [given: Given<Name>]

export interface BatchItem {
  readonly file: Source
  readonly filename?: string
  /** Target format; defaults to the target format of the batch. */
  readonly to?: string
  readonly options?: Options
}

export interface BatchOutcome {
  readonly filename: string
  readonly file?: Result['files'][number]
  readonly error?: { readonly code: string; readonly message: string }
}

/** Options of a target or tool. Options of targets that are only known at run time are not checked. */
type OptionsOf<All, Name extends string, Given extends Options> =
  | (Name extends keyof All ? All[Name] : Options)
  | (Given & (string extends keyof Given ? unknown : never))
/** Accepts any name; editors suggest the known names. */
type NameIn<All> = (keyof All & string) | (string & {})

type Tasks = Operations['POST /v1/jobs']['body']['tasks']
/** Tasks by name. The `file` of an `import/upload` task is uploaded before the job is created. */
export type Pipeline = Readonly<
  Record<string, Tasks[string] | (TaskImportUpload & { readonly file: FileData })>
>

/** How long the first request waits for the result: most conversions finish by then, so one request is enough. */
const initialWaitS = 2

export class Mutabor {
  readonly #transport: Transport

  constructor(settings: Settings = {}) {
    this.#transport = new Transport(settings)
  }

  get url(): string {
    return this.#transport.url
  }

  /** Calls any API operation by name, such as `call('GET /v1/jobs', { query: { limit: 5 } })`. */
  call<Name extends keyof Operations>(
    operation: Name,
    ...[args]: Arguments<Name>
  ): Promise<Operations[Name]['data']> {
    return this.#transport.call({ operation, ...args }) as Promise<Operations[Name]['data']> // as the API contract says
  }

  convert<Target extends NameIn<TargetOptions>, Given extends Options>(
    file: Source,
    to: Target,
    options?: OptionsOf<TargetOptions, Target, Given>,
    requestOptions: RequestOptions = {},
  ): Promise<Result> {
    return this.#run('POST /v1/convert', [file], { targetFormat: to }, { ...options }, requestOptions)
  }

  /** Runs a tool, such as `split-pdf` or `compress`. */
  tool<Tool extends NameIn<ToolOptions>, Given extends Options>(
    file: Source,
    tool: Tool,
    options?: OptionsOf<ToolOptions, Tool, Given>,
    requestOptions: RequestOptions = {},
  ): Promise<Result> {
    return this.#run('POST /v1/convert', [file], { toolOperation: tool }, { ...options }, requestOptions)
  }

  /** Merges files into one. For videos, audio and images, set the option `mergeType` to `video`, `audio` or `image`. */
  merge(
    files: readonly Source[],
    { mergeType, targetFormat, ...options }: Options = {},
    requestOptions: RequestOptions = {},
  ): Promise<Result> {
    return this.#run('POST /v1/convert/merge', files, { mergeType, targetFormat }, options, requestOptions)
  }

  /** Converts many files in one job. A file that cannot be converted is reported as the `error` of its item. */
  async batch(
    items: readonly BatchItem[],
    to: string | undefined,
    options: Options = {},
    requestOptions: RequestOptions = {},
  ): Promise<{ readonly result: Result; readonly items: readonly BatchOutcome[] }> {
    const requests = items.map(({ file, filename, to: itemFormat, options: itemOptions }) => ({
      targetFormat: itemFormat,
      filename: filename ?? getFileName(file, undefined),
      options: itemOptions,
    }))
    const preparedFiles = await prepareFiles(
      this.#transport,
      items.map(({ file }) => file),
      requestOptions,
      items.map(({ filename }) => filename),
    )
    const fields = { ...createCommonFields(requestOptions), targetFormat: to, options }
    const body =
      'blobs' in preparedFiles
        ? createForm(preparedFiles.blobs, { ...fields, items: requests })
        : {
            ...fields,
            items: preparedFiles.references.map((reference, index) => ({ ...requests[index], ...reference })),
          }
    const request = {
      operation: 'POST /v1/convert/batch',
      body,
      headers: { prefer: `wait=${initialWaitS}` },
    } as const
    const acceptedBatch = (await this.#transport.call({
      ...request,
      signal: requestOptions.signal,
      idempotencyKey: requestOptions.idempotencyKey,
    })) as Operations['POST /v1/convert/batch']['data'] // as the API contract says
    const result = await this.#waitForResult(acceptedBatch, requestOptions)
    const { tasks } = await this.call('GET /v1/jobs/{jobId}', { path: { jobId: result.job.jobId } })
    const outcomes = acceptedBatch.items.map(({ filename, taskName }): BatchOutcome => {
      const { status, code, message, result } = tasks[taskName] ?? {}
      if (status !== 'completed')
        return {
          filename,
          error: { code: code ?? 'CONVERSION_FAILED', message: message ?? 'The conversion failed.' },
        }
      const [file] = result && 'files' in result ? result.files : []
      return { filename, ...(file && { file: { ...file, mimeType: file.mime_type, downloadUrl: file.url } }) }
    })
    return { result, items: outcomes }
  }

  /** Runs a job of named tasks, each of which can take files from other tasks. */
  async pipeline(tasks: Pipeline, requestOptions: RequestOptions = {}): Promise<Result> {
    const uploadedTasks: Record<string, unknown> = {}
    for (const [name, task] of Object.entries(tasks)) {
      // TypeScript doesn't destructure `file` of a union in which only some members have it.
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
      signal: requestOptions.signal,
      idempotencyKey: requestOptions.idempotencyKey,
    })) as { id: string } // as the API contract says
    return this.#waitForResult(await this.status(job.id), requestOptions)
  }

  /** @returns the id of the upload, which can be used for one conversion */
  upload(file: FileData, options: UploadOptions = {}): Promise<string> {
    return uploadToStorage(this.#transport, file, options)
  }

  status(jobId: string): Promise<Job> {
    return fetchJob(this.#transport, jobId)
  }

  /** Waits until the job is completed, failed, cancelled or expired, and returns it. */
  wait(jobId: string, waitOptions: WaitOptions = {}): Promise<Job> {
    return waitForJob(this.#transport, jobId, waitOptions)
  }

  /** Waits for the job and returns its result. @throws MutaborError with the job's error when it did not complete */
  async result(jobId: string, waitOptions: WaitOptions = {}): Promise<Result> {
    return this.#waitForResult(await this.status(jobId), waitOptions)
  }

  /** Yields the current state of the job, then its events until the job has finished. */
  events(
    jobId: string,
    position: { signal?: AbortSignal; lastEventId?: string } = {},
  ): AsyncGenerator<StreamMessage> {
    return followJob(this.#transport, jobId, position)
  }

  /** Yields the jobs of this client, newest first. Requests the next page when the caller needs it. */
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
    return (await this.call('GET /v1/formats')).formats as readonly Format[] // as the API contract says
  }

  async #run(
    operation: 'POST /v1/convert' | 'POST /v1/convert/merge',
    files: readonly Source[],
    target: Options,
    options: Options,
    requestOptions: RequestOptions,
  ): Promise<Result> {
    const fields = { ...target, ...createCommonFields(requestOptions), options }
    const isMerge = operation !== 'POST /v1/convert'
    requireSupportedSources(isMerge, files, requestOptions.more ?? [])
    const preparedFiles = await prepareFiles(
      this.#transport,
      [...files, ...(requestOptions.more ?? [])],
      requestOptions,
      [requestOptions.filename],
    )
    const job = await this.#transport.call({
      operation,
      body:
        'blobs' in preparedFiles
          ? createForm(preparedFiles.blobs, fields, isMerge ? 'file' : 'additionalFile')
          : { ...fields, ...(isMerge ? createMergeFields : createConvertFields)(preparedFiles.references) },
      headers: { prefer: `wait=${requestOptions.onProgress ? 1 : initialWaitS}` },
      signal: requestOptions.signal,
      idempotencyKey: requestOptions.idempotencyKey,
    })
    return this.#waitForResult(job as Job, requestOptions) // as the API contract says
  }

  async #waitForResult(job: Job, requestOptions: RequestOptions): Promise<Result> {
    requestOptions.onJob?.(job)
    const finishedJob = isFinished(job) ? job : await this.wait(job.jobId, requestOptions)
    if (finishedJob.status === 'completed') return new Result(this.#transport, finishedJob)
    const { code, message, details } = finishedJob.error ?? {
      code: finishedJob.status === 'expired' ? 'FILE_GONE' : 'CONFLICT',
      details: { status: finishedJob.status },
      message: `The job was ${finishedJob.status}.`,
    }
    throw new MutaborError(code as MutaborError['code'], message, { job: finishedJob, details }) // as the service sent it
  }
}
