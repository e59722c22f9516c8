import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

const pdf = await readFile(new URL('../fixtures/three-pages.pdf', import.meta.url))
/** A password that no encoding changes and that occurs nowhere else. */
const correctPassword = 'Zq7rightPasswordZq7'
const wrongPassword = 'Zq7wrongPasswordZq7'

let service: TestService
let client: Client
before(async () => {
  service = await startService({ LOG_LEVEL: 'debug' })
  client = new Client(service)
})
after(() => service.stop())

/** Returns the files of the data folder that contain a text; these include the write-ahead logs of databases. */
async function findFilesWith(text: string): Promise<string[]> {
  const names = await readdir(service.dataDir, { recursive: true, withFileTypes: true })
  const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const foundSecrets = await Promise.all(
    paths.map(async (path) => ((await readFile(path)).includes(text) ? [path] : [])),
  )
  return foundSecrets.flat()
}

test('passwords never appear in a table, queue, event, log line, file or reply', async () => {
  const tasks = {
    file: { operation: 'import/base64', file: pdf.toString('base64'), filename: 'a.pdf' },
    locked: { operation: 'encrypt-pdf', input: 'file', options: { password: correctPassword } },
    // Passwords in both spellings, inside and outside of the options.
    opened: { operation: 'decrypt-pdf', input: 'locked', password: correctPassword },
    images: { operation: 'convert', input: 'locked', output_format: 'jpg', password: correctPassword },
    refused: { operation: 'decrypt-pdf', input: 'locked', password: wrongPassword, continue_on_error: true },
    // Uses engines of two container images: in between, the remaining steps wait in the table.
    moving: {
      operation: 'convert',
      input: 'locked',
      output_format: 'gif',
      options: { password: correctPassword, pages: '1' },
    },
    out: { operation: 'export/url', input: ['opened', 'images', 'refused', 'moving'] },
  }
  const createdReply = await client.post('/v1/jobs', { tasks })
  const reply = await createdReply.text()
  assert.equal(createdReply.status, 202, reply)
  const { jobId } = JSON.parse(reply) as { jobId: string }
  const job = await client.finishedJob(jobId)
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const wholeJob = await (await client.fetch(`/v1/jobs/${jobId}`)).text()
  assert.match(wholeJob, /cannot be opened with the password/, 'the wrong password was tried')

  const retryReply = await (await client.fetch(`/v1/jobs/${jobId}/retry`, { method: 'POST' })).text()
  const retriedJob = await client.finishedJob((JSON.parse(retryReply) as { jobId: string }).jobId)
  assert.equal(retriedJob.status, 'completed', 'encrypted passwords work for a retry too')

  // Workers clean up after they have reported the end.
  const workFolder = join(service.dataDir, 'work')
  const readEntries = async () => (await readdir(workFolder)).filter((name) => name.startsWith('task-'))
  await waitUntil(async () => (await readEntries()).length === 0, 'the work folders are gone')
  for (const secret of [correctPassword, wrongPassword]) {
    for (const text of [reply, wholeJob, retryReply]) assert.ok(!text.includes(secret), 'a reply contains it')
    assert.deepEqual(await findFilesWith(secret), [])
    assert.deepEqual(await findFilesWith(Buffer.from(secret).toString('base64').slice(0, -2)), [])
  }
  assert.ok((await findFilesWith(jobId)).length > 0, 'stored data can be searched at all')
})
