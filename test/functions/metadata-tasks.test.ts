import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
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

interface JobView {
  readonly status: string
  readonly result: unknown
  readonly tasks: Record<
    string,
    {
      engine: string | null
      engineVersion: string | null
      result: { url: string; expires_at: string; metadata?: Record<string, unknown> } | null
    }
  >
}

async function importFixture(filename: string) {
  const file = await readFile(new URL(`../fixtures/${filename}`, import.meta.url))
  return { operation: 'import/base64', filename, file: file.toString('base64') }
}

async function run(tasks: object): Promise<JobView> {
  const { jobId } = await client.accepted(await client.post('/v1/jobs', { tasks }))
  const response = await client.fetch(`/v1/jobs/${jobId}`)
  return ((await response.json()) as { data: JobView }).data
}

test('a task that reads metadata returns it without an export and names the program that read it', async () => {
  const { status, result, tasks } = await run({
    photo: await importFixture('corners.jpg'),
    pages: await importFixture('three-pages.pdf'),
    facts: { operation: 'metadata', input: 'photo' },
    info: { operation: 'pdf-info', input: 'pages', output_format: 'json' },
  })
  assert.deepEqual([status, result], ['completed', null])
  const { facts, info } = tasks
  assert.equal(facts?.engine, 'exiftool')
  assert.match(facts.engineVersion ?? '', /^\d+\.\d+$/)
  assert.match(JSON.stringify(facts.result?.metadata?.['File']), /"FileType":"JPEG"/)
  assert.equal(info?.result?.metadata?.['pages'], 3)
  const downloadReply = await fetch(facts.result?.url ?? assert.fail('no link'))
  assert.deepEqual(await downloadReply.json(), facts.result?.metadata)
})

test('a task that writes metadata names the program that wrote it', async () => {
  const { tasks } = await run({
    photo: await importFixture('corners.jpg'),
    titled: { operation: 'metadata/write', input: 'photo', title: 'Corners' },
    pages: await importFixture('three-pages.pdf'),
    named: { operation: 'metadata/write', input: 'pages', title: 'Pages' },
    out: { operation: 'export/url', input: ['titled', 'named'] },
  })
  for (const name of ['titled', 'named']) {
    assert.equal(tasks[name]?.engine, 'exiftool', name)
    assert.match(tasks[name].engineVersion ?? '', /^\d+\.\d+$/)
  }
})

test('a conversion task whose result no other task uses is refused', async () => {
  const photo = await importFixture('corners.jpg')
  const tasks = { photo, webp: { operation: 'convert', input: 'photo', output_format: 'webp' } }
  const response = await client.post('/v1/jobs', { tasks })
  const { error } = (await response.json()) as { error: { code: string; details: { task: string } } }
  assert.deepEqual([response.status, error.code, error.details.task], [400, 'INVALID_REQUEST', 'webp'])
})

test('the download links of an export task expire after the requested time', async () => {
  const { tasks } = await run({
    photo: await importFixture('corners.jpg'),
    out: { operation: 'export/url', input: 'photo', expires_in: 600 },
  })
  const { url, expires_at } = tasks['out']?.result ?? assert.fail('no links')
  const leftS = (Date.parse(expires_at) - Date.now()) / 1000
  assert.ok(leftS > 300 && leftS <= 600, String(leftS))
  assert.ok(Number(new URL(url).searchParams.get('exp')) <= Date.parse(expires_at) / 1000)
})
