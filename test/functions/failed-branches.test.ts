import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

interface FailedJob {
  readonly jobId: string
  readonly status: string
  readonly summary: unknown
  readonly result: unknown
  readonly tasks: Record<string, { status: string; result: { url: string; expires_at: string } | null }>
}

/** Runs a job with two branches, one of which succeeds while the other fails. */
async function runBranches(): Promise<FailedJob> {
  const tasks = {
    text: { operation: 'import/raw', filename: 'hello.md', file: '# Hello' },
    html: { operation: 'convert', input: 'text', output_format: 'html' },
    page: { operation: 'export/url', input: 'html' },
    none: { operation: 'extract', input: 'html' },
    rest: { operation: 'export/url', input: 'none' },
  }
  const { jobId } = await client.accepted(await client.post('/v1/jobs', { tasks }))
  const response = await client.fetch(`/v1/jobs/${jobId}`)
  return ((await response.json()) as { data: FailedJob }).data
}

const readErrorCode = async (response: Response) =>
  ((await response.json()) as { error: { code: string } }).error.code

test('only the completed branch of a failed job can be downloaded', async () => {
  const { jobId, status, summary, result, tasks } = await runBranches()
  assert.deepEqual([status, result], ['failed', null])
  assert.deepEqual(summary, { total: 2, completed: 1, failed: 1 })
  const { page, rest } = tasks
  assert.deepEqual([page?.status, rest?.status, rest?.result], ['completed', 'cancelled', null])
  assert.ok(Date.parse(page?.result?.expires_at ?? '') > Date.now())
  const linkedReply = await fetch(page?.result?.url ?? assert.fail('no link'))
  assert.match(await linkedReply.text(), /Hello/)
  const path = `/v1/download/${jobId}`
  assert.equal((await client.fetch(`${path}?task=page`)).status, 302)
  assert.equal((await client.fetch(`${path}?task=html`)).status, 302)
  for (const query of ['', '?task=rest', '?task=none']) {
    const refusedReply = await client.fetch(`${path}${query}`)
    assert.deepEqual([refusedReply.status, await readErrorCode(refusedReply)], [409, 'CONFLICT'], query)
  }
  const unknownTaskReply = await client.fetch(`${path}?task=text`)
  assert.deepEqual([unknownTaskReply.status, await readErrorCode(unknownTaskReply)], [404, 'TASK_NOT_FOUND'])
})

test('a signed link to a failed job returns the file of its completed branch', async () => {
  const { jobId } = await runBranches()
  const signedReply = await client.post('/v1/download/signed', { jobId, task: 'page' })
  const { data } = (await signedReply.json()) as { data: { url: string } }
  assert.match(await (await fetch(new URL(data.url, service.url))).text(), /Hello/)
  for (const body of [{ jobId }, { jobId, task: 'rest' }])
    assert.equal((await client.post('/v1/download/signed', body)).status, 409)
  const otherClient = new Client(service)
  assert.equal((await otherClient.post('/v1/download/signed', { jobId, task: 'page' })).status, 403)
})
