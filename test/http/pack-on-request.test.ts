import assert from 'node:assert/strict'
import { test } from 'node:test'
import { downloadResult } from '../../functions/routes/download-result.ts'
import { newId } from '../../lib/ids.ts'
import type { Job } from '../../lib/model/job.ts'
import { file, newJob, newTask } from '../jobs/records.ts'

/**
 * Tests the download of a batch whose ZIP is not ready, with stubs. In test/functions/batch-zip.test.ts, a service
 * really packs the ZIP.
 */

const batchId = newId('job')
const zipJob: Job = { ...newJob([newTask('pack-results', [])]).job, id: newId('job'), status: 'processing' }
const batch: Job = {
  ...newJob([]).job,
  id: batchId,
  status: 'completed',
  packsResults: true,
  zipJob: zipJob.id,
  result: { files: [file('a.webp'), file('b.webp')], warnings: [] },
}

/** Downloads the batch while `zipJob` packs its ZIP. Waiting for that job returns `laterZipJob`. */
const download = (query: Record<string, string>, laterZipJob: Job, MAX_WAITS?: number) => {
  const services = {
    config: { MAX_WAITS },
    table: { update: async () => ({ applied: false }) },
    jobs: {
      store: { getJob: async (id: string) => (id === batchId ? batch : zipJob) },
      waitFor: async () => laterZipJob,
    },
  }
  const request = {
    params: { jobId: batchId },
    query: { ...query, attempt: query['attempt'] && Number(query['attempt']) },
    rawQuery: query,
    method: 'GET',
    principal: { ownerId: 'anon_1' },
    remainingMs: () => 10_000,
  }
  return downloadResult.handle(request as never, services as never)
}

test('the download URL of a ZIP that is being packed redirects to itself with the same query and a count of attempts', async () => {
  const { headers } = await download({ inline: 'true' }, zipJob)
  assert.equal(headers?.['location'], `/v1/download/${batchId}?inline=true&attempt=2`)
  const secondReply = await download({ inline: 'true', attempt: '2' }, zipJob)
  assert.equal(secondReply.headers?.['location'], `/v1/download/${batchId}?inline=true&attempt=3`)
})

test('the download of a ZIP fails with the error of the job that packs the ZIP', async () => {
  const error = { code: 'INSUFFICIENT_DISK_SPACE', message: 'The disk is full.' } as const
  await assert.rejects(async () => download({}, { ...zipJob, status: 'failed', error }), {
    code: 'INSUFFICIENT_DISK_SPACE',
    message: 'The results could not be packed: The disk is full.',
  })
})

test('the download of a ZIP that is being packed fails with RATE_LIMITED if the limit of waiting requests is reached', async () => {
  await assert.rejects(async () => download({}, zipJob, 1), {
    code: 'RATE_LIMITED',
    details: { retryAfter: 5 },
  })
})
