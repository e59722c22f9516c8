import { createJobEndChange } from '../../../lib/jobs/job-end.ts'
import { decideOutcome } from '../../../lib/jobs/job-state-machine.ts'
import type { Job, JobState } from '../../../lib/model/job.ts'
import { applyChange, createExport, createStoredImport, newTask, secondsLater } from '../records.ts'

export const chain = [
  createStoredImport('in'),
  newTask('first', [0]),
  newTask('second', [1]),
  createExport('out', [2]),
]

export const conversion = [createStoredImport('in'), newTask('work', [0]), createExport('out', [1])]

export const pair = [
  createStoredImport('in'),
  newTask('left', [0]),
  newTask('right', [0]),
  createExport('out', [1, 2]),
]

export const endJob = (state: JobState, second: number, endedBy = 'lease'): Job =>
  applyChange(state.job, createJobEndChange(state, decideOutcome(state), endedBy, secondsLater(second)))
