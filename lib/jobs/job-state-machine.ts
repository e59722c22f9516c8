import { type Fidelity, inTurn, together } from '../fidelity/fidelity.ts'
import { nameFromTemplate } from '../file-name.ts'
import { DistinctNames } from '../unique-names.ts'
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
  type StoredFile,
  type Task,
  type Warning,
} from './job.ts'
import { bucketNumber, bucketSize } from './keys.ts'

/**
 * What follows from the records of a job, without input or output. Writes give back the record that they changed, and
 * these functions say of it what is to happen next; asked again of the same record they say the same.
 */

/** Seconds that a worker has beyond its lease before its task is sent to another one. */
export const leaseGraceS = 30
export const maxAttempts = 3

export type NextAction = 'wait' | 'run' | 'skip'

/** A task runs when all that it takes is there; what was lost cannot come any more. */
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

/** All its parts are there. */
export const isReadyToJoin = ({ expandedBy, open, lost }: Pick<Task, 'expandedBy' | 'open' | 'lost'>) =>
  expandedBy !== undefined && !open && !lost

/** Percent of a task when all its parts are over and are to be joined. */
export const joinStartPercent = 90

/** 0 to 100; of a task that has split as much as its parts that are over, or what was done before if that is more. */
export function percentOfTask({ status, percent, expandedBy, partCount, open }: Task): number {
  if (status !== 'processing' || expandedBy === undefined || !partCount) return percent
  return Math.max(percent, Math.floor(((partCount - (open?.size ?? 0)) / partCount) * joinStartPercent))
}

/** Whether those that wait for a task, and its job, have lost something by its end. */
export const failsDependents = ({ status, continueOnError }: Pick<Task, 'status' | 'continueOnError'>) =>
  status !== 'completed' && !continueOnError

/** Whether nothing that a job waits for is left, or nothing else counts any more. */
export const isOutcomeKnown = ({ open, lost, failFast, total }: Job) =>
  !open || total === 0 || (failFast === true && lost !== undefined)

/** 0 to 100; it never falls, as what is under way counts for less than what is over. */
export function percentOf({ status, open, units, running }: Job): number {
  if (status === 'completed') return 100
  const openUnits = [...(open ?? [])]
  const runningPercent = openUnits.reduce((sum, unit) => sum + Math.min(99, running[unit] ?? 0), 0)
  return units === 0
    ? 0
    : Math.min(99, Math.floor(((units - openUnits.length) * 100 + runningPercent) / units))
}

/** The task that started first, as it was then; the others had not. */
export function statusAtStart({ number }: { readonly number: number }, job: Job): Task['status'] {
  return number === job.startedWith ? 'processing' : 'pending'
}

export interface JobOutcome {
  readonly status: Extract<JobStatus, 'completed' | 'failed'>
  readonly error?: JobError
  readonly summary?: BatchSummary
  readonly result: JobResult
}

/** How a job ends whose tasks are over. */
export function decideOutcome(state: JobState): JobOutcome {
  const { job, tasks } = state
  const summary = job.require === 'any' ? { summary: summaryOf(state) } : {}
  const result = buildResult(state)
  const lost = findFirstLoss(state)
  const failed =
    job.require === 'any' ? !tasks.some(({ status }) => status === 'completed') : lost !== undefined
  if (!failed) return { status: 'completed', ...summary, result }
  return { status: 'failed', error: errorOf(findFirstFailure(state, lost)), ...summary, result }
}

/** Whether a task has a record of its own. */
export const hasRecord = (task: FixedTask | Task): task is Task => 'attempt' in task

const isWork = ({ operation }: { readonly operation: string }) =>
  !operation.startsWith('import/') && !operation.startsWith('export/')

function summaryOf({ fixed, tasks }: JobState): BatchSummary {
  const work = [...fixed, ...tasks].filter(isWork)
  const completed = work.filter(({ status }) => status === 'completed').length
  return { total: work.length, completed, failed: work.length - completed }
}

/** What failed first; those that were only left without input come after it. */
function findFirstLoss({ tasks }: JobState): Task | undefined {
  const lost = tasks.filter((task) => isTaskOver(task) && failsDependents(task))
  return sortByEnd(lost.filter(({ status }) => status === 'failed'))[0] ?? sortByEnd(lost)[0]
}

/** What a task lacked that was only left without input is told by the one that failed before it. */
const findFirstFailure = ({ fixed, tasks }: JobState, lost: Task | undefined): Task | FixedTask | undefined =>
  (lost?.status === 'failed' ? lost : undefined) ??
  sortByEnd(tasks.filter(({ status }) => status === 'failed'))[0] ??
  fixed.find(({ status }) => status === 'failed')

