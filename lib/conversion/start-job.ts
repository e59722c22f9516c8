import { getOwnerLimits } from '../accounts/plan-limits.ts'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import type { Engine } from '../engines/engine.ts'
import { secretOptionNames } from '../engines/options.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { createGraphRecords, type NewJob, type NewTask } from '../jobs/task-graph.ts'
import { selectFiles } from '../jobs/task-inputs.ts'
import type { Job, JobState, StoredFile } from '../model/job.ts'
import { selectsFiles } from '../model/task-input.ts'
import { requireAutoPdfEngine } from '../plan/pdf-engine.ts'
import { type ConversionSpec, planFiles } from '../plan/plan-files.ts'
import { getPollIntervalS } from '../plan/time-limits.ts'
import type { PlanId } from '../plans.ts'
import type { Services } from '../services/services.ts'
import { exportUrlOperation } from '../tasks/export-url.ts'
import { isTransferOperation } from '../tasks/index.ts'
import type { TaskOperation, TaskSpec } from '../tasks/operation.ts'
import { addTaskToErrors, type RequestedTask } from '../tasks/parse-tasks.ts'
import { clearUnknownFields } from '../tasks/unknown-options.ts'
import { getCurrentTraceparent } from '../trace.ts'
import { isOverwritable, takeUpload } from '../uploads/take-uploads.ts'
import { claimUploadWrite, createUploadWrite, type UploadRecord } from '../uploads/uploads.ts'
import { defined } from '../validation/defined.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import { requirePublicAddresses, requireSupportedOptions } from './check-tasks.ts'
import { requireImages } from './combine-images.ts'
import { type DetectedSources, detectSources } from './detect-sources.ts'
import { type JobRequest, shouldErrorsNameTasks } from './job-request.ts'
import { createUploadAlreadyUsedError, requireUnused, type SourceFile } from './source.ts'

/** Maximum number of uploads copied at the same time. */
const maxConcurrentCopies = 8

/**
 * Detects the files, plans what can be planned, and starts the job.
 * @throws AppError for unsupported files, targets and options; nothing is stored then.
 */
export async function startJob(request: JobRequest, services: Services): Promise<JobState> {
  const jobId = request.jobId ?? newId('job')
  const { owner, webhookUrl } = request
  const planLimits = await getOwnerLimits(owner, services)
  requirePdfEngines(request, planLimits.plan)
  for (const task of request.tasks) {
    const check = () => requirePublicAddresses(task, services.config)
    if (task.requestField) check()
    else addTaskToErrors(task.name, check)
  }
  const webhooks = new Webhooks(services)
  if (webhookUrl !== undefined) await webhooks.checkJobUrl(webhookUrl)
  const numbers = new Map(request.tasks.map(({ name }, number) => [name, number]))
  const engines = await services.engines()
  const sources = [...request.imports.values()].flatMap((importSource) =>
    'source' in importSource ? [importSource.source] : [],
  )
  const files = await detectSources(request, engines).catch((error: unknown) =>
    explainMissingFile(error, sources, services),
  )
  if (request.imagesOnly) requireImages(files, request.tasks[0]?.name, request.additionalFilesField)
  const byName = new Map(request.tasks.map((task) => [task.name, task]))
  const context = { request, numbers, files, jobId, services, engines, byName }
  const tasks = request.tasks.map((task) => createTask(task, context))
  requireProcessTask(tasks, request)
  const uploads = requireDistinctUploads(sources)
  const takenUploads = await takeUploads([...files.values()], sources, services)
  const retentionS = Math.min(
    request.expiresInS ?? Number.POSITIVE_INFINITY,
    planLimits.retentionHours * 3600,
  )
  const records = createGraphRecords(
    {
      id: jobId,
      owner: request.owner,
      keyId: request.keyId,
      requestId: request.requestId,
      tag: request.tag ?? null,
      retryOf: request.retryOf,
      display: createDisplay(request, tasks, files),
      warnings: [],
      retentionS,
      require: request.isBatch ? 'any' : 'all',
      failFast: request.failFast ?? false,
      packsResults: request.packsResults ?? false,
      hasWebhook: webhookUrl !== undefined,
      inOneList: planLimits.hasFewJobs,
      traceparent: getCurrentTraceparent(),
      tasks: tasks.map(({ task }) => withTakenFiles(task, takenUploads)),
    } satisfies NewJob,
    new Date(),
  )
  const awaitedTasks = request.tasks.flatMap(({ name }, task) => {
    const importSource = request.imports.get(name)
    return importSource && 'awaited' in importSource ? [{ ...importSource.awaited, jobId, task }] : []
  })
  const importTargets = [...request.imports.values()].flatMap((importSource) =>
    'into' in importSource ? [{ ...importSource.into, importJobId: jobId }] : [],
  )
  const claims = [
    ...sources.flatMap(({ upload, storedAt }) =>
      upload ? [claimUploadWrite(upload, jobId, storedAt?.toISOString())] : [],
    ),
    ...[...awaitedTasks, ...importTargets].map(createUploadWrite),
  ]
  const adoptAll = () => {
    for (const source of sources) source.adopt()
  }
  // The webhook is created before the job, because the job's first event is published as soon as the job is stored.
  if (webhookUrl !== undefined)
    await webhooks.createForJob({ url: webhookUrl, format: request.webhookFormat, owner, jobId, retentionS })
  const isNew = await services.jobs.create(records, claims).catch((error: unknown) => {
    // The job may have been stored despite the error and would need its files; files without a job expire.
    adoptAll()
    throw error
  })
  if (!isNew) {
    await services.files.delete([...takenUploads.values()].map(({ key }) => key))
    return findEarlierJob(jobId, uploads, services)
  }
  adoptAll()
  // The job uses copies of these objects, or no file at all if the file is damaged. Objects that cannot be deleted here
  // are deleted with the job.
  const unusedKeys = uploads.filter(isOverwritable).map(({ key }) => key)
  await services.files.delete(unusedKeys).catch((error: unknown) => {
    services.log.warn({ jobId, error }, 'uploaded files could not be deleted')
  })
  const { job, fixed, tasks: storedTasks } = records
  return { job, fixed, tasks: storedTasks, chunks: [] }
}

