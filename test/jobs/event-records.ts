import type { BusEvent } from '../../events/index.ts'
import { createRetention } from '../../lib/model/fidelity.ts'
import type { Job, JobState } from '../../lib/model/job.ts'
import {
  complete,
  createExport,
  createStoredImport,
  file,
  newJob,
  newTask,
  timestamp,
  withTasks,
} from './records.ts'

/** A job with distinct timestamps in each state, for tests of the exact content of events. */

export const sourceFile = { filename: 'in.png', format: 'png', size: 1 }
export const display = { source: sourceFile, target: { format: 'webp' }, operations: ['convert'], pollS: 2 }
export const createdJob = newJob(
  [createStoredImport('in'), newTask('a', [0]), newTask('b', [0]), createExport('out', [1, 2])],
  {
    tag: 'mine',
    display,
  },
)
export const withJob = (state: JobState, moreFields: Partial<Job>): JobState => ({
  ...state,
  job: { ...state.job, ...moreFields },
})
export const endedFields = {
  queuedAt: timestamp(1),
  startedAt: timestamp(2),
  startedWith: 2,
  endedAt: timestamp(9),
  expiresAt: timestamp(99),
  sequence: 20,
  numbers: { created: 1, queued: 2, started: 3, 1: 4, ended: 5, deletion: 6 },
}
export const endedJob = withJob(
  withTasks(createdJob, {
    a: {
      ...complete(5, file('a.webp')),
      fidelity: { words: createRetention(4, 2), dropped: [] },
      engine: 'vips',
    },
    b: { ...complete(6, file('b.webp')), warnings: [{ code: 'REDUCED', message: 'Less.' }] },
  }),
  { ...endedFields, status: 'completed', summary: { total: 2, completed: 2, failed: 0 } },
)
export const jobId = 'job_1'
export const commonFields = { apiVersion: 'v1', owner: 'anon_1', stream: jobId }
/** Returns an event without its id, which is derived from the rest. */
export const getBody = ({ id: _, ...body }: BusEvent) => body
