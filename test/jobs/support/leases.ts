import assert from 'node:assert/strict'
import { Lease, type TaskResult } from '../../../lib/jobs/run/lease.ts'
import type { TaskRun } from '../../../lib/jobs/run/task-run.ts'
import type { NewTask } from '../../../lib/jobs/task-graph.ts'
import { createLog } from '../../../lib/log.ts'
import type { InputPlan, Job, Task } from '../../../lib/model/job.ts'
import { createMemoryJobs } from '../memory-jobs.ts'
import { createExport, createRecords, createStoredImport, file, newTask } from '../records.ts'

/** The records of a job after a worker has claimed a task and ended its lease. */

export const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })

export const onlyTasks = [createStoredImport('in'), newTask('a', [0]), createExport('out', [1])]

export const twoTaskGraph = [
  createStoredImport('in'),
  newTask('a', [0]),
  newTask('b', [1]),
  createExport('out', [2]),
]

export const inputPlan: InputPlan = { steps: [], step: 0, files: [file('a.gif')] }

export const end: TaskResult = { status: 'completed', percent: 100, files: [file('a.png')], warnings: [] }

export async function createJob(tasks: readonly NewTask[] = twoTaskGraph) {
  const ownJobs = createMemoryJobs()
  await ownJobs.jobs.create(createRecords(tasks))
  ownJobs.takeSentTasks()
  ownJobs.takeEvents()
  const ref = { jobId: 'job_1', task: 1 }
  const readJob = async (): Promise<Job> => {
    const foundJob = await ownJobs.store.getJob('job_1')
    assert.ok(foundJob)
    return foundJob
  }
  const readExistingTask = async (chunkNumber?: number): Promise<Task> => {
    const taskRecord = await ownJobs.store.getTask({ ...ref, part: chunkNumber })
    assert.ok(taskRecord)
    return taskRecord
  }
  const lease = (id = 'lease_1', chunkNumber?: number) => {
    const run = {
      services: { jobs: ownJobs.jobs },
      ref: { ...ref, part: chunkNumber },
      extendVisibility: async () => {},
    }
    return new Lease(run as unknown as TaskRun, id, log) // a stub with only the members that are used
  }
  return {
    ...ownJobs,
    ref,
    job: readJob,
    readTask: readExistingTask,
    lease,
    change: (set: Partial<Task>, remove: string[] = []) => ownJobs.store.changeTask(ref, { set, remove }),
    /** Claims the task and starts the heartbeat, as a worker does. */
    claimAndHold: async (id = 'lease_1', chunkNumber?: number) => {
      const heldLease = lease(id, chunkNumber)
      assert.equal((await heldLease.claim()).applied, true)
      heldLease.startHeartbeat(await readJob(), () => {})
      return heldLease
    },
  }
}