const sortByEnd = (tasks: readonly Task[]) =>
  tasks.toSorted((a, b) => (a.endedAt ?? '').localeCompare(b.endedAt ?? '') || a.number - b.number)

function errorOf(task: Task | FixedTask | undefined): JobError {
  const details = { ...task?.details, ...(task && { task: task.name }) }
  return {
    // Codes of tasks come from AppErrors, or are made here.
    code: (task?.code as JobError['code'] | undefined) ?? 'CONVERSION_FAILED',
    message: task?.message ?? 'None of the tasks gave a result.',
    details,
  }
}

/** The result of a job that is over: where its own record had no room for it, from its tasks. */
export const resultOfJob = (state: JobState): JobResult => state.job.result ?? buildResult(state)

function buildResult(state: JobState): JobResult {
  const { job, tasks } = state
  const work = tasks.filter(isWork)
  const [only] = work
  const facts =
    only && work.length === 1
      ? { engine: only.engine, engineVersion: only.engineVersion, method: only.method, details: only.details }
      : {}
  const all = { ...facts, fidelity: fidelityOf(work) }
  const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return { files: resultFiles(state), warnings: warningsOf(job, tasks), ...present }
}

/** What came through of all that was sent: of tasks side by side their sum, of those in turn what is left. */
function fidelityOf(work: readonly Task[]): Fidelity | undefined {
  const completed = new Map(
    work.filter(({ status }) => status === 'completed').map((task) => [task.number, task]),
  )
  const inputNumbers = new Set([...completed.values()].flatMap(({ ins }) => ins))
  const cache = new Map<number, Fidelity | undefined>()
  const fidelityUpTo = (task: Task): Fidelity | undefined => {
    if (cache.has(task.number)) return cache.get(task.number)
    const before = task.ins.flatMap((number) => completed.get(number) ?? [])
    const fidelity = inTurn(together(before.map(fidelityUpTo)), task.fidelity)
    cache.set(task.number, fidelity)
    return fidelity
  }
  return together([...completed.values()].filter(({ number }) => !inputNumbers.has(number)).map(fidelityUpTo))
}

/** About the request first, then task by task, each once. */
export const warningsOf = (job: Pick<Job, 'warnings'>, tasks: readonly Pick<Task, 'warnings'>[]): Warning[] =>
  uniqueWarnings([...job.warnings, ...tasks.flatMap(({ warnings }) => warnings)])

/** Each once. The table gives their fields back in an order of its own. */
export function uniqueWarnings(warnings: readonly Warning[]): Warning[] {
  const byContent = ({ code, message, field }: Warning) => JSON.stringify([code, message, field])
  return [...new Map(warnings.map((warning) => [byContent(warning), warning])).values()]
}

/** What the exports of a job give out; where none gives out links, what they took elsewhere, which lies here as well. */
export function resultFiles(state: JobState): StoredFile[] {
  const links = state.fixed.filter(({ operation }) => operation === 'export/url')
  const exports = links.length > 0 ? links : state.tasks.filter(({ deliveries }) => deliveries)
  const files = exports.flatMap((task) => nameExportFiles(task, state))
  return withUniqueNames([...new Map(files.map((file) => [file.key, file])).values()])
}

/** The files of an export under the names that it gives them. */
export function nameExportFiles(task: FixedTask | Task, state: JobState): StoredFile[] {
  const template = task.spec?.['filename']
  const { id: jobId, createdAt: date } = state.job
  const files = task.ins.flatMap((number) => filesOfTask(number, state))
  if (typeof template !== 'string') return withUniqueNames(files)
  return withUniqueNames(
    files.map((file, index) => ({
      ...file,
      filename: nameFromTemplate(template, { name: file.filename, jobId, index, date }),
    })),
  )
}

function withUniqueNames(files: readonly StoredFile[]): StoredFile[] {
  const names = new DistinctNames()
  return files.map((file) => ({ ...file, filename: names.next(file.filename) }))
}

/** What a task gives to those that take its files. */
export function filesOfTask(
  number: number,
  { fixed, tasks }: Pick<JobState, 'fixed' | 'tasks'>,
): StoredFile[] {
  const task = tasks.find((candidate) => candidate.number === number)
  if (task) return task.status === 'completed' ? task.files : []
  return fixed.find((candidate) => candidate.number === number)?.files ?? []
}

