import { boundsOf } from '../access/bounds.ts'
import type { Engine } from '../engines/engine.ts'
import { sealedOptions } from '../engines/options.ts'
import { AppError } from '../errors.ts'
import type { PdfHint } from '../formats/detect.ts'
import { decryptFirst } from '../formats/locked-pdf.ts'
import { newId } from '../ids.ts'
import { graphRecords, type NewJob, type NewTask } from '../jobs/graph.ts'
import type { Job, JobState, StoredFile, Warning } from '../jobs/job.ts'
import { optionsOf, planRoute } from '../plan/index.ts'
import type { PlanId } from '../plans.ts'
import type { Services } from '../services.ts'
import { isTransfer } from '../tasks/index.ts'
import type { Spec } from '../tasks/operation.ts'
import { namingTask, ofTask, type RequestedTask } from '../tasks/parse-tasks.ts'
import { claimUpload, newUpload, type UploadRecord } from '../uploads.ts'
import type { WebhookFormat } from '../webhooks/webhook.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import { requireAutoPdfEngine } from './pdf-engine.ts'
import { planFiles, type Wish } from './plan-files.ts'
import { type Source, takenAlready } from './source.ts'
import { storedFile } from './stored-file.ts'
import { pollAfterS } from './time-limits.ts'

/** What an import task gives from the start, or waits for. */
export type Import =
  | { readonly source: Source }
  | { readonly awaited: UploadRecord; readonly form: Record<string, unknown> }
  /** Fetched by the task, into an upload that others take. */
  | { readonly into: UploadRecord }
  /** Of a batch: there is none, and the task says why. */
  | { readonly refused: AppError }

export interface JobRequest {
  readonly owner: string
  /** The API key or the client that asked. */
  readonly keyId?: string | undefined
  readonly requestId: string
  readonly jobId?: string | undefined
  readonly tag?: string | null | undefined
  readonly webhookUrl?: string | undefined
  /** As it is told there; `json` when left out. */
  readonly webhookFormat?: WebhookFormat | undefined
  readonly retryOf?: string
  readonly tasks: readonly RequestedTask[]
  /** By the name of the task. */
  readonly imports: ReadonlyMap<string, Import>
  /** One task that gives something is enough; those that cannot work are told of in the job, and do not end it. */
  readonly isBatch?: boolean
  readonly failFast?: boolean
  /** Seconds after its end in which its files go, where that is sooner than the service has it. */
  readonly expiresInS?: number | undefined
  /** What is thrown when no task of a batch can work. */
  readonly onAllRefused?: (errors: readonly AppError[]) => AppError
  /** The tasks are ours and not the client's: errors name the client's fields. */
  readonly fieldOfMore?: string
}

/**
 * Looks into the files, plans what can be planned, and sets the job going.
 * @throws AppError for files, targets and options that cannot work; nothing is stored then.
 */
