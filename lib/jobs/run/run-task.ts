import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { SignatureRefused } from '../../aws/signed-files.ts'
import { nextWay } from '../../conversion/next-way.ts'
import { planFiles } from '../../conversion/plan-files.ts'
import { captureLimitS, timeLimitOf, transferLimitS } from '../../conversion/time-limits.ts'
import { ranOut, SpaceWatch, saysNoSpace } from '../../disk.ts'
import { sealedOptions } from '../../engines/options.ts'
import { requireConfinement } from '../../engines/sandbox/confine.ts'
import { makeProcessFolder, taskFolderPrefix } from '../../engines/sandbox/process-folder.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { type TransferOperation, transferOperation } from '../../tasks/index.ts'
import { errorForClient, PassingError } from '../failure.ts'
import { isLive, isOver, type JobState, type Piece, type Task, type Warning } from '../job.ts'
import { distinctWarnings, maxAttempts } from '../machine.ts'
import { imageOf, wishedOf } from '../next-step.ts'
import { Lease } from './lease.ts'
import { dropParts, dropPartsOfEnded, isWanted, partsOf, sendParts } from './parts.ts'
import { type PiecesResult, runPieces, type SharedOut } from './run-pieces.ts'
import { runTransfer } from './run-transfer.ts'
import { Slots } from './slots.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskServices } from './task-services.ts'

/** What becomes of the message: it is done, or it comes back after some seconds. */
export type MessageOutcome =
  | { readonly done: true }
  | { readonly done: false; readonly againInS: number }
  | { readonly done: false; readonly again: 'signed'; readonly againInS: number }

const done: MessageOutcome = { done: true }

/** A worker that is told to end has its task taken over by another one. */
class Stopped extends Error {}
/** The task belongs to somebody else by now, or the job is over. */
class LeaseLost extends Error {}

/** What a worker knows of the task that it has. */
interface Claimed {
  readonly task: Task
  readonly state: JobState
  readonly lease: Lease
  readonly log: Log
}

/** Runs what belongs to this image of a task, once, unless somebody else does. */
export async function runTask(run: TaskRun): Promise<MessageOutcome> {
  const { ref, services } = run
  const log = services.log.child({ ...ref, queue: run.queue })
  const lease = new Lease(run, randomUUID(), log)
  const { store } = services.jobs
  const [{ applied, record: task }, job] = await Promise.all([lease.claim(), store.job(ref.jobId)])
  const slots = new Slots(services)
  if (!applied || !task) {
    // It may have been its turn.
    if (job) await slots.free(job)
    return notClaimed(run, task, log)
  }
  const state = job && isLive(job.status) ? await unlessBusy(lease, store.inputsOf(task, job)) : undefined
  if (!state) {
    log.info('message for a task of a job that is over')
    if (job) await slots.free(job)
    return done
  }
  if (!(await unlessBusy(lease, slots.take(state.job, ref, run.queue)))) {
    await lease.release()
    log.info('task waits until another job of its owner is over')
    return done
  }
  log.info({ requestId: state.job.requestId, taskName: task.name, attempt: task.attempt }, 'task claimed')
  const claimed = { task, state, lease, log }
  try {
    return await attempt(run, claimed)
  } catch (error) {
    return await recordFailure(run, claimed, error)
  } finally {
    await lease.end()
    await slots.free(state.job)
  }
}

/** A table that does not answer is no fault of the file, so that it costs no attempt. */
async function unlessBusy<T>(lease: Lease, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    await lease.release()
    throw error
  }
}

/** Somebody works on it, it waits, or it is over, and then those that wait for it may not have heard of it. */
async function notClaimed({ services }: TaskRun, task: Task | undefined, log: Log): Promise<MessageOutcome> {
  if (!task) {
    log.info('message for a task that is gone')
    return done
  }
  const leftS = (Date.parse(task.leaseUntil ?? '') - Date.now()) / 1000
  if (task.status === 'processing' && leftS > 0) return { done: false, againInS: Math.ceil(leftS) + 1 }
  log.info({ status: task.status }, 'message told of nothing new')
  const { settlement } = services.jobs
  if (isOver(task)) {
    await settlement.settle(task, { again: true })
    await dropPartsOfEnded(task, services)
  } else if (task.expandedBy !== undefined && task.open) await sendParts(task, services)
  return done
}

