import assert from 'node:assert/strict'
import type { JobsDeps } from '../../../lib/jobs/jobs.ts'
import type { Job, JobState, Task } from '../../../lib/model/job.ts'
import { memoryJobs } from '../memory-jobs.ts'
import { createExport, createRecords, createStoredImport, newTask, secondsLater } from '../records.ts'

export const two = [
  createStoredImport('in'),
  newTask('first', [0]),
  newTask('second', [1]),
  createExport('out', [2]),
]

/** A created job, with its current records and published events. */
export async function createJob(tasks = two, more: Partial<JobsDeps> = {}) {
  const own = memoryJobs(more)
  assert.equal(await own.jobs.create(createRecords(tasks)), true)
  const job = async (): Promise<Job> => {
    const found = await own.store.getJob('job_1')
    assert.ok(found)
    return found
  }
  const whole = async (): Promise<JobState> => {
    const found = await own.store.getState('job_1')
    assert.ok(found)
    return found
  }
  return {
    ...own,
    job,
    whole,
    change: (set: Partial<Job>, remove: string[] = []) => own.store.changeJob('job_1', { set, remove }),
    changeTask: (number: number, set: Partial<Task>) =>
      own.store.changeTask({ jobId: 'job_1', task: number }, { set }),
    wake: (seconds: number) => own.jobs.wake('job_1', secondsLater(seconds)),
  }
}

export const lost = {
  operation: 'import/upload',
  code: 'CORRUPT_FILE',
  message: 'It is not an image.',
} as const
