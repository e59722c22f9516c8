import { type Fidelity, inTurn, together } from '../fidelity/fidelity.ts'
import { nameFromTemplate } from '../file-name.ts'
import { DistinctNames } from '../unique-names.ts'
import {
  type Awaiting,
  type FixedTask,
  isOver,
  isTerminal,
  type Job,
  type JobError,
  type JobState,
  type JobStatus,
  type Result,
  type StoredFile,
  type Summary,
  type Task,
  type Warning,
} from './job.ts'
import { bucketOf, bucketSize } from './keys.ts'

/**
 * What follows from the records of a job, without input or output. Writes give back the record that they changed, and
 * these functions say of it what is to happen next; asked again of the same record they say the same.
 */

/** Seconds that a worker has beyond its lease before its task is sent to another one. */
export const leaseGraceS = 30
export const maxAttempts = 3

export type Verdict = 'wait' | 'run' | 'skip'

/** A task runs when all that it takes is there; what was lost cannot come any more. */
export function verdictOf({ open, lost, got, fed }: Awaiting & { readonly fed: boolean }): Verdict {
  if (lost) return 'skip'
  if (open) return 'wait'
  return fed || got ? 'run' : 'skip'
}

/** All its parts are there. */
export const isJoining = ({ expandedBy, open, lost }: Pick<Task, 'expandedBy' | 'open' | 'lost'>) =>
  expandedBy !== undefined && !open && !lost

/** Percent of a task when all its parts are over and are to be joined. */
export const joinsAtPercent = 90

/** 0 to 100; of a task that has split as much as its parts that are over, or what was done before if that is more. */
export function percentOfTask({ status, percent, expandedBy, partCount, open }: Task): number {
  if (status !== 'processing' || expandedBy === undefined || !partCount) return percent
  return Math.max(percent, Math.floor(((partCount - (open?.size ?? 0)) / partCount) * joinsAtPercent))
}

/** Whether those that wait for a task, and its job, have lost something by its end. */
export const isLoss = ({ status, continueOnError }: Pick<Task, 'status' | 'continueOnError'>) =>
  status !== 'completed' && !continueOnError

/** Whether nothing that a job waits for is left, or nothing else counts any more. */
export const isDecided = ({ open, lost, failFast, total }: Job) =>
  !open || total === 0 || (failFast === true && lost !== undefined)

/** 0 to 100; it never falls, as what is under way counts for less than what is over. */
export function percentOf({ status, open, units, running }: Job): number {
  if (status === 'completed') return 100
  const left = [...(open ?? [])]
  const under = left.reduce((sum, unit) => sum + Math.min(99, running[unit] ?? 0), 0)
  return units === 0 ? 0 : Math.min(99, Math.floor(((units - left.length) * 100 + under) / units))
}

/** The task that started first, as it was then; the others had not. */
export function statusAtStart({ number }: { readonly number: number }, job: Job): Task['status'] {
  return number === job.startedWith ? 'processing' : 'pending'
}

export interface Outcome {
  readonly status: Extract<JobStatus, 'completed' | 'failed'>
  readonly error?: JobError
  readonly summary?: Summary
  readonly result: Result
}

/** How a job ends whose tasks are over. */
export function outcomeOf(state: JobState): Outcome {
  const { job, tasks } = state
  const summary = job.require === 'any' ? { summary: summaryOf(state) } : {}
  const result = resultOf(state)
  const lost = firstLoss(state)
  const failed =
    job.require === 'any' ? !tasks.some(({ status }) => status === 'completed') : lost !== undefined
  if (!failed) return { status: 'completed', ...summary, result }
  return { status: 'failed', error: errorOf(firstFailure(state, lost)), ...summary, result }
}

/** Whether a task has a record of its own. */
export const isRecorded = (task: FixedTask | Task): task is Task => 'attempt' in task

const isWork = ({ operation }: { readonly operation: string }) =>
  !operation.startsWith('import/') && !operation.startsWith('export/')

function summaryOf({ fixed, tasks }: JobState): Summary {
  const work = [...fixed, ...tasks].filter(isWork)
  const completed = work.filter(({ status }) => status === 'completed').length
  return { total: work.length, completed, failed: work.length - completed }
}

/** What failed first; those that were only left without input come after it. */
function firstLoss({ tasks }: JobState): Task | undefined {
  const lost = tasks.filter((task) => isOver(task) && isLoss(task))
  return inOrderOfEnd(lost.filter(({ status }) => status === 'failed'))[0] ?? inOrderOfEnd(lost)[0]
}

/** What a task lacked that was only left without input is told by the one that failed before it. */
const firstFailure = ({ fixed, tasks }: JobState, lost: Task | undefined): Task | FixedTask | undefined =>
  (lost?.status === 'failed' ? lost : undefined) ??
  inOrderOfEnd(tasks.filter(({ status }) => status === 'failed'))[0] ??
  fixed.find(({ status }) => status === 'failed')

const inOrderOfEnd = (tasks: readonly Task[]) =>
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
export const resultIn = (state: JobState): Result => state.job.result ?? resultOf(state)

function resultOf(state: JobState): Result {
  const { job, tasks } = state
  const worked = tasks.filter(isWork)
  const [only] = worked
  const facts =
    only && worked.length === 1
      ? { engine: only.engine, engineVersion: only.engineVersion, method: only.method, details: only.details }
      : {}
  const all = { ...facts, fidelity: fidelityOf(worked) }
  const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return { files: resultFiles(state), warnings: warningsOf(job, tasks), ...present }
}