/** Checks the requested PDF renderers. @throws AppError for one that is not available. */
function requirePdfEngines(request: JobRequest, plan: PlanId): void {
  for (const { name, operation, fields } of request.tasks) {
    if (operation.kind !== 'process') continue
    const { options, ...otherFields } = fields
    // `requireAutoPdfEngine` validates the options together with the other fields of the task.
    const check = () => requireAutoPdfEngine({ ...otherFields, ...(options as TaskSpec['options']) }, plan)
    if (shouldErrorsNameTasks(request)) addTaskToErrors(name, check)
    else check()
  }
}

/**
 * Returns the uploads of a request.
 * @throws AppError INVALID_INPUT for an upload that is named twice, because it can only be used once.
 */
function requireDistinctUploads(sources: readonly SourceFile[]): readonly UploadRecord[] {
  const takenUploads = new Map<string, UploadRecord>()
  for (const { upload, field } of sources) {
    if (!upload) continue
    if (takenUploads.has(upload.id)) {
      const sentence = `${field}: ${upload.id} is named twice, but can only be used once. Upload the file again for the second use.`
      throw new AppError('INVALID_INPUT', sentence, { field, uploadId: upload.id })
    }
    takenUploads.set(upload.id, upload)
  }
  return [...takenUploads.values()]
}

/** Copies the files that a presigned URL could still overwrite. @returns the copies by the keys of the originals. */
async function takeUploads(
  detectedFiles: readonly (StoredFile | AppError)[],
  sources: readonly SourceFile[],
  services: Services,
): Promise<Map<string, Pick<StoredFile, 'key' | 'etag'>>> {
  const keys = new Set(
    sources.flatMap(({ upload }) => (upload && isOverwritable(upload) ? [upload.key] : [])),
  )
  const files = detectedFiles.flatMap((file) => (file instanceof AppError || !keys.has(file.key) ? [] : file))
  const takenFiles = new Map<string, Pick<StoredFile, 'key' | 'etag'>>()
  try {
    await forEachConcurrently(files, maxConcurrentCopies, async (file) => {
      takenFiles.set(file.key, await takeUpload(file, services.files))
    })
    return takenFiles
  } catch (error) {
    await services.files.delete([...takenFiles.values()].map(({ key }) => key))
    return explainMissingFile(error, sources, services)
  }
}

