import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../../lib/aws/table-expressions.ts'
import { type DeleteJobDeps, deleteJobData, markJobDeleted } from '../../lib/jobs/delete-job.ts'
import type { Job, JobState } from '../../lib/jobs/job.ts'
import type { JobStore } from '../../lib/jobs/store.ts'
import { changed, given, moment, newJob, task } from './records.ts'

const fresh = newJob([given('in'), task('work', [0])])

/** A store of one job, in which somebody else may be first. */
function storeOf(job: Job, meanwhile: (job: Job) => Job = (same) => same) {
  const stored = { job, writes: 0 }
  const store = {
    changeJob: async (
      _id: string,
      change: Change,
      { condition }: { condition: { equal: { status: string } } },
    ) => {
      if (stored.writes++ === 0) stored.job = meanwhile(stored.job)
      const applied = condition.equal.status === stored.job.status && !stored.job.deletedAt
      if (applied) stored.job = changed(stored.job, change)
      return { applied, record: stored.job }
    },
  }
  return { stored, store: store as unknown as JobStore } // nothing else of it is called
}

test('a job that is deleted while it lives is cancelled by that, and both have a number of their own', async () => {
  const { stored, store } = storeOf(fresh.job)
  assert.equal(await markJobDeleted(fresh.job, store, moment(9)), true)
  const { status, cancelledBy, endedAt, deletedAt, unsaid, wakeAt, numbers, sequence } = stored.job
  const isListed = 'listKey' in stored.job
  assert.deepEqual(
    [status, cancelledBy, unsaid, wakeAt, isListed],
    ['cancelled', 'user', true, moment(9), false],
  )
  assert.equal(endedAt, deletedAt)
  const before = fresh.job.sequence
  assert.deepEqual([numbers['ended'], numbers['deletion'], sequence], [before + 1, before + 2, before + 2])
})

test('a job that is over keeps how it ended, and its deletion takes the next number', async () => {
  const over: Job = { ...fresh.job, status: 'completed', endedAt: moment(5) }
  const { stored, store } = storeOf(over)
  assert.equal(await markJobDeleted(over, store, moment(9)), true)
  const { status, endedAt, numbers, sequence } = stored.job
  assert.deepEqual([status, endedAt, 'ended' in numbers], ['completed', moment(5), false])
  assert.deepEqual([numbers['deletion'], sequence], [over.sequence + 1, over.sequence + 1])
})

test('a job that ends while it is deleted is deleted as one that is over', async () => {
  const { stored, store } = storeOf(fresh.job, (job) => ({ ...job, status: 'completed', endedAt: moment(5) }))
  assert.equal(await markJobDeleted(fresh.job, store, moment(9)), true)
  assert.deepEqual([stored.job.status, stored.job.endedAt], ['completed', moment(5)])
})

test('a job that others change again and again is given up after ten tries', async () => {
  let tries = 0
  const store = {
    changeJob: async () => {
      tries += 1
      return { applied: false, record: { ...fresh.job, status: tries % 2 ? 'completed' : 'processing' } }
    },
  } as unknown as JobStore
  assert.equal(await markJobDeleted(fresh.job, store, moment(9)), false)
  assert.equal(tries, 10)
})

test('of two that delete a job the second is told so', async () => {
  const gone: Job = { ...fresh.job, deletedAt: moment(5) }
  assert.equal(await markJobDeleted(gone, storeOf(gone).store, moment(9)), false)
  const { store } = storeOf(fresh.job, (job) => ({ ...job, deletedAt: moment(5) }))
  assert.equal(await markJobDeleted(fresh.job, store, moment(9)), false)
})

test('who erases a job that another began to erase tells nothing again, and takes what is left', async () => {
  const state: JobState = { ...fresh, job: { ...fresh.job, status: 'completed', deletedAt: moment(5) } }
  const did: string[] = []
  let job = state.job
  let isCut = true
  const erasing = {
    store: {
      whole: async () => ({ ...state, job }),
      job: async () => job,
      changeJob: async (_id: string, change: Change) => {
        job = changed(job, change)
        return { applied: true, record: job }
      },
      deleteTasks: async () => {
        if (isCut) throw new Error('the process ends here')
        did.push('tasks')
      },
      deleteJob: async () => did.push('job'),
    },
    files: { deleteAll: async () => did.push('files') },
    uploads: { forget: async () => did.push('uploads') },
    course: { allOver: async () => state, publish: async () => did.push('told') },
    log: { info: () => undefined },
  } as unknown as DeleteJobDeps // nothing else of it is called
  await assert.rejects(deleteJobData('job_1', erasing), /ends here/)
  assert.deepEqual(did, ['uploads', 'files', 'told'])
  isCut = false
  await deleteJobData('job_1', erasing)
  assert.deepEqual(did.slice(3), ['tasks', 'job'])
})

test('of an expired job the record stays for a month that says so', async () => {
  const state: JobState = { ...fresh, job: { ...fresh.job, status: 'expired', expiredAt: moment(5.5) } }
  const buried: number[] = []
  const erasing = {
    store: {
      whole: async () => ({ ...state, job: { ...state.job, filesTold: true } }),
      job: async () => ({ ...state.job, filesTold: true }),
      deleteTasks: async () => undefined,
      bury: async (_job: Job, ttl: number) => buried.push(ttl),
    },
    log: { info: () => undefined },
  } as unknown as DeleteJobDeps // nothing else of it is called
  await deleteJobData('job_1', erasing)
  assert.deepEqual(buried, [Date.parse(moment(5)) / 1000 + 30 * 24 * 3600])
})