async function attempt(run: TaskRun, claimed: Claimed): Promise<MessageOutcome> {
  const { task, state, lease } = claimed
  const transfer = transferOperation(task.operation)
  if (transfer) return carry(run, claimed, transfer)
  const { pieces, warnings } = await planned(task, state, run.services)
  const limitS = timeLimitOf(pieces)
  if (imageOf(pieces) !== run.queue) {
    // The plan was another one when it was sent. From now on it is this one, whoever sends it.
    await lease.handOver({
      pieces: sealed(pieces, task, run.services),
      warnings: withNews(task, warnings),
    })
    return done
  }
  return inWorkDir(run, async (workDir) => {
    const result = await work(run, claimed, { pieces, limitS, workDir })
    if ('portions' in result) return expand(run, claimed, result, warnings)
    return conclude(run, claimed, result, warnings)
  })
}

async function inWorkDir<T>({ services }: TaskRun, action: (workDir: string) => Promise<T>): Promise<T> {
  const workDir = await makeWorkFolder(services.config)
  try {
    return await action(workDir)
  } finally {
    // Whoever waits for the job has its end by now.
    await rm(workDir, { recursive: true, force: true })
  }
}

/** What has no engine: files come from elsewhere or go there. */
function carry(run: TaskRun, claimed: Claimed, operation: TransferOperation): Promise<MessageOutcome> {
  const { services } = run
  const { task, state, lease } = claimed
  return inWorkDir(run, async (workDir) => {
    const limitS = 'capture' in operation ? captureLimitS : transferLimitS
    const carried = await withinLimit(run, claimed, limitS, (signal) =>
      runTransfer({
        ...{ services, task, state, operation, workDir, signal },
        progress: (percent) => lease.progress(percent, operation.kind),
        note: async (begun) => {
          if (!(await lease.note({ begun }))) throw new LeaseLost()
        },
      }),
    )
    const isOurs = await lease.finish({ ...carried, status: 'completed', percent: 100 })
    if (!isOurs) await services.files.delete((carried.files ?? []).map(({ key }) => key))
    return done
  })
}

async function makeWorkFolder({ WORK_DIR }: TaskServices['config']): Promise<string> {
  try {
    await mkdir(WORK_DIR, { recursive: true })
    return await makeProcessFolder(WORK_DIR, taskFolderPrefix)
  } catch (error) {
    throw saysNoSpace(error) ? ranOut(error) : error
  }
}

async function planned(
  task: Task,
  state: JobState,
  services: TaskServices,
): Promise<{ pieces: readonly Piece[]; warnings: readonly Warning[] }> {
  const { vault } = services
  if (task.pieces) return { pieces: vault.openAll(task.pieces, task.jobId), warnings: [] }
  return planFiles(...wishOfTask(task, state, services), await services.engines())
}

const wishOfTask = (task: Task, state: JobState, { vault }: TaskServices) =>
  wishedOf({ ...task, spec: vault.openAll(task.spec, task.jobId) }, state)

function work(
  run: TaskRun,
  claimed: Claimed,
  { pieces, limitS, workDir }: { pieces: readonly Piece[]; limitS: number; workDir: string },
): Promise<PiecesResult | SharedOut> {
  const { task, state, lease, log } = claimed
  return withinLimit(run, claimed, limitS, async (signal, space) => {
    // Also before those engines that start no program: what they read, this process does.
    await requireConfinement()
    const engines = await run.services.engines()
    return runPieces({
      ...{ services: run.services, image: imageOf(pieces), task, pieces, workDir, space, log, signal },
      progress: (percent, stage) => lease.progress(percent, stage),
      findWay: (at, tried) => nextWay(...wishOfTask(task, state, run.services), { at, tried, engines }),
      note: async (left) => {
        if (!(await lease.note({ pieces: sealed(left, task, run.services) }))) throw new LeaseLost()
      },
    })
  })
}

/** The signal fires when the task's time is over, when somebody else has it, or when this process has to end. */
async function withinLimit<T>(
  run: TaskRun,
  { task, state, lease }: Claimed,
  limitS: number,
  action: (signal: AbortSignal, space: SpaceWatch) => Promise<T>,
): Promise<T> {
  const leftMs = Date.parse(task.startedAt ?? task.createdAt) + limitS * 1000 - Date.now()
  const isRunShorter = run.remainingMs < leftMs
  const limit = AbortSignal.timeout(Math.max(1, Math.min(leftMs, run.remainingMs, longestTimerMs)))
  const stop = new AbortController()
  const onLimit = () => stop.abort(isRunShorter ? outOfRun(task, run) : tookTooLong(limitS))
  limit.addEventListener('abort', onLimit, { once: true })
  const onStopping = () => stop.abort(new Stopped())
  const space = new SpaceWatch(run.services.config.WORK_DIR)
  const onFull = () => stop.abort(ranOut())
  run.stopping.addEventListener('abort', onStopping, { once: true })
  run.outOfSpace.addEventListener('abort', onFull, { once: true })
  lease.keep(state.job, () => stop.abort(new LeaseLost()))
  try {
    return await action(stop.signal, space)
  } catch (error) {
    // What an engine throws when it is aborted says less than why it was.
    if (stop.signal.aborted) throw stop.signal.reason
    throw (await space.explain(error)) ?? error
  } finally {
    space.stop()
    run.stopping.removeEventListener('abort', onStopping)
    run.outOfSpace.removeEventListener('abort', onFull)
  }
}