const withTakenFiles = (
  task: NewTask,
  takenFiles: ReadonlyMap<string, Pick<StoredFile, 'key' | 'etag'>>,
): NewTask => {
  if (!task.fixed?.files) return task
  const files = task.fixed.files.map((file) => ({ ...file, ...takenFiles.get(file.key) }))
  return { ...task, fixed: { ...task.fixed, files } }
}

/** Throws the error, or CONFLICT if the file is missing because another job took the upload in the meantime. */
async function explainMissingFile(
  error: unknown,
  sources: readonly SourceFile[],
  services: Services,
): Promise<never> {
  if (error instanceof AppError && error.code === 'FILE_GONE')
    for (const { upload, field } of sources) if (upload) await requireUnused(upload, field, services)
  throw error
}

/**
 * Returns the job that an earlier attempt at the same request created. @throws AppError if there is none, because
 * another job has then used an upload.
 */
async function findEarlierJob(
  jobId: string,
  uploads: readonly UploadRecord[],
  { jobs }: Services,
): Promise<JobState> {
  const state = await jobs.store.getState(jobId)
  if (state) return state
  const [firstUpload] = uploads
  if (firstUpload) throw createUploadAlreadyUsedError(firstUpload, undefined, 'uploadId')
  throw new Error(`${jobId} was not created, but no earlier attempt has created it either`)
}

function requireProcessTask(
  tasks: readonly PlannedTask[],
  { createAllRefusedError, tasks: requestedTasks }: JobRequest,
): void {
  const errors = tasks.flatMap(({ error }) => error ?? [])
  const processTasks = requestedTasks.filter(({ operation }) => operation.kind === 'process')
  if (createAllRefusedError && errors.length === processTasks.length) throw createAllRefusedError(errors)
}

interface TaskContext {
  readonly request: JobRequest
  readonly numbers: ReadonlyMap<string, number>
  readonly files: DetectedSources
  readonly jobId: string
  readonly services: Services
  readonly engines: readonly Engine[]
  readonly byName: ReadonlyMap<string, RequestedTask>
}

interface PlannedTask {
  readonly task: NewTask
  /** Set for a task that produces files: its target format, or undefined for the format of its inputs. */
  readonly output?: { readonly to: string | undefined }
  /** Time limit in seconds, if the route is known. */
  readonly timeLimitS?: number
  readonly error?: AppError
}

function createTask(requestedTask: RequestedTask, context: TaskContext): PlannedTask {
  const { name, operation, input, sentInput, continueOnError } = requestedTask
  const inputNumbers = input.flatMap((source) => context.numbers.get(source) ?? [])
  const commonFields: NewTask = {
    name,
    operation: operation.name,
    ins: inputNumbers,
    input: sentInput,
    continueOnError,
    warnings: [],
    spec: {},
  }
  switch (operation.kind) {
    case 'import':
      return isTransferOperation(operation)
        ? {
            task: {
              ...commonFields,
              spec: sealFields(requestedTask, context),
              ...getImportTargetFields(name, context),
            },
          }
        : { task: { ...commonFields, ...getImportFields(name, context) } }
    case 'export':
      return isTransferOperation(operation) && !isLinkExportWithoutWork(requestedTask)
        ? { task: { ...commonFields, spec: sealFields(requestedTask, context) } }
        : { task: { ...commonFields, spec: requestedTask.fields, fixed: { status: 'pending' } } }
    case 'process':
      return createProcessTask(requestedTask, commonFields, context)
  }
}

/** Whether an export only creates links. This needs no work: the links exist as soon as the input files do. */
const isLinkExportWithoutWork = ({ operation, fields, sentInput }: RequestedTask): boolean =>
  operation === exportUrlOperation &&
  fields['archive_multiple_files'] === undefined &&
  !selectsFiles(sentInput)

function getImportFields(name: string, { files, request }: TaskContext): Pick<NewTask, 'fixed' | 'awaited'> {
  const file = files.get(name)
  if (file instanceof AppError) return { fixed: toFailedTask(file) }
  if (file) return { fixed: { status: 'completed', files: [file] } }
  const importSource = request.imports.get(name)
  if (importSource && 'awaited' in importSource)
    return { awaited: { form: importSource.form, uploadId: importSource.awaited.id } }
  throw new Error(`the task ${name} has no import source`)
}

function getImportTargetFields(name: string, { request }: TaskContext): Pick<NewTask, 'uploadId'> {
  const source = request.imports.get(name)
  return source && 'into' in source ? { uploadId: source.into.id } : {}
}