export async function startJob(request: JobRequest, services: Services): Promise<JobState> {
  const jobId = request.jobId ?? newId('job')
  const { owner, webhookUrl } = request
  const bounds = await boundsOf(owner, services)
  requirePdfEngines(request, bounds.plan)
  const webhooks = new Webhooks(services)
  if (webhookUrl !== undefined) await webhooks.checkJobUrl(webhookUrl)
  const numbers = new Map(request.tasks.map(({ name }, number) => [name, number]))
  const engines = await services.engines()
  const files = await detectAll(request, engines)
  const context = { request, numbers, files, jobId, services, engines }
  const tasks = request.tasks.map((task) => newTask(task, context))
  requireWork(tasks, request)
  const retentionS = Math.min(request.expiresInS ?? Number.POSITIVE_INFINITY, bounds.retentionHours * 3600)
  const records = graphRecords(
    {
      ...{ id: jobId, owner: request.owner, keyId: request.keyId, requestId: request.requestId },
      tag: request.tag ?? null,
      retryOf: request.retryOf,
      display: displayOf(request, tasks, files),
      warnings: [],
      retentionS,
      require: request.isBatch ? 'any' : 'all',
      failFast: request.failFast ?? false,
      hasWebhook: webhookUrl !== undefined,
      tasks: tasks.map(({ task }) => task),
    } satisfies NewJob,
    new Date(),
  )
  const sources = [...request.imports.values()].flatMap((one) => ('source' in one ? [one.source] : []))
  const awaited = request.tasks.flatMap(({ name }, task) => {
    const one = request.imports.get(name)
    return one && 'awaited' in one ? [{ ...one.awaited, jobId, task }] : []
  })
  const made = [...request.imports.values()].flatMap((one) =>
    'into' in one ? [{ ...one.into, importJobId: jobId }] : [],
  )
  const uploads = distinct(sources)
  const claims = [
    ...uploads.map((upload) => claimUpload(upload, jobId)),
    ...[...awaited, ...made].map(newUpload),
  ]
  const adoptAll = () => {
    for (const source of sources) source.adopt()
  }
  // Before the job, whose first event is told as soon as it is there.
  if (webhookUrl !== undefined)
    await webhooks.createForJob({ url: webhookUrl, format: request.webhookFormat, owner, jobId, retentionS })
  const isNew = await services.jobs.create(records, claims).catch((error: unknown) => {
    // It may be stored for all that, and needs its files then; those of no job go by their age.
    adoptAll()
    throw error
  })
  if (!isNew) return madeBefore(jobId, uploads, services)
  adoptAll()
  const { job, fixed, tasks: stored } = records
  return { job, fixed, tasks: stored, parts: [] }
}

/** @throws AppError for a renderer that is not there, whatever else is wanted. */
function requirePdfEngines(request: JobRequest, plan: PlanId): void {
  for (const { name, operation, fields } of request.tasks) {
    if (operation.kind !== 'process') continue
    const { options, ...beside } = fields
    const check = () => requireAutoPdfEngine({ ...beside, ...(options as Spec['options']) }, plan)
    if (namesTasks(request)) ofTask(name, check)
    else check()
  }
}

/** Of a batch each error stands beside its item, and nobody has sent the tasks that items become. */
const namesTasks = ({ fieldOfMore, isBatch }: JobRequest) => fieldOfMore === undefined && !isBatch

/** @throws AppError INVALID_INPUT for an upload that is named twice: it can be taken once. */
function distinct(sources: readonly Source[]): readonly UploadRecord[] {
  const taken = new Map<string, UploadRecord>()
  for (const { upload, field } of sources) {
    if (!upload) continue
    if (taken.has(upload.id)) {
      const sentence = `${field}: ${upload.id} is named twice. Name it once, or upload the file again for the second place.`
      throw new AppError('INVALID_INPUT', sentence, { field, uploadId: upload.id })
    }
    taken.set(upload.id, upload)
  }
  return [...taken.values()]
}

/** An earlier try of the same request made the job, unless somebody else took an upload. */
async function madeBefore(
  jobId: string,
  uploads: readonly UploadRecord[],
  { jobs }: Services,
): Promise<JobState> {
  const state = await jobs.store.whole(jobId)
  if (state) return state
  const [first] = uploads
  if (first) throw takenAlready(first, undefined, 'uploadId')
  throw new Error(`${jobId} was refused, but nobody has it`)
}

type Detected = ReadonlyMap<string, StoredFile | AppError>

/** The files of all imports that are there; in a batch an error of one file is its own. */
async function detectAll(request: JobRequest, engines: readonly Engine[]): Promise<Detected> {
  const detected = new Map<string, StoredFile | AppError>()
  for (const [name, one] of request.imports) {
    if ('refused' in one) detected.set(name, one.refused)
    if (!('source' in one)) continue
    try {
      detected.set(name, await detect(name, one.source, request, engines))
    } catch (error) {
      if (!request.isBatch || !(error instanceof AppError)) throw error
      detected.set(name, error)
    }
  }
  return detected
}

