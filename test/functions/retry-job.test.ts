import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryJob } from '../../functions/routes/retry-job.ts'
import { newId } from '../../lib/ids.ts'
import { createStoredImport, newJob, timestamp } from '../jobs/records.ts'

test('retrying a job whose files are deleted is refused', async () => {
  const jobId = newId('job')
  const { job, ...state } = newJob([createStoredImport('in')], { id: jobId })
  const services = {
    jobs: {
      store: {
        getState: async () => ({ ...state, job: { ...job, status: 'expired', expiredAt: timestamp(9) } }),
      },
    },
  }
  const request = {
    params: { jobId },
    principal: { ownerId: job.owner },
    findEarlierJob: async () => undefined,
  }
  // The objects have only the members that are used.
  await assert.rejects(async () => retryJob.handle(request as never, services as never), {
    code: 'FILE_GONE',
    details: { jobId },
  })
})
