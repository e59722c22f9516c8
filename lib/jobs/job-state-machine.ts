import {
  type BatchSummary,
  type DependencyState,
  type FixedTask,
  isTaskOver,
  isTerminalStatus,
  type Job,
  type JobError,
  type JobResult,
  type JobState,
  type JobStatus,
  type ResultFile,
  type StoredFile,
  type Task,
  type Warning,
} from '../model/job.ts'
import { createNameFromTemplate } from '../names/file-name.ts'
import { UniqueNames } from '../names/unique-names.ts'
import { defined } from '../validation/defined.ts'
import { createFailedItemWarnings, isProcessTask } from './failed-items.ts'
import { combineJobFidelity } from './job-fidelity.ts'
import { bucketSize, getBucketNumber } from './keys.ts'
import { getLinkLifetimeS } from './link-lifetime.ts'

/**
 * Decisions about a job, derived from its records without I/O. Each write returns the changed record, and these
 * functions decide what happens next; the same record always leads to the same decision.
 */

/** Seconds after the end of a lease before the task is sent to another worker. */
export const leaseGraceS = 30
export const maxTaskAttempts = 3

type NextAction = 'wait' | 'run' | 'skip'

/**
 * Decides whether a task waits, runs, or is skipped. It runs when all its inputs are available; a lost input never
 * becomes available.
 */
export function decideNextAction({
  open,
  lost,
  got,
  fed,
}: DependencyState & { readonly fed: boolean }): NextAction {
  if (lost) return 'skip'
  if (open) return 'wait'
  return fed || got ? 'run' : 'skip'
}

/** Whether all chunks of a task are complete. */
export const isReadyToJoin = ({ expandedBy, open, lost }: Pick<Task, 'expandedBy' | 'open' | 'lost'>) =>
  expandedBy !== undefined && !open && !lost

/** Percentage of a task when all its chunks are complete and have to be joined. */
export const joinStartPercent = 90

/**
 * Returns the progress of a task, from 0 to 100. For a split task, finished chunks count, but the progress is
 * never less than the progress before the split.
 */
export function getTaskPercent({ status, percent, expandedBy, partCount, open }: Task): number {
  if (status !== 'processing' || expandedBy === undefined || !partCount) return percent
  return Math.max(percent, Math.floor(((partCount - (open?.size ?? 0)) / partCount) * joinStartPercent))
}

/** Whether the end of a task fails the tasks that depend on it, and its job. */
export const failsDependents = ({ status, continueOnError }: Pick<Task, 'status' | 'continueOnError'>) =>
  status !== 'completed' && !continueOnError

/** Whether the outcome of a job is known: all tasks have ended, or the remaining tasks cannot change the outcome. */
export const isOutcomeKnown = ({ open, lost, failFast, total }: Job) =>
  !open || total === 0 || (failFast === true && lost !== undefined)

/**
 * Returns the progress of a job, from 0 to 100. It never decreases, because a running task counts less than a finished
 * one.
 */
export function getJobPercent({ status, open, units, running }: Job): number {
  if (status === 'completed') return 100
  const openUnits = [...(open ?? [])]
  const runningPercent = openUnits.reduce((sum, unit) => sum + Math.min(99, running[unit] ?? 0), 0)
  return units === 0
    ? 0
    : Math.min(99, Math.floor(((units - openUnits.length) * 100 + runningPercent) / units))
}

/** Returns the status of a task at the start of the job, when only the first task was running. */
export function getStatusAtStart({ number }: { readonly number: number }, job: Job): Task['status'] {
  return number === job.startedWith ? 'processing' : 'pending'
}

export interface JobOutcome {
  readonly status: Extract<JobStatus, 'completed' | 'failed'>
  readonly error?: JobError
  readonly summary?: BatchSummary
  readonly result: JobResult
}

