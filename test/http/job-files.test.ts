import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEarlierJob } from '../../lib/access/job-access.ts'
import { findResultFile } from '../../lib/http/job-files.ts'
import type { Job } from '../../lib/model/job.ts'
import { createStoredImport, file, newJob, timestamp } from '../jobs/records.ts'

const job = (more: Partial<Job>): Job => ({ ...newJob([createStoredImport('in')]).job, ...more })
const services = {} as never // The result is part of the job.

test('the result of a job is returned, or the error explains why there is none', async () => {
  const completedJob = job({
    status: 'completed',
    result: { files: [file('a.webp'), file('b.webp')] } as never,
  })
  assert.equal((await findResultFile(completedJob, {}, services)).filename, 'a.webp')
  assert.equal((await findResultFile(completedJob, { file: 'b.webp' }, services)).filename, 'b.webp')
  await assert.rejects(findResultFile(completedJob, { file: 'c.webp' }, services), {
    code: 'TASK_NOT_FOUND',
    details: { file: 'c.webp', files: ['a.webp', 'b.webp'] },
  })
  for (const [moreFields, code, message] of [
    [{ status: 'expired', expiredAt: timestamp(9) }, 'FILE_GONE', /deleted at 2026-01-01T00:00:09.000Z/],
    [{ status: 'processing' }, 'CONFLICT', /is processing. Try again when it is completed/],
    [{ status: 'cancelled' }, 'CONFLICT', /is cancelled\.$/],
    [{ status: 'failed', error: { code: 'CORRUPT_FILE', message: 'Torn.' } }, 'CONFLICT', /failed: Torn\.$/],
  ] as const)
    await assert.rejects(findResultFile(job(moreFields as Partial<Job>), {}, services), { code, message })
})

test('a repeated request does not find a job that was deleted in the meantime', async () => {
  const findJob = (moreFields: Partial<Job>) => {
    const state = { ...newJob([createStoredImport('in')]), job: job(moreFields) }
    return findEarlierJob('job_1', { jobs: { store: { getState: async () => state } } } as never)
  }
  assert.equal((await findJob({}))?.job.id, 'job_1')
  for (const goneJob of [
    { deletedAt: timestamp(9) },
    { status: 'expired', expiredAt: timestamp(9) },
  ] as const)
    await assert.rejects(findJob(goneJob as Partial<Job>), { code: 'JOB_NOT_FOUND' })
})
