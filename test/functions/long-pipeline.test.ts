// Tests a pipeline of 40 conversions in a row, in the form in which tasks run on AWS: Lambda would stop it after 16.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Client, startService } from '../support/service.ts'

const png = await readFile(new URL('../fixtures/alpha.png', import.meta.url))

test('a pipeline of 40 consecutive conversions completes', { timeout: 240_000 }, async (t) => {
  const service = await startService({ TASK_FILES: 'signed' })
  t.after(() => service.stop())
  const client = new Client(service)
  const conversions = Array.from({ length: 40 }, (_, at) => [
    `step-${at}`,
    {
      operation: 'convert',
      input: at === 0 ? 'file' : `step-${at - 1}`,
      output_format: at % 2 === 0 ? 'jpg' : 'png',
    },
  ])
  const file = { operation: 'import/base64', file: png.toString('base64'), filename: 'image.png' }
  const result = { operation: 'export/url', input: 'step-39' }
  const tasks = { file, ...Object.fromEntries(conversions), result }
  const job = await client.accepted(await client.post('/v1/jobs', { tasks }))
  assert.equal(job.status, 'completed')
})