/** Decides the outcome of a job whose tasks have ended. */
export function decideOutcome(state: JobState): JobOutcome {
  const { job, tasks } = state
  const summary = job.require === 'any' ? { summary: summarizeBatch(state) } : {}
  const result = buildResult(state)
  const firstLostTask = findFirstLostTask(state)
  const hasFailed =
    job.require === 'any' ? !tasks.some(({ status }) => status === 'completed') : firstLostTask !== undefined
  if (!hasFailed) return { status: 'completed', ...summary, result }
  const error = getTaskError(findFirstFailure(state, firstLostTask))
  return { status: 'failed', error, summary: summarizeBatch(state), result }
}

/** Whether a task has its own record. */
export const hasRecord = (task: FixedTask | Task): task is Task => 'attempt' in task

function summarizeBatch({ fixed, tasks }: JobState): BatchSummary {
  const processTasks = [...fixed, ...tasks].filter(isProcessTask)
  const completedCount = processTasks.filter(({ status }) => status === 'completed').length
  return {
    total: processTasks.length,
    completed: completedCount,
    failed: processTasks.length - completedCount,
  }
}

/** Finds the task that failed first; tasks that were cancelled for lack of input rank after failed ones. */
function findFirstLostTask({ tasks }: JobState): Task | undefined {
  const lostTasks = tasks.filter((task) => isTaskOver(task) && failsDependents(task))
  return sortByEnd(lostTasks.filter(({ status }) => status === 'failed'))[0] ?? sortByEnd(lostTasks)[0]
}

/**
 * Finds the failure that explains the end of a task: for a task that was cancelled for lack of input, the failure of an
 * earlier task.
 */
const findFirstFailure = (
  { fixed, tasks }: JobState,
  lostTask: Task | undefined,
): Task | FixedTask | undefined =>
  (lostTask?.status === 'failed' ? lostTask : undefined) ??
  sortByEnd(tasks.filter(({ status }) => status === 'failed'))[0] ??
  fixed.find(({ status }) => status === 'failed')

const sortByEnd = (tasks: readonly Task[]) =>
  tasks.toSorted((a, b) => (a.endedAt ?? '').localeCompare(b.endedAt ?? '') || a.number - b.number)

function getTaskError(task: Task | FixedTask | undefined): JobError {
  const details = { ...task?.details, ...defined({ task: task?.name }) }
  return {
    // The code is from an AppError, or was set in this module.
    code: (task?.code as JobError['code'] | undefined) ?? 'CONVERSION_FAILED',
    message: task?.message ?? 'None of the tasks produced a result.',
    details,
  }
}

/** Returns the result of a job that has ended: from its record, or built from its tasks if it did not fit there. */
export const getJobResult = (state: JobState): JobResult => state.job.result ?? buildResult(state)

function buildResult(state: JobState): JobResult {
  const { job, tasks } = state
  const processTasks = tasks.filter(isProcessTask)
  const [onlyTask] = processTasks
  const resultFields =
    onlyTask && processTasks.length === 1
      ? {
          engine: onlyTask.engine,
          engineVersion: onlyTask.engineVersion,
          method: onlyTask.method,
          details: onlyTask.details,
        }
      : {}
  const allFields = { ...resultFields, fidelity: combineJobFidelity(processTasks) }
  const presentFields = Object.fromEntries(
    Object.entries(allFields).filter(([, value]) => value !== undefined),
  )
  const warnings = [
    ...collectWarnings(job, tasks),
    ...(job.require === 'any' ? createFailedItemWarnings(state) : []),
  ]
  return { files: listResultFiles(state), warnings, ...presentFields }
}

/** Returns warnings about the request, then those of each task, without duplicates. */
export const collectWarnings = (
  job: Pick<Job, 'warnings'>,
  tasks: readonly Pick<Task, 'warnings'>[],
): Warning[] => deduplicateWarnings([...job.warnings, ...tasks.flatMap(({ warnings }) => warnings)])

/**
 * Removes duplicates. The table returns the fields of a warning in any order, so they are sorted for the comparison.
 */
export function deduplicateWarnings(warnings: readonly Warning[]): Warning[] {
  const getContentKey = ({ code, message, field }: Warning) => JSON.stringify([code, message, field])
  return [...new Map(warnings.map((warning) => [getContentKey(warning), warning])).values()]
}