/** What came through of all that was sent: of tasks side by side their sum, of those in turn what is left. */
function fidelityOf(worked: readonly Task[]): Fidelity | undefined {
  const completed = new Map(
    worked.filter(({ status }) => status === 'completed').map((task) => [task.number, task]),
  )
  const taken = new Set([...completed.values()].flatMap(({ ins }) => ins))
  const known = new Map<number, Fidelity | undefined>()
  const upTo = (task: Task): Fidelity | undefined => {
    if (known.has(task.number)) return known.get(task.number)
    const before = task.ins.flatMap((number) => completed.get(number) ?? [])
    const fidelity = inTurn(together(before.map(upTo)), task.fidelity)
    known.set(task.number, fidelity)
    return fidelity
  }
  return together([...completed.values()].filter(({ number }) => !taken.has(number)).map(upTo))
}

/** About the request first, then task by task, each once. */
export const warningsOf = (job: Pick<Job, 'warnings'>, tasks: readonly Pick<Task, 'warnings'>[]): Warning[] =>
  distinctWarnings([...job.warnings, ...tasks.flatMap(({ warnings }) => warnings)])

/** Each once. The table gives their fields back in an order of its own. */
export function distinctWarnings(warnings: readonly Warning[]): Warning[] {
  const byContent = ({ code, message, field }: Warning) => JSON.stringify([code, message, field])
  return [...new Map(warnings.map((warning) => [byContent(warning), warning])).values()]
}

/** What the exports of a job give out; where none gives out links, what they took elsewhere, which lies here as well. */
export function resultFiles(state: JobState): StoredFile[] {
  const links = state.fixed.filter(({ operation }) => operation === 'export/url')
  const exports = links.length > 0 ? links : state.tasks.filter(({ deliveries }) => deliveries)
  const files = exports.flatMap((task) => namedFiles(task, state))
  return distinctNames([...new Map(files.map((file) => [file.key, file])).values()])
}

/** The files of an export under the names that it gives them. */
export function namedFiles(task: FixedTask | Task, state: JobState): StoredFile[] {
  const template = task.spec?.['filename']
  const { id: jobId, createdAt: date } = state.job
  const files = task.ins.flatMap((number) => filesOfTask(number, state))
  if (typeof template !== 'string') return distinctNames(files)
  return distinctNames(
    files.map((file, index) => ({
      ...file,
      filename: nameFromTemplate(template, { name: file.filename, jobId, index, date }),
    })),
  )
}

function distinctNames(files: readonly StoredFile[]): StoredFile[] {
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
  if (inputs.some((input) => isOver(input) && isLoss(input))) return 'cancelled'
  if (inputs.every(isOver)) return 'completed'
  return isTerminal(job.status) ? 'cancelled' : 'pending'
}

/** The first file of a job whose imports brought it when the job was there already. */
export function broughtIn({ tasks }: Pick<JobState, 'tasks'>): Job['display']['source'] {
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

export interface Stalled {
  /** Ready, or left by their workers: they are sent again. */
  readonly sends: readonly Task[]
  /** Over, but those that wait for them may not have heard of it. */
  readonly untold: readonly Task[]
}

/** What has come to rest in a live job though nothing holds it: a message or a worker was lost. */
export function stalledIn({ job, tasks, parts }: JobState, now: Date): Stalled {
  const before = new Date(now.getTime() - leaseGraceS * 1000).toISOString()
  const isAbandoned = (task: Task) => task.leaseUntil !== undefined && task.leaseUntil <= before
  const mayRun = (task: Task) =>
    task.status === 'pending' &&
    job.status !== 'pending' &&
    task.form === undefined &&
    // One with a plan has begun already, and what it waited for was forgotten then.
    (verdictOf(task) === 'run' || (task.pieces !== undefined && !task.open && !task.lost))
  const all = [...tasks, ...parts.filter((part) => isAwaited(part, tasks))]
  return {
    sends: all.filter(
      (task) =>
        mayRun(task) ||
        (task.status === 'processing' && (isAbandoned(task) || (isJoining(task) && !task.leaseId))),
    ),
    untold: all.filter(
      (task) => isOver(task) && (task.endedAt ?? '') <= before && isMissed(task, { job, tasks }),
    ),
  }
}

/** Whether a record still counts on a task that is over; where latches stand between, once all behind them are over. */
function isMissed(task: Task, { job, tasks }: Pick<JobState, 'job' | 'tasks'>): boolean {
  if (task.part !== undefined) return isAwaited(task, tasks)
  const isLatched = (numbers: readonly number[]) => numbers.length > bucketSize
  const areOver = (numbers: readonly number[]) =>
    tasks.every((one) => !numbers.includes(one.number) || isOver(one))
  const bucket = bucketOf(task.number)
  const inBucket = tasks.map(({ number }) => number).filter((number) => bucketOf(number) === bucket)
  const byJob =
    job.total > bucketSize ? job.open?.has(bucket) && areOver(inBucket) : job.open?.has(task.number)
  return (
    byJob === true ||
    tasks.some(
      ({ ins, open, status }) =>
        status === 'pending' &&
        ins.includes(task.number) &&
        (isLatched(ins) ? open !== undefined && areOver(ins) : open?.has(task.number)),
    )
  )
}

/** Its task waits for it, or knows that it is lost and has not ended by it. */
const isAwaited = (part: Task, tasks: readonly Task[]) =>
  tasks.some(({ number, status, open, lost }) => {
    const isIn = (numbers: ReadonlySet<number> | undefined) => numbers?.has(part.part ?? -1) === true
    return number === part.number && status === 'processing' && (isIn(open) || isIn(lost))
  })
