// Run by `npm run test:aws`, as it takes long: an interrupted attempt is only repeated when its lease expires, after
// half a minute.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRestoredJobs } from './backup-jobs.ts'

test('jobs that were unfinished at the time of a backup are completed after the backup is restored', async (t) => {
  await checkRestoredJobs(t, async (client, openJobs) => {
    for (const id of openJobs) assert.equal((await client.finishedJob(id)).status, 'completed')
  })
})