async function conclude(
  { services }: TaskRun,
  { task, lease }: Claimed,
  { pieces, warnings, facts, made, dropped, isLast }: PiecesResult,
  planned: readonly Warning[],
): Promise<MessageOutcome> {
  const outcome = { ...facts, warnings: withNews(task, [...planned, ...warnings]) }
  const files = pieces.flatMap((piece) => piece.files)
  const isOurs = isLast
    ? await lease.finish({ ...outcome, status: 'completed', percent: 100, files })
    : await lease.handOver({ ...outcome, pieces: sealed(pieces, task, services) })
  // Somebody else has the task, or nobody wants it any more: these files belong to no record.
  if (!isOurs) await services.files.delete(made)
  else {
    await services.files.delete(dropped)
    if (task.expandedBy !== undefined) await dropParts(task, services, task.expandedBy)
    // Whoever dropped the other parts may have looked before this one had its files.
    if (task.part !== undefined && !(await isWanted(task, services))) await services.files.delete(made)
  }
  return done
}

/** What was told when the job was made is not told again. */
const withNews = ({ warnings }: Task, news: readonly Warning[]) => distinctWarnings([...warnings, ...news])

/** Workers that are free take a share each; whoever has the task when they are done joins what they made. */
async function expand(
  { services }: TaskRun,
  { task, lease, log }: Claimed,
  { pieces, portions }: SharedOut,
  warnings: readonly Warning[],
): Promise<MessageOutcome> {
  const left = sealed(pieces, task, services)
  const parts = left.flatMap((piece) => partsOf(task, piece, portions))
  // By the same plan it is joined, whatever another version of the service would plan then.
  const isOurs = await lease.expand(parts, { pieces: left, warnings: withNews(task, warnings) })
  if (isOurs) log.info({ parts: parts.length }, 'task shared out')
  else await services.files.delete(portions.flatMap(({ file }) => file?.key ?? []))
  return done
}

/** Between two images the options wait in the table again. */
function sealed(pieces: readonly Piece[], { jobId }: Task, { vault }: TaskServices): Piece[] {
  return pieces.map((piece) => ({
    ...piece,
    steps: piece.steps.map((step) => ({
      ...step,
      options: vault.sealSome(step.options, sealedOptions, jobId),
    })),
  }))
}

async function recordFailure(
  { services }: TaskRun,
  { lease, log, task }: Claimed,
  error: unknown,
): Promise<MessageOutcome> {
  if (error instanceof LeaseLost) {
    log.info('task was taken away or cancelled')
    return done
  }
  if (error instanceof Stopped) {
    await lease.release()
    return { done: false, againInS: 0 }
  }
  const isFinal = error instanceof AppError
  log[isFinal ? 'info' : 'error']({ error }, isFinal ? 'task failed' : 'attempt failed')
  if (!isFinal && (await lease.retry())) {
    if (error instanceof SignatureRefused) return { done: false, again: 'signed', againInS: 0 }
    return { done: false, againInS: error instanceof PassingError ? error.againInS : 0 }
  }
  const { code, message, details } = errorForClient(error)
  const isOurs = await lease.finish({
    status: 'failed',
    warnings: task.warnings,
    code,
    message,
    ...(details && { details }),
  })
  if (isOurs) await dropPartsOfEnded(task, services)
  // It may have been what follows an end that failed, and that end was stored: the message sees to the rest.
  return isOurs ? done : { done: false, againInS: 0 }
}

/** What a timer takes at most; longer ones fire at once. */
const longestTimerMs = 2 ** 31 - 1

/** A part that fits into a run may have met a slow machine; whoever has it next need not. */
function outOfRun({ part, attempt }: Task, { remainingMs }: TaskRun): Error {
  const limitS = Math.round(remainingMs / 1000)
  if (part !== undefined && attempt < maxAttempts) return new Error(`the part took longer than ${limitS} s`)
  return new AppError(
    'TIMEOUT',
    `The conversion did not end within the ${limitS} s that one machine of this service works on it. Send a shorter file, or ask for less: a faster preset, a lower resolution.`,
    { limitS },
  )
}

export const tookTooLong = (limitS: number) =>
  new AppError('TIMEOUT', `The task took longer than the ${Math.round(limitS / 60)} min that it may take.`, {
    limitS,
  })
