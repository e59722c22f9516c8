import { isLive, isTerminal, type Job, type JobError, type Task } from './job.ts'
import { filesOf } from './job-files.ts'
import type { JobState, OfLease, StepOutcome, Transition } from './machine.ts'

/** What each transition makes of a state; pure, and called by `advance` alone. */

const maxAttempts = 3

/** Seconds that a worker has beyond its lease before the sweep takes its task away. */
export const leaseGraceS = 30

const iso = (date: Date) => date.toISOString()
export const later = (now: Date, seconds: number) => iso(new Date(now.getTime() + seconds * 1000))
export const isReady = (task: Task) => task.status === 'pending' && task.waitingFor === 0

export function apply(state: JobState, transition: Transition, now: Date): JobState | undefined {
  switch (transition.type) {
    case 'claim':
      return claim(state, transition, now)
    case 'renew':
      return withLease(state, transition, (task) => renew(state, task, transition))
    case 'handover':
      return withLease(state, transition, (task) =>
        replace(state, {
          ...idle(task),
          ...merged(task, transition.outcome),
          step: transition.step,
          attempt: 0,
          status: 'pending',
        }),
      )
    case 'complete':
      return withLease(state, transition, (task) => complete(state, task, transition.outcome, now))
    case 'fail':
      return withLease(state, transition, (task) =>
        fail(state, task, transition.error, transition.retry, now),
      )
    case 'release':
      return withLease(state, transition, (task) =>
        replace(state, { ...idle(task), status: 'pending', attempt: task.attempt - 1 }),
      )
    case 'cancel':
      return cancel(state, transition.by, now)
    case 'wake':
      return wake(state, now)
  }
}

function idle(task: Task): Task {
  const { leaseId: _id, leaseUntil: _until, ...rest } = task
  return rest
}

const merged = (task: Task, outcome: StepOutcome) => ({
  files: [...outcome.files],
  warnings: [...task.warnings, ...outcome.warnings],
  engine: outcome.engine,
  engineVersion: outcome.engineVersion,
  ...(outcome.method && { method: outcome.method }),
  ...(outcome.details && { details: { ...task.details, ...outcome.details } }),
})

const replace = (state: JobState, ...changed: readonly Task[]): JobState => ({
  job: state.job,
  tasks: state.tasks.map((task) => changed.find(({ name }) => name === task.name) ?? task),
})

function withLease(
  state: JobState,
  { task: name, leaseId }: OfLease,
  then: (task: Task) => JobState,
): JobState | undefined {
  const task = state.tasks.find((candidate) => candidate.name === name)
  const holds = task?.status === 'processing' && task.leaseId === leaseId && isLive(state.job.status)
  return task && holds ? then(task) : undefined
}

function claim(
  state: JobState,
  event: Extract<Transition, { type: 'claim' }>,
  now: Date,
): JobState | undefined {
  const task = state.tasks.find(({ name }) => name === event.task)
  if (!task || !isLive(state.job.status)) return undefined
  const abandoned = task.status === 'processing' && (task.leaseUntil ?? '') <= iso(now)
  if (!isReady(task) && !abandoned) return undefined
  if (task.attempt >= maxAttempts) return fail(state, task, lostThreeTimes, false, now)
  const first = state.job.status === 'queued'
  const claimed: Task = {
    ...task,
    status: 'processing',
    attempt: task.attempt + 1,
    leaseId: event.leaseId,
    leaseUntil: iso(event.leaseUntil),
    startedAt: task.startedAt ?? iso(now),
  }
  const { job, tasks } = replace(state, claimed)
  return {
    job: {
      ...job,
      status: 'processing',
      stage: 'convert',
      taskName: task.name,
      startedAt: job.startedAt ?? iso(now),
      sequence: first ? job.sequence + 1 : job.sequence,
    },
    tasks,
  }
}

const lostThreeTimes: JobError = {
  code: 'CONVERSION_FAILED',
  message:
    'The conversion did not survive three attempts. The file may need more memory or time than one conversion gets.',
}

function renew(state: JobState, task: Task, event: Extract<Transition, { type: 'renew' }>): JobState {
  // Another attempt starts from nothing, yet what was shown once does not fall.
  const percent = Math.max(task.percent, Math.min(99, Math.floor(event.percent)))
  const percentSum = state.job.percentSum + percent - task.percent
  const { tasks } = replace(state, {
    ...task,
    leaseUntil: iso(event.leaseUntil),
    percent,
    stage: event.stage,
  })
  const told = percent > task.percent
  return {
    job: {
      ...state.job,
      percentSum,
      percent: Math.floor(percentSum / state.job.workTasks),
      stage: event.stage,
      taskName: task.name,
      sequence: told ? state.job.sequence + 1 : state.job.sequence,
    },
    tasks,
  }
}

