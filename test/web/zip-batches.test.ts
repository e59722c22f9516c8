import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createZipBatches } from '../../functions/web/sections/convert/zip-batches.ts'

test('more than 100 results are divided among several ZIPs, and their numbers continue from one ZIP to the next', () => {
  const jobs = Array.from({ length: 201 }, (_, at) => ({
    jobId: `job_${at}`,
    folder: undefined,
    fileCount: at === 0 ? 3 : 1,
  }))
  const batches = createZipBatches(jobs)
  assert.deepEqual(
    batches.map((batch) => [batch.jobs[0]?.jobId, batch.jobs.length, batch.firstIndex]),
    [
      ['job_0', 100, 1],
      ['job_100', 100, 103],
      ['job_200', 1, 203],
    ],
  )
  assert.deepEqual(createZipBatches([]), [])
})
