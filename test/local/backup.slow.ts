// Run by `npm run test:aws`: an attempt that was under way is repeated when its lease is over, after half a minute.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRestoredJobs } from './backup-jobs.ts'

test('jobs that were not done when a backup was made are done after its restoration', async (t) => {
  await checkRestoredJobs(t, async (client, open) => {
    for (const id of open) assert.equal((await client.finished(id)).status, 'completed')
  })
})