function complete(state: JobState, task: Task, outcome: StepOutcome, now: Date): JobState {
  const done: Task = {
    ...idle(task),
    ...merged(task, outcome),
    status: 'completed',
    percent: 100,
    step: task.steps.length,
    endedAt: iso(now),
  }
  const released = state.tasks
    .filter((candidate) => task.dependents.includes(candidate.name))
    .map((dependent) => feed(dependent, done, now))
  const { tasks } = replace(state, done, ...released)
  const openTasks = state.job.openTasks - 1
  const percentSum = state.job.percentSum + 100 - task.percent
  const job: Job = {
    ...state.job,
    openTasks,
    percentSum,
    percent: Math.floor(percentSum / state.job.workTasks),
    warnings: [...state.job.warnings, ...done.warnings],
  }
  if (openTasks > 0) return { job, tasks }
  const exported = released
    .filter(({ operation }) => operation === 'export/url')
    .flatMap(({ files }) => files)
  return {
    job: {
      ...ended(job, 'completed', now),
      percent: 100,
      files: [...job.files, ...exported],
      engine: done.engine,
      engineVersion: done.engineVersion,
      ...(done.method && { method: done.method }),
      ...(done.details && { details: done.details }),
    },
    tasks,
  }
}

/** An export of a download link has no work of its own: it is over when its input is there. */
function feed(dependent: Task, from: Task, now: Date): Task {
  const waitingFor = dependent.waitingFor - 1
  const files = [...dependent.files, ...from.files]
  if (dependent.operation !== 'export/url' || waitingFor > 0) return { ...dependent, waitingFor, files }
  return {
    ...dependent,
    waitingFor,
    files,
    status: 'completed',
    percent: 100,
    startedAt: iso(now),
    endedAt: iso(now),
  }
}

function fail(state: JobState, task: Task, error: JobError, retry: boolean, now: Date): JobState {
  if (retry && task.attempt < maxAttempts) return replace(state, { ...idle(task), status: 'pending' })
  const failed: Task = {
    ...idle(task),
    status: 'failed',
    code: error.code,
    message: error.message,
    endedAt: iso(now),
  }
  const starved = state.tasks
    .filter((candidate) => task.dependents.includes(candidate.name))
    .map(
      (dependent): Task => ({
        ...dependent,
        status: 'cancelled',
        code: 'INPUT_TASK_FAILED',
        endedAt: iso(now),
      }),
    )
  const { job, tasks } = replace(state, failed, ...starved)
  return {
    job: { ...ended(job, 'failed', now), error, warnings: [...job.warnings, ...failed.warnings] },
    tasks,
  }
}

/** Retention counts from the end, so that a long conversion does not eat into it. */
const ended = (job: Job, status: Job['status'], now: Date): Job => ({
  ...job,
  status,
  endedAt: iso(now),
  expiresAt: iso(new Date(now.getTime() + Date.parse(job.expiresAt) - Date.parse(job.createdAt))),
  sequence: job.sequence + 1,
})

function cancel(state: JobState, by: 'user' | 'system', now: Date): JobState | undefined {
  if (isTerminal(state.job.status)) return undefined
  const tasks = state.tasks.map((task): Task => {
    const open = task.status === 'pending' || task.status === 'processing'
    return open ? { ...idle(task), status: 'cancelled', endedAt: iso(now) } : task
  })
  return { job: { ...ended(state.job, 'cancelled', now), cancelledBy: by }, tasks }
}

/** Nobody reported in time: takes tasks from lost workers, ends what took too long, lets what is old expire. */
function wake(state: JobState, now: Date): JobState {
  const { job } = state
  if (isTerminal(job.status)) return job.expiresAt <= iso(now) ? expire(state, now) : state
  const overdue = job.startedAt && later(new Date(job.startedAt), job.timeoutS + leaseGraceS) < iso(now)
  return state.tasks
    .filter(
      (task) =>
        task.status === 'processing' && later(new Date(task.leaseUntil ?? 0), leaseGraceS) <= iso(now),
    )
    .reduce<JobState>(
      (before, task) =>
        isTerminal(before.job.status)
          ? before
          : fail(before, task, overdue ? tookTooLong(job) : lostThreeTimes, !overdue, now),
      state,
    )
}

export const tookTooLong = (job: Pick<Job, 'timeoutS'>): JobError => ({
  code: 'TIMEOUT',
  message: `The conversion took longer than the ${Math.round(job.timeoutS / 60)} min that it may take.`,
  details: { limitS: job.timeoutS },
})

/** Each file that goes is told of, and then that the job is over. */
const expire = (state: JobState, now: Date): JobState => ({
  job: {
    ...state.job,
    status: 'expired',
    expiredAt: iso(now),
    sequence: state.job.sequence + filesOf(state).length + 1,
  },
  tasks: state.tasks,
})