async function detect(
  name: string,
  source: Source,
  request: JobRequest,
  engines: readonly Engine[],
): Promise<StoredFile> {
  // Of the requests that reach a function with this, most bring no file.
  const { detectFormat } = await import('../formats/detect.ts')
  const takers = request.tasks.filter(({ input }) => input.includes(name))
  const seen = new Map<string, StoredFile>()
  for (const taker of takers) {
    const hint = hintOf(taker, engines)
    const key = JSON.stringify(hint)
    if (seen.has(key)) continue
    try {
      seen.set(key, storedFile(source, await detectFormat(source, hint)))
    } catch (error) {
      const known = withWayOut(error, taker, engines)
      throw namesTasks(request) ? namingTask(name, known) : known
    }
  }
  return [...seen.values()][0] ?? storedFile(source, await detectFormat(source))
}

/** What must be known to look into a PDF. */
function hintOf(taker: RequestedTask, engines: readonly Engine[]): PdfHint {
  const { operation, fields } = taker
  if (operation.kind !== 'process') return { mayBeLocked: true }
  const { options } = operation.specOf(fields)
  // The password of a PDF that is to be locked is the new one.
  const passwordField = operation.name === 'encrypt-pdf' ? 'currentPassword' : 'password'
  const password = options[passwordField]
  return {
    passwordField,
    // One that the conversion would not use opens nothing, though it were the right one.
    ...(typeof password === 'string' && readsPassword(taker, engines) && { password }),
    ...(operation.name === 'repair-pdf' && { mayBeDamaged: true }),
    ...(anythingGoes.includes(operation.name) && { mayBeLocked: true }),
  }
}

/** Operations that do not look into a file. */
const anythingGoes = ['archive', 'extract', 'metadata']

/** The way out that a conversion has for a PDF whose password is missing or wrong. */
function withWayOut(error: unknown, taker: RequestedTask, engines: readonly Engine[]): unknown {
  if (!(error instanceof AppError) || error.code !== 'PDF_ENCRYPTED' || taker.operation.kind !== 'process')
    return error
  try {
    return pdfRouteHas('password', taker, engines) ? error : decryptFirst(error)
  } catch (unplanned) {
    return unplanned
  }
}

/** What is wrong with the wish itself is told when it is planned. */
function readsPassword(taker: RequestedTask, engines: readonly Engine[]): boolean {
  try {
    return pdfRouteHas('password', taker, engines) || pdfRouteHas('currentPassword', taker, engines)
  } catch {
    return true
  }
}

function pdfRouteHas(
  option: string,
  { operation, fields }: RequestedTask,
  engines: readonly Engine[],
): boolean {
  if (operation.kind !== 'process') return false
  const { operation: wanted, engine, to = 'pdf' } = operation.wish([], operation.specOf(fields))
  return option in optionsOf(planRoute({ from: 'pdf', to, operation: wanted, engine, engines })).shape
}

function requireWork(tasks: readonly PlannedTask[], { onAllRefused, tasks: requested }: JobRequest): void {
  const errors = tasks.flatMap(({ refused }) => refused ?? [])
  const works = requested.filter(({ operation }) => operation.kind === 'process')
  if (onAllRefused && errors.length === works.length) throw onAllRefused(errors)
}

interface TaskContext {
  readonly request: JobRequest
  readonly numbers: ReadonlyMap<string, number>
  readonly files: Detected
  readonly jobId: string
  readonly services: Services
  readonly engines: readonly Engine[]
}

interface PlannedTask {
  readonly task: NewTask
  /** Of one that makes something: its target, that of its files when left out. */
  readonly makes?: { readonly to: string | undefined }
  /** Seconds, where the way is known. */
  readonly limitS?: number
  readonly refused?: AppError
}

function newTask(requested: RequestedTask, context: TaskContext): PlannedTask {
  const { name, operation, input, continueOnError } = requested
  const ins = input.flatMap((source) => context.numbers.get(source) ?? [])
  const common = {
    name,
    operation: operation.name,
    ins,
    continueOnError,
    warnings: [] as Warning[],
    spec: {},
  }
  switch (operation.kind) {
    case 'import':
      return isTransfer(operation)
        ? { task: { ...common, spec: sealedFields(requested, context), ...intoOf(name, context) } }
        : { task: { ...common, ...importOf(name, context) } }
    case 'export':
      return isTransfer(operation)
        ? { task: { ...common, spec: sealedFields(requested, context) } }
        : { task: { ...common, spec: requested.fields, fixed: { status: 'pending' } } }
    case 'process':
      return processTask(requested, common, context)
  }
}

