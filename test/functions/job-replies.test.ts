import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

const tasks = {
  text: { operation: 'import/raw', filename: 'a.md', file: '# Hello' },
  page: { operation: 'convert', input: 'text', output_format: 'html' },
  plain: { operation: 'convert', input: 'text', output_format: 'txt' },
  out: { operation: 'export/url', input: ['page', 'plain'] },
}

type Headers = Record<string, string>

function sendBatch(headers: Headers): Promise<Response> {
  const body = new FormData()
  for (const name of ['a.md', 'b.md']) body.append('file', new Blob([`# ${name}`]), name)
  body.set('targetFormat', 'html')
  return client.fetch('/v1/convert/batch', { method: 'POST', body, headers })
}

async function createFinishedJob(): Promise<string> {
  const { jobId } = await readData(await client.post('/v1/jobs', { tasks }, { prefer: 'wait=25' }))
  return jobId
}

const readData = async (response: Response) =>
  ((await response.json()) as { data: JobData & { tasks?: Record<string, { status: string }> } }).data

const createRequests: [caseName: string, send: (headers: Headers, jobId: string) => Promise<Response>][] = [
  ['POST /v1/jobs', (headers) => client.post('/v1/jobs', { tasks }, headers)],
  ['POST /v1/convert/batch', sendBatch],
  [
    'POST /v1/jobs/{jobId}/retry',
    (headers, jobId) => client.fetch(`/v1/jobs/${jobId}/retry`, { method: 'POST', headers }),
  ],
]
for (const [caseName, send] of createRequests) {
  test(`${caseName} with Prefer: wait replies when the job has finished, and a repeated request gets the same reply`, async () => {
    const headers = { prefer: 'wait=25', 'idempotency-key': crypto.randomUUID() }
    const jobId = await createFinishedJob()
    const response = await send(headers, jobId)
    const data = await readData(response.clone())
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('preference-applied'), 'wait=25')
    assert.equal(response.headers.get('location'), `/v1/jobs/${data.jobId}`)
    assert.equal(response.headers.get('retry-after'), null)
    assert.equal(data.status, 'completed')
    assert.ok(data.result)
    const states = Object.values(data.tasks ?? {}).map(({ status }) => status)
    assert.ok(
      states.every((status) => status === 'completed'),
      `tasks are ${states}`,
    )
    const repeatedReply = await send({ 'idempotency-key': headers['idempotency-key'] }, jobId)
    assert.equal(repeatedReply.headers.get('idempotent-replayed'), 'true')
    assert.equal(repeatedReply.headers.get('preference-applied'), 'wait=25')
    assert.equal(repeatedReply.status, 200)
    assert.equal(await repeatedReply.text(), await response.text())
  })

  test(`${caseName} without Prefer: wait replies immediately with Location and Retry-After`, async () => {
    const response = await send({}, await createFinishedJob())
    const { jobId } = await readData(response)
    assert.equal(response.status, 202)
    assert.equal(response.headers.get('location'), `/v1/jobs/${jobId}`)
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal(response.headers.get('preference-applied'), null)
  })
}

test('POST /v1/jobs with Prefer: wait=0 replies immediately with 202 and Retry-After', async () => {
  const response = await client.post('/v1/jobs', { tasks }, { prefer: 'respond-async, wait=0' })
  assert.equal(response.status, 202)
  assert.equal(response.headers.get('preference-applied'), 'wait=0')
  assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
})

for (const path of ['/v1/jobs', '/v1/status']) {
  test(`GET ${path}/{jobId} returns 304 for the ETag of a finished job`, async () => {
    const queuedJob = await readData(await client.post('/v1/jobs', { tasks }))
    const url = `${path}/${queuedJob.jobId}`
    const etagBefore = (await client.fetch(url)).headers.get('etag') ?? ''
    assert.match(etagBefore, /^"[\w-]+"$/)
    await client.finishedJob(queuedJob.jobId)
    const changedReply = await client.fetch(url, { headers: { 'if-none-match': etagBefore } })
    assert.equal(changedReply.status, 200, 'the end of the job changes the ETag')
    const etag = changedReply.headers.get('etag') ?? ''
    assert.notEqual(etag, etagBefore)
    for (const knownEtag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const cachedReply = await client.fetch(url, { headers: { 'if-none-match': knownEtag } })
      assert.equal(cachedReply.status, 304, knownEtag)
      assert.equal(cachedReply.headers.get('etag'), etag)
      assert.equal(await cachedReply.text(), '')
    }
    const waitedReply = await client.fetch(url, { headers: { 'if-none-match': etag, prefer: 'wait=1' } })
    assert.equal(waitedReply.status, 304)
    const head = await client.fetch(url, { method: 'HEAD' })
    assert.equal(head.headers.get('etag'), etag)
  })
}