/** An export of a link has no work of its own: it is over when its inputs are. */
export function statusOfFixed(task: FixedTask, { job, tasks }: JobState): FixedTask['status'] {
  if (!task.operation.startsWith('export/')) return task.status
  const inputs = tasks.filter(({ number }) => task.ins.includes(number))
  if (inputs.some((input) => isTaskOver(input) && failsDependents(input))) return 'cancelled'
  if (inputs.every(isTaskOver)) return 'completed'
  return isTerminalStatus(job.status) ? 'cancelled' : 'pending'
}

/** The first file of a job whose imports brought it when the job was there already. */
export function firstImportedFile({ tasks }: Pick<JobState, 'tasks'>): Job['display']['source'] {
  const task = tasks.find(
    ({ operation, status }) => operation.startsWith('import/') && status === 'completed',
  )
  const file = task?.brought ?? task?.files[0]
  return file ? { filename: file.filename, format: file.format, size: file.size } : null
}

/** A file of a job, and whether somebody sent it or the job made it. */
export interface JobFile extends StoredFile {
  readonly role: 'source' | 'output'
}

/** Every file that somebody sent to a job or that a task made, each once, in an order that stays. */
export function filesOfJob({ fixed, tasks }: JobState): JobFile[] {
  const roleOf = ({ operation }: { readonly operation: string }) =>
    operation.startsWith('import/') ? ('source' as const) : ('output' as const)
  const all = [...fixed, ...tasks].toSorted((a, b) => a.number - b.number)
  const files = all.flatMap((task) => (task.files ?? []).map((file) => ({ ...file, role: roleOf(task) })))
  return [...new Map(files.reverse().map((file) => [file.key, file])).values()].reverse()
}

export interface StalledTasks {
  /** Ready, or left by their workers: they are sent again. */
  readonly toSend: readonly Task[]
  /** Over, but those that wait for them may not have heard of it. */
  readonly unreported: readonly Task[]
}

/** What has come to rest in a live job though nothing holds it: a message or a worker was lost. */
export function findStalledTasks({ job, tasks, chunks }: JobState, now: Date): StalledTasks {
  const graceLimit = new Date(now.getTime() - leaseGraceS * 1000).toISOString()
  const isAbandoned = (task: Task) => task.leaseUntil !== undefined && task.leaseUntil <= graceLimit
  const canRun = (task: Task) =>
    task.status === 'pending' &&
    job.status !== 'pending' &&
    task.form === undefined &&
    // One with a plan has begun already, and what it waited for was forgotten then.
    (decideNextAction(task) === 'run' || (task.pieces !== undefined && !task.open && !task.lost))
  const all = [...tasks, ...chunks.filter((part) => isChunkAwaited(part, tasks))]
  return {
    toSend: all.filter(
      (task) =>
        canRun(task) ||
        (task.status === 'processing' && (isAbandoned(task) || (isReadyToJoin(task) && !task.leaseId))),
    ),
    unreported: all.filter(
      (task) =>
        isTaskOver(task) && (task.endedAt ?? '') <= graceLimit && isStillAwaited(task, { job, tasks: tasks }),
    ),
  }
}

/** Whether a record still counts on a task that is over; where latches stand between, once all behind them are over. */
function isStillAwaited(task: Task, { job, tasks }: Pick<JobState, 'job' | 'tasks'>): boolean {
  if (task.part !== undefined) return isChunkAwaited(task, tasks)
  const usesJoinBuckets = (numbers: readonly number[]) => numbers.length > bucketSize
  const areOver = (numbers: readonly number[]) =>
    tasks.every((one) => !numbers.includes(one.number) || isTaskOver(one))
  const bucket = bucketNumber(task.number)
  const inBucket = tasks.map(({ number }) => number).filter((number) => bucketNumber(number) === bucket)
  const isOpenInJob =
    job.total > bucketSize ? job.open?.has(bucket) && areOver(inBucket) : job.open?.has(task.number)
  return (
    isOpenInJob === true ||
    tasks.some(
      ({ ins, open, status }) =>
        status === 'pending' &&
        ins.includes(task.number) &&
        (usesJoinBuckets(ins) ? open !== undefined && areOver(ins) : open?.has(task.number)),
    )
  )
}

/** Its task waits for it, or knows that it is lost and has not ended by it. */
const isChunkAwaited = (chunk: Task, tasks: readonly Task[]) =>
  tasks.some(({ number, status, open, lost }) => {
    const includesChunk = (numbers: ReadonlySet<number> | undefined) =>
      numbers?.has(chunk.part ?? -1) === true
    return number === chunk.number && status === 'processing' && (includesChunk(open) || includesChunk(lost))
  })