function importOf(name: string, { files, request }: TaskContext): Pick<NewTask, 'fixed' | 'awaited'> {
  const file = files.get(name)
  if (file instanceof AppError) return { fixed: failed(file) }
  if (file) return { fixed: { status: 'completed', files: [file] } }
  const one = request.imports.get(name)
  if (one && 'awaited' in one) return { awaited: { form: one.form, uploadId: one.awaited.id } }
  throw new Error(`nothing is imported by ${name}`)
}

function intoOf(name: string, { request }: TaskContext): Pick<NewTask, 'uploadId'> {
  const one = request.imports.get(name)
  return one && 'into' in one ? { uploadId: one.into.id } : {}
}

const sealedFields = ({ operation, fields }: RequestedTask, { services, jobId }: TaskContext) =>
  services.vault.sealSome(fields, new Set('secrets' in operation ? operation.secrets : []), jobId)

const failed = ({ code, message, details }: AppError): NonNullable<NewTask['fixed']> => ({
  status: 'failed',
  ...{ code, message },
  ...(details && { details: { ...details } }),
})

/** Where all its files are there, its way is planned now, so that what cannot work is said at once. */
function processTask(requested: RequestedTask, common: NewTask, context: TaskContext): PlannedTask {
  const { request, files, services, engines, jobId } = context
  const { operation, fields, input, name } = requested
  if (operation.kind !== 'process') throw new Error(`${operation.name} makes nothing`)
  const named = <T>(action: () => T) => (namesTasks(request) ? ofTask(name, action) : action())
  const plan = (spec: Spec) => {
    const sources = input.map((source) => files.get(source))
    const refusal = sources.find((file) => file instanceof AppError)
    if (refusal) throw refusal
    const known = sources.filter(
      (file): file is StoredFile => file !== undefined && !(file instanceof AppError),
    )
    if (known.length < input.length) return undefined
    return planFiles(known, { ...operation.wish(known, spec), ...fieldOf(request) }, engines)
  }
  let task = common
  try {
    const spec = named(() => operation.specOf(fields))
    // What cannot work keeps it too, for who does the job again.
    task = { ...common, spec: sealedSpec(spec, jobId, services) }
    const planned = named(() => plan(spec))
    return {
      task: { ...task, warnings: planned?.warnings ?? [] },
      makes: { to: operation.wish([], spec).to },
      ...(planned && { limitS: planned.limitS }),
    }
  } catch (error) {
    if (!request.isBatch || !(error instanceof AppError)) throw error
    return { task: { ...task, fixed: failed(error) }, refused: error }
  }
}

const fieldOf = ({ fieldOfMore }: JobRequest): Partial<Wish> =>
  fieldOfMore === undefined ? {} : { moreField: fieldOfMore }

const sealedSpec = (spec: Spec, jobId: string, { vault }: Services): Spec => ({
  ...spec,
  options: vault.sealSome(spec.options, sealedOptions, jobId),
})

/** What is shown of the job without its tasks: its first file, and the last target that can be made. */
function displayOf({ tasks }: JobRequest, planned: readonly PlannedTask[], files: Detected): Job['display'] {
  const first = [...files.values()].find((file): file is StoredFile => !(file instanceof AppError))
  const last = planned.findLast(({ makes }) => makes)
  const target = last?.makes?.to ?? first?.format
  const limits = planned.flatMap(({ limitS }) => limitS ?? [])
  return {
    source: first ? { filename: first.filename, format: first.format, size: first.size } : null,
    target: target === undefined ? null : { format: target },
    operations: [...new Set(tasks.map(({ operation }) => operation.name))],
    pollS: pollAfterS(limits.length > 0 ? Math.max(...limits) : unknownLimitS),
  }
}

/** Seconds of a task whose files are not there yet. */
const unknownLimitS = 600
