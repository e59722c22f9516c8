// Runs a small part of `npm run fuzz -- api`, which can send any number of requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz } from './api.ts'

test('replies to requests generated from the OpenAPI document match the document', async () => {
  const {
    failures,
    unreached: unreachedOperations,
    requests,
    statuses,
  } = await fuzz({ requests: 1000, seed: 1 })
  assert.deepEqual(failures, [])
  assert.deepEqual(unreachedOperations, [])
  assert.equal(requests, 1000)
  // With fewer successes, the requests would prove little.
  const successCount = Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (Number(status) < 400 ? count : 0),
    0,
  )
  assert.ok(successCount > 250, `${successCount} requests succeeded`)
})