/**
 * Returns the files to which a job's exports have links. If there are no links, returns the files that were exported to
 * other stores, because this service keeps them as well.
 */
export function listResultFiles(state: JobState): ResultFile[] {
  const links = [...state.fixed, ...state.tasks].filter(isLinkExport)
  const exportTasks = links.length > 0 ? links : state.tasks.filter(({ deliveries }) => deliveries)
  const files = exportTasks.flatMap((task) =>
    nameExportFiles(task, state).map(({ members: _, ...file }) => ({
      ...file,
      ...defined({ linkLifetimeS: getLinkLifetimeS(task) }),
    })),
  )
  return makeNamesUnique(deduplicateFiles(files))
}

/** Removes duplicates: a file of several exports counts once, with the links that work longest. */
function deduplicateFiles(files: readonly ResultFile[]): ResultFile[] {
  const getLifetimeS = (file: ResultFile) => file.linkLifetimeS ?? Number.POSITIVE_INFINITY
  const filesByKey = new Map<string, ResultFile>()
  for (const file of files) {
    const earlierFile = filesByKey.get(file.key)
    if (!earlierFile || getLifetimeS(file) >= getLifetimeS(earlierFile)) filesByKey.set(file.key, file)
  }
  return [...filesByKey.values()]
}

export const isLinkExport = ({ operation }: { readonly operation: string }) => operation === 'export/url'

/** Returns the files of an export, renamed by its filename template. */
export function nameExportFiles(task: FixedTask | Task, state: JobState): StoredFile[] {
  const template = task.spec?.['filename']
  const { id: jobId, createdAt: date } = state.job
  const files = listExportedFiles(task, state)
  if (typeof template !== 'string') return makeNamesUnique(files)
  return makeNamesUnique(
    files.map((file, index) => ({
      ...file,
      filename: createNameFromTemplate(template, { name: file.filename, jobId, index, date }),
    })),
  )
}

/** Returns the files that an export delivers. A link export that has a record has stored these files itself. */
const listExportedFiles = (task: FixedTask | Task, state: JobState): readonly StoredFile[] =>
  isLinkExport(task) && hasRecord(task)
    ? listTaskFiles(task.number, state)
    : task.ins.flatMap((number) => listTaskFiles(number, state))

function makeNamesUnique<File extends StoredFile>(files: readonly File[]): File[] {
  const names = new UniqueNames()
  return files.map((file) => ({ ...file, filename: names.createUniqueName(file.filename) }))
}

/** Returns the files that a task provides to the tasks that depend on it. */
export function listTaskFiles(
  number: number,
  { fixed, tasks }: Pick<JobState, 'fixed' | 'tasks'>,
): StoredFile[] {
  const task = tasks.find((candidate) => candidate.number === number)
  if (task) return task.status === 'completed' ? task.files : []
  return fixed.find((candidate) => candidate.number === number)?.files ?? []
}

/**
 * Returns the status of a task without a record, such as an export of links: it does no work and ends when its inputs
 * do.
 */
export function getFixedTaskStatus(task: FixedTask, { job, tasks }: JobState): FixedTask['status'] {
  if (!task.operation.startsWith('export/')) return task.status
  const inputs = tasks.filter(({ number }) => task.ins.includes(number))
  if (inputs.some((input) => isTaskOver(input) && failsDependents(input))) return 'cancelled'
  if (inputs.every(isTaskOver)) return 'completed'
  return isTerminalStatus(job.status) ? 'cancelled' : 'pending'
}

/** Returns the first file that was imported after the job was created. */
export function findFirstImportedFile({ tasks }: Pick<JobState, 'tasks'>): Job['display']['source'] {
  const task = tasks.find(
    ({ operation, status }) => operation.startsWith('import/') && status === 'completed',
  )
  const file = task?.brought ?? task?.files[0]
  return file ? { filename: file.filename, format: file.format, size: file.size } : null
}

