import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEarlierJob } from '../../lib/access/job-access.ts'
import { type FileSelector, findResult } from '../../lib/http/job-files.ts'
import type { Job } from '../../lib/model/job.ts'
import { createStoredImport, file, newJob, timestamp } from '../jobs/records.ts'

const createJob = (overrides: Partial<Job>): Job => ({
  ...newJob([createStoredImport('in')]).job,
  ...overrides,
})
const services = {} as never // Not used: the result is part of the job.
const getResult = async (jobRecord: Job, selector: FileSelector = {}) => {
  const result = await findResult(jobRecord, selector, services)
  return result === 'zip' ? result : result.filename
}

test('the result of a job is returned, or the error explains why the job has no result', async () => {
  const completedJob = createJob({
    status: 'completed',
    result: { files: [file('a.webp'), file('b.webp')] } as never,
  })
  assert.equal(await getResult(completedJob), 'a.webp')
  assert.equal(await getResult(completedJob, { file: 'b.webp' }), 'b.webp')
  await assert.rejects(getResult(completedJob, { file: 'c.webp' }), {
    code: 'TASK_NOT_FOUND',
    details: { file: 'c.webp', files: ['a.webp', 'b.webp'] },
  })
  for (const [moreFields, code, message] of [
    [{ status: 'expired', expiredAt: timestamp(9) }, 'FILE_GONE', /deleted at 2026-01-01T00:00:09.000Z/],
    [{ status: 'processing' }, 'CONFLICT', /is processing. Try again when it is completed/],
    [{ status: 'cancelled' }, 'CONFLICT', /is cancelled\.$/],
    [{ status: 'failed', error: { code: 'CORRUPT_FILE', message: 'Torn.' } }, 'CONFLICT', /failed: Torn\.$/],
  ] as const)
    await assert.rejects(getResult(createJob(moreFields as Partial<Job>)), { code, message })
})

test('the result of a batch is a ZIP of all files if there are several', async () => {
  const createBatch = (...names: string[]) =>
    createJob({
      status: 'completed',
      packsResults: true,
      result: { files: names.map((name) => file(name)) } as never,
    })
  assert.equal(await getResult(createBatch('a.webp', 'b.webp')), 'zip')
  assert.equal(await getResult(createBatch('a.webp', 'b.webp'), { file: 'b.webp' }), 'b.webp')
  assert.equal(await getResult(createBatch('a.webp')), 'a.webp')
  const earlierBatch = { ...createBatch('a.webp', 'b.webp'), packsResults: undefined, require: 'any' } as Job
  assert.equal(await getResult(earlierBatch), 'zip', 'batches of earlier versions too')
})

test('repeating an idempotent request fails with JOB_NOT_FOUND if its job was deleted or has expired', async () => {
  const findJob = (moreFields: Partial<Job>) => {
    const state = { ...newJob([createStoredImport('in')]), job: createJob(moreFields) }
    return findEarlierJob('job_1', { jobs: { store: { getState: async () => state } } } as never)
  }
  assert.equal((await findJob({}))?.job.id, 'job_1')
  for (const deletedJob of [
    { deletedAt: timestamp(9) },
    { status: 'expired', expiredAt: timestamp(9) },
  ] as const)
    await assert.rejects(findJob(deletedJob as Partial<Job>), { code: 'JOB_NOT_FOUND' })
})
