import assert from 'node:assert/strict'
import { createFileDeletedEvent, createProgressEvent } from '../../lib/jobs/events.ts'
import { createJobEndChange } from '../../lib/jobs/job-end.ts'
import { decideOutcome, listJobFiles } from '../../lib/jobs/job-state-machine.ts'
import type { Job, JobState, Task } from '../../lib/model/job.ts'
import {
  applyChange,
  complete,
  createAwaitedUpload,
  createExport,
  createStoredImport,
  fail,
  file,
  newJob,
  newTask,
  secondsLater,
  timestamp,
  withTasks,
} from './records.ts'

export const diamond = [
  createStoredImport('in', 'a.png'),
  newTask('left', [0]),
  newTask('right', [0]),
  newTask('both', [1, 2], { operation: 'archive' }),
  createExport('out', [3]),
]

export const changeJob = (job: Job, change: Parameters<typeof applyChange>[1]): Job =>
  applyChange(job, change)

/** Returns the state of a job after its first task has started. */
export const startJob = (state: JobState, afterS = 1): JobState => ({
  ...withTasks(state, { left: { status: 'processing', startedAt: timestamp(afterS), attempt: 1 } }),
  job: changeJob(state.job, {
    set: {
      status: 'processing',
      startedAt: timestamp(afterS),
      startedWith: 1,
      stage: 'convert',
      'log.started': { at: timestamp(afterS) },
    },
    setPlus: { 'numbers.started': ['sequence', 1], sequence: ['sequence', 1] },
  }),
})

export const withProgress = (state: JobState, percent: number, afterS: number): JobState => ({
  ...state,
  job: changeJob(state.job, {
    set: { 'log.1': { at: timestamp(afterS), percent, stage: 'convert', taskName: 'left' } },
    setPlus: { 'numbers.1': ['sequence', 1], sequence: ['sequence', 1] },
  }),
})

export const finishJob = (
  state: JobState,
  tasks: Readonly<Record<string, Partial<Task>>>,
  afterS = 9,
): JobState => {
  const doneState = withTasks(state, tasks)
  return {
    ...doneState,
    job: changeJob(
      doneState.job,
      createJobEndChange(doneState, decideOutcome(doneState), 'lease', secondsLater(afterS)),
    ),
  }
}

export const fieldsOfCompletedTasks = {
  left: complete(3, file('l.webp')),
  right: { ...complete(4, file('r.webp')), engine: 'vips', warnings: [{ code: 'CUT', message: 'cut' }] },
  both: { ...complete(8, file('a.zip')), engine: 'seven-zip' },
}

export const fieldsAfterFailedTask = {
  left: complete(3, file('l.webp')),
  right: fail(4, 'is cut off'),
  both: { status: 'cancelled' as const, code: 'INPUT_TASK_FAILED', endedAt: timestamp(5), open: undefined },
}

export const deleteJob = (state: JobState, deletionFields: Partial<Job>): JobState => ({
  ...state,
  job: changeJob(state.job, {
    set: deletionFields,
    setPlus: { 'numbers.deletion': ['sequence', 1], sequence: ['sequence', 1] },
  }),
})

export const expireJob = (state: JobState, expiredFor: 'retention' | 'upload_timeout') =>
  deleteJob(state, { status: 'expired', expiredAt: timestamp(4000), expiredFor })

export const createDeletionEvents = (state: JobState) =>
  listJobFiles(state).map((jobFile, at) => createFileDeletedEvent(state, jobFile, at))

export const getProgressEvent = (state: JobState, name: string) => {
  const foundFact = state.job.log[name]
  assert.ok(foundFact)
  return createProgressEvent(state.job, name, foundFact)
}

export const freshJob = newJob(diamond, { tag: 'mine' })

export const runningJob = withProgress(startJob(freshJob), 20, 2)

export const completedJob = finishJob(runningJob, fieldsOfCompletedTasks)

export const waitingJob = newJob([createAwaitedUpload('in'), newTask('work', [0]), createExport('out', [1])])

export const arrivedUpload: JobState = {
  ...withTasks(waitingJob, { in: { ...complete(5, file('a.png', 'uploads/a')) } }),
  job: changeJob(waitingJob.job, {
    set: { status: 'queued', queuedAt: timestamp(6), 'log.queued': { at: timestamp(6) } },
    setPlus: { 'numbers.queued': ['sequence', 1], sequence: ['sequence', 1] },
  }),
}