/** A file of a job, and whether it is an input or a result. */
export interface JobFile extends StoredFile {
  readonly role: 'source' | 'output'
}

/** Returns every input and result file of a job, without duplicates, in a stable order. */
export function listJobFiles({ fixed, tasks }: JobState): JobFile[] {
  const getRole = ({ operation }: { readonly operation: string }) =>
    operation.startsWith('import/') ? ('source' as const) : ('output' as const)
  const allTasks = [...fixed, ...tasks].toSorted((a, b) => a.number - b.number)
  const files = allTasks.flatMap((task) =>
    (task.files ?? []).map((file) => ({ ...file, role: getRole(task) })),
  )
  return [...new Map(files.reverse().map((file) => [file.key, file])).values()].reverse()
}

interface StalledTasks {
  /** Tasks that are ready, or abandoned by their workers; they must be sent again. */
  readonly unsentTasks: readonly Task[]
  /** Tasks that have ended, but whose dependents may not have been updated. */
  readonly unreportedTasks: readonly Task[]
}

/** Finds tasks of an unfinished job that are stuck because a message or a worker was lost. */
export function findStalledTasks({ job, tasks, chunks }: JobState, now: Date): StalledTasks {
  const graceCutoff = new Date(now.getTime() - leaseGraceS * 1000).toISOString()
  const isAbandoned = (task: Task) => task.leaseUntil !== undefined && task.leaseUntil <= graceCutoff
  const canRun = (task: Task) =>
    task.status === 'pending' &&
    job.status !== 'pending' &&
    task.form === undefined &&
    // A task with a plan has already started, and its dependencies were cleared then.
    (decideNextAction(task) === 'run' || (task.pieces !== undefined && !task.open && !task.lost))
  const tasksAndChunks = [...tasks, ...chunks.filter((chunk) => isChunkAwaited(chunk, tasks))]
  return {
    unsentTasks: tasksAndChunks.filter(
      (task) =>
        canRun(task) ||
        (task.status === 'processing' && (isAbandoned(task) || (isReadyToJoin(task) && !task.leaseId))),
    ),
    unreportedTasks: tasksAndChunks.filter(
      (task) =>
        isTaskOver(task) && (task.endedAt ?? '') <= graceCutoff && isStillAwaited(task, { job, tasks }),
    ),
  }
}

/**
 * Whether a record still waits for a finished task. With join buckets, the record waits until all tasks of the bucket
 * have ended.
 */
function isStillAwaited(task: Task, { job, tasks }: Pick<JobState, 'job' | 'tasks'>): boolean {
  if (task.part !== undefined) return isChunkAwaited(task, tasks)
  const usesJoinBuckets = (numbers: readonly number[]) => numbers.length > bucketSize
  const areTasksOver = (numbers: readonly number[]) =>
    tasks.every((one) => !numbers.includes(one.number) || isTaskOver(one))
  const bucket = getBucketNumber(task.number)
  const numbersInBucket = tasks
    .map(({ number }) => number)
    .filter((number) => getBucketNumber(number) === bucket)
  const isOpenInJob =
    job.total > bucketSize
      ? job.open?.has(bucket) && areTasksOver(numbersInBucket)
      : job.open?.has(task.number)
  return (
    isOpenInJob === true ||
    tasks.some(
      ({ ins, open, status }) =>
        status === 'pending' &&
        ins.includes(task.number) &&
        (usesJoinBuckets(ins) ? open !== undefined && areTasksOver(ins) : open?.has(task.number)),
    )
  )
}

/** Whether a chunk matters to its task: the task waits for the chunk, or still runs although the chunk has failed. */
const isChunkAwaited = (chunk: Task, tasks: readonly Task[]) =>
  tasks.some(({ number, status, open, lost }) => {
    const includesChunk = (numbers: ReadonlySet<number> | undefined) =>
      numbers?.has(chunk.part ?? -1) === true
    return number === chunk.number && status === 'processing' && (includesChunk(open) || includesChunk(lost))
  })
