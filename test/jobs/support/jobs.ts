import assert from 'node:assert/strict'
import type { JobsDeps } from '../../../lib/jobs/jobs.ts'
import type { Job, JobState, Task } from '../../../lib/model/job.ts'
import { createMemoryJobs } from '../memory-jobs.ts'
import { createExport, createRecords, createStoredImport, newTask, secondsLater } from '../records.ts'

export const twoTaskGraph = [
  createStoredImport('in'),
  newTask('first', [0]),
  newTask('second', [1]),
  createExport('out', [2]),
]

/** Creates a job. The returned functions read its current records and take its published events. */
export async function createJob(tasks = twoTaskGraph, moreDeps: Partial<JobsDeps> = {}) {
  const ownJobs = createMemoryJobs(moreDeps)
  assert.equal(await ownJobs.jobs.create(createRecords(tasks)), true)
  const readJob = async (): Promise<Job> => {
    const foundJob = await ownJobs.store.getJob('job_1')
    assert.ok(foundJob)
    return foundJob
  }
  const readWholeState = async (): Promise<JobState> => {
    const foundState = await ownJobs.store.getState('job_1')
    assert.ok(foundState)
    return foundState
  }
  return {
    ...ownJobs,
    job: readJob,
    readState: readWholeState,
    change: (set: Partial<Job>, remove: string[] = []) => ownJobs.store.changeJob('job_1', { set, remove }),
    changeTask: (number: number, set: Partial<Task>) =>
      ownJobs.store.changeTask({ jobId: 'job_1', task: number }, { set }),
    wake: (seconds: number) => ownJobs.jobs.wake('job_1', secondsLater(seconds)),
  }
}

export const corruptUploadError = {
  operation: 'import/upload',
  code: 'CORRUPT_FILE',
  message: 'It is not an image.',
} as const
