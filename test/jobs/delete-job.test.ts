import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../../lib/aws/table-expressions.ts'
import { type DeleteJobDeps, deleteJobData, markJobDeleted } from '../../lib/jobs/delete-job.ts'
import type { JobStore } from '../../lib/jobs/store.ts'
import type { Job, JobState } from '../../lib/model/job.ts'
import { applyChange, createStoredImport, newJob, newTask, timestamp } from './records.ts'

const freshJob = newJob([createStoredImport('in'), newTask('work', [0])])

/** A store of one job, which may be changed concurrently. */
function createStore(job: Job, changeMeanwhile: (job: Job) => Job = (same) => same) {
  const storedJob = { job, writes: 0 }
  const store = {
    changeJob: async (
      _id: string,
      change: Change,
      { condition }: { condition: { equal: { status: string } } },
    ) => {
      if (storedJob.writes++ === 0) storedJob.job = changeMeanwhile(storedJob.job)
      const applied = condition.equal.status === storedJob.job.status && !storedJob.job.deletedAt
      if (applied) storedJob.job = applyChange(storedJob.job, change)
      return { applied, record: storedJob.job }
    },
  }
  return { stored: storedJob, store: store as JobStore } // a stub with only the methods that are called
}

test('deleting a live job also cancels it, and each of the two events gets a sequence number', async () => {
  const { stored, store } = createStore(freshJob.job)
  assert.equal(await markJobDeleted(freshJob.job, store, timestamp(9)), true)
  const { status, cancelledBy, endedAt, deletedAt, unsaid, wakeAt, numbers, sequence } = stored.job
  const isListed = 'listKey' in stored.job
  assert.deepEqual(
    [status, cancelledBy, unsaid, wakeAt, isListed],
    ['cancelled', 'user', true, timestamp(9), false],
  )
  assert.equal(endedAt, deletedAt)
  const sequenceBefore = freshJob.job.sequence
  assert.deepEqual(
    [numbers['ended'], numbers['deletion'], sequence],
    [sequenceBefore + 1, sequenceBefore + 2, sequenceBefore + 2],
  )
})

test('deleting a job that has ended keeps its status and takes the next sequence number', async () => {
  const over: Job = { ...freshJob.job, status: 'completed', endedAt: timestamp(5) }
  const { stored, store } = createStore(over)
  assert.equal(await markJobDeleted(over, store, timestamp(9)), true)
  const { status, endedAt, numbers, sequence } = stored.job
  assert.deepEqual([status, endedAt, 'ended' in numbers], ['completed', timestamp(5), false])
  assert.deepEqual([numbers['deletion'], sequence], [over.sequence + 1, over.sequence + 1])
})

test('a job that completes while it is being deleted is deleted and keeps the status completed', async () => {
  const { stored, store } = createStore(freshJob.job, (job) => ({
    ...job,
    status: 'completed',
    endedAt: timestamp(5),
  }))
  assert.equal(await markJobDeleted(freshJob.job, store, timestamp(9)), true)
  assert.deepEqual([stored.job.status, stored.job.endedAt], ['completed', timestamp(5)])
})

test('deleting a job gives up after ten write conflicts', async () => {
  let tryCount = 0
  const store = {
    changeJob: async () => {
      tryCount += 1
      return {
        applied: false,
        record: { ...freshJob.job, status: tryCount % 2 ? 'completed' : 'processing' },
      }
    },
  } as unknown as JobStore
  assert.equal(await markJobDeleted(freshJob.job, store, timestamp(9)), false)
  assert.equal(tryCount, 10)
})

test('deleting a job that is already deleted returns false', async () => {
  const goneJob: Job = { ...freshJob.job, deletedAt: timestamp(5) }
  assert.equal(await markJobDeleted(goneJob, createStore(goneJob).store, timestamp(9)), false)
  const { store } = createStore(freshJob.job, (job) => ({ ...job, deletedAt: timestamp(5) }))
  assert.equal(await markJobDeleted(freshJob.job, store, timestamp(9)), false)
})

test('resuming an interrupted deletion of a job deletes the remaining data and publishes no event again', async () => {
  const state: JobState = {
    ...freshJob,
    job: { ...freshJob.job, status: 'completed', deletedAt: timestamp(5) },
  }
  const did: string[] = []
  let job = state.job
  let isInterrupted = true
  const deletion = {
    store: {
      getState: async () => ({ ...state, job }),
      getJob: async () => job,
      changeJob: async (_id: string, change: Change) => {
        job = applyChange(job, change)
        return { applied: true, record: job }
      },
      deleteTasks: async () => {
        if (isInterrupted) throw new Error('the process died')
        did.push('tasks')
      },
      deleteJob: async () => did.push('job'),
    },
    files: { deleteAll: async () => did.push('files') },
    uploads: { delete: async () => did.push('uploads') },
    lifecycle: { endAllTasks: async () => state, publish: async () => did.push('events') },
    log: { info: () => undefined },
  } as unknown as DeleteJobDeps // a stub with only the methods that are called
  await assert.rejects(deleteJobData('job_1', deletion), /the process died/)
  assert.deepEqual(did, ['uploads', 'files', 'events'])
  isInterrupted = false
  await deleteJobData('job_1', deletion)
  assert.deepEqual(did.slice(3), ['tasks', 'job'])
})

test('the tombstone of an expired job is kept for 30 days', async () => {
  const state: JobState = {
    ...freshJob,
    job: { ...freshJob.job, status: 'expired', expiredAt: timestamp(5.5) },
  }
  const tombstoneTtls: number[] = []
  const deletion = {
    store: {
      getState: async () => ({ ...state, job: { ...state.job, filesTold: true } }),
      getJob: async () => ({ ...state.job, filesTold: true }),
      deleteTasks: async () => undefined,
      writeTombstone: async (_job: Job, ttl: number) => tombstoneTtls.push(ttl),
    },
    log: { info: () => undefined },
  } as unknown as DeleteJobDeps // a stub with only the methods that are called
  await deleteJobData('job_1', deletion)
  assert.deepEqual(tombstoneTtls, [Date.parse(timestamp(5)) / 1000 + 30 * 24 * 3600])
})
