import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultOf } from '../../lib/http/job-files.ts'
import type { Job } from '../../lib/jobs/job.ts'
import { file, given, moment, newJob } from '../jobs/records.ts'

const job = (more: Partial<Job>): Job => ({ ...newJob([given('in')]).job, ...more })
const services = {} as never // The result stands in the job.

test('a job gives its result, or says why there is none', async () => {
  const completed = job({ status: 'completed', result: { files: [file('a.webp'), file('b.webp')] } as never })
  assert.equal((await resultOf(completed, {}, services)).filename, 'a.webp')
  assert.equal((await resultOf(completed, { file: 'b.webp' }, services)).filename, 'b.webp')
  await assert.rejects(resultOf(completed, { file: 'c.webp' }, services), {
    ...{ code: 'TASK_NOT_FOUND', details: { file: 'c.webp', files: ['a.webp', 'b.webp'] } },
  })
  for (const [more, code, message] of [
    [{ status: 'expired', expiredAt: moment(9) }, 'FILE_GONE', /deleted at 2026-01-01T00:00:09.000Z/],
    [{ status: 'processing' }, 'CONFLICT', /is processing; ask again when it is completed/],
    [{ status: 'cancelled' }, 'CONFLICT', /is cancelled\.$/],
    [{ status: 'failed', error: { code: 'CORRUPT_FILE', message: 'Torn.' } }, 'CONFLICT', /failed: Torn\.$/],
  ] as const)
    await assert.rejects(resultOf(job(more as Partial<Job>), {}, services), { code, message })
})