const sealFields = ({ operation, fields }: RequestedTask, { services, jobId }: TaskContext) =>
  services.vault.sealClientSecrets(fields, new Set('secrets' in operation ? operation.secrets : []), jobId)

const toFailedTask = ({ code, message, details }: AppError): NonNullable<NewTask['fixed']> => ({
  status: 'failed',
  code,
  message,
  ...defined({ details: details && { ...details } }),
})

/** Creates a processing task. If all of its files are available, plans it, so that errors are reported immediately. */
function createProcessTask(
  requestedTask: RequestedTask,
  commonFields: NewTask,
  context: TaskContext,
): PlannedTask {
  const { request, files, engines } = context
  const { operation, fields, input, sentInput, name } = requestedTask
  if (operation.kind !== 'process') throw new Error(`${operation.name} is not a processing operation`)
  const addTaskNameToErrors = <T>(action: () => T) =>
    shouldErrorsNameTasks(request) ? addTaskToErrors(name, action) : action()
  const plan = (spec: TaskSpec) => {
    const sources = input.map((source) => files.get(source))
    const fileError = sources.find((file) => file instanceof AppError)
    if (fileError) throw fileError
    const knownFiles = sources.filter(
      (file): file is StoredFile => file !== undefined && !(file instanceof AppError),
    )
    if (knownFiles.length < input.length) return undefined
    const filesByTask = new Map(input.map((source, index) => [source, knownFiles.slice(index, index + 1)]))
    const selectedFiles = selectsFiles(sentInput)
      ? selectFiles(sentInput, (source) => filesByTask.get(source) ?? [])
      : knownFiles
    return planFiles(
      selectedFiles,
      { ...operation.toConversionSpec(selectedFiles, spec), ...pickAdditionalFilesField(request) },
      engines,
    )
  }
  let task = commonFields
  try {
    const spec = addTaskNameToErrors(() => operation.parseSpec(fields))
    // Failed tasks also keep their spec, for retries of the job.
    task = { ...commonFields, spec: sealSpec(spec, operation, context) }
    const taskPlan = addTaskNameToErrors(() => plan(spec))
    addTaskNameToErrors(() =>
      requireSupportedOptions(requestedTask, {
        tasksByName: context.byName,
        engines,
        hasPlan: taskPlan !== undefined,
      }),
    )
    return {
      task: { ...task, warnings: taskPlan?.warnings ?? [] },
      output: { to: operation.toConversionSpec([], spec).to },
      ...defined({ timeLimitS: taskPlan?.timeLimitS }),
    }
  } catch (error) {
    if (!request.isBatch || !(error instanceof AppError)) throw error
    return { task: { ...task, fixed: toFailedTask(error) }, error }
  }
}

const pickAdditionalFilesField = ({ additionalFilesField }: JobRequest): Partial<ConversionSpec> =>
  additionalFilesField === undefined ? {} : { additionalFilesField }

const sealSpec = (
  spec: TaskSpec,
  operation: TaskOperation,
  { services: { vault }, engines, jobId }: TaskContext,
): TaskSpec => ({
  ...spec,
  options: vault.sealClientSecrets(
    clearUnknownFields(spec.options, operation, engines),
    secretOptionNames,
    jobId,
  ),
})

/**
 * Creates the part of a job's record that views show without loading its tasks: the first file, and the target format
 * of the last task that produces files.
 */
function createDisplay(
  { tasks }: JobRequest,
  plannedTasks: readonly PlannedTask[],
  files: DetectedSources,
): Job['display'] {
  const firstFile = [...files.values()].find((file): file is StoredFile => !(file instanceof AppError))
  const lastTask = plannedTasks.findLast(({ output }) => output)
  const target = lastTask?.output?.to ?? firstFile?.format
  const limits = plannedTasks.flatMap(({ timeLimitS }) => timeLimitS ?? [])
  return {
    source: firstFile
      ? { filename: firstFile.filename, format: firstFile.format, size: firstFile.size }
      : null,
    target: target === undefined ? null : { format: target },
    operations: [...new Set(tasks.map(({ operation }) => operation.name))],
    pollS: getPollIntervalS(limits.length > 0 ? Math.max(...limits) : unknownLimitS),
  }
}

/** Assumed time limit, in seconds, of a task whose files are not available yet. */
const unknownLimitS = 600
