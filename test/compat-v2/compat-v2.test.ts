import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type CloudConvert from 'cloudconvert'
import { createFunctions } from '../../lib/deployment/functions.ts'
import { getRoleId } from '../../lib/deployment/references.ts'
import { createRoleResources } from '../../lib/deployment/roles.ts'
import { parseStage } from '../../lib/deployment/stage.ts'
import { toCompatEvent } from '../../lib/webhooks/compat-event.ts'
import { after, before } from '../hooks.ts'
import { createManagerKey } from '../support/account.ts'
import { startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'
import { recordedCases } from './recorded-cases.ts'
import { type AnyJson, createSdk, createSender, type SendRequest } from './sdk.ts'
import { signedUrlCases } from './signed-url-cases.ts'
import { singleTaskCases } from './single-task-cases.ts'

let service: TestService
let key: string
let sdk: CloudConvert
before(async () => {
  service = await startService({ FACADES: 'v2', OUTGOING_ALLOW: '127.0.0.0/8' })
  key = await createManagerKey(service)
  sdk = createSdk(service.url, key)
})
after(() => service.stop())

const send: SendRequest = (...request) => createSender({ url: service.url, key })(...request)

test('the SDK of the v2 compatibility API uploads, converts, waits and downloads', async () => {
  const job = await sdk.jobs.create({
    tag: 'from the SDK',
    tasks: {
      'my-file': { operation: 'import/upload' },
      'my-page': { operation: 'convert', input: 'my-file', input_format: 'md', output_format: 'html' },
      'my-link': { operation: 'export/url', input: ['my-page'] },
    },
  })
  assert.equal(job.status, 'waiting')
  assert.deepEqual(
    job.tasks.map(({ name }) => name),
    ['my-file', 'my-page', 'my-link'],
  )
  const upload = job.tasks.find(({ name }) => name === 'my-file')
  assert.equal(upload?.status, 'waiting')
  await sdk.tasks.upload(upload, new TextEncoder().encode('# From the SDK'), 'letter.md')
  const finishedJob = await sdk.jobs.wait(job.id)
  assert.equal(finishedJob.status, 'finished')
  const [file] = sdk.jobs.getExportUrls(finishedJob)
  assert.equal(file?.filename, 'file.html')
  const page = await fetch(file?.url ?? '')
  assert.match(await page.text(), /<h1[^>]*>From the SDK<\/h1>/)

  const [convertTask, link] = [finishedJob.tasks[1], finishedJob.tasks[2]]
  assert.deepEqual((link as AnyJson).depends_on_task_ids, [convertTask?.id])
  assert.equal((await sdk.tasks.get(convertTask?.id ?? '')).status, 'finished')
  assert.equal(((await sdk.tasks.wait(convertTask?.id ?? '')) as AnyJson).name, 'my-page')
  const foundJobs = await sdk.jobs.all({ 'filter[tag]': 'from the SDK' } as never)
  assert.deepEqual(
    foundJobs.map(({ id }) => id),
    [job.id],
  )
  const tasks = await sdk.tasks.all({ 'filter[job_id]': job.id, 'filter[operation]': 'convert' } as never)
  assert.deepEqual(
    tasks.map((task) => (task as AnyJson).name),
    ['my-page'],
  )
  await sdk.jobs.delete(job.id)
  await assert.rejects(sdk.jobs.get(job.id), /Not Found/)
})

test('the v2 compatibility API can retry and delete a task and return its file', async () => {
  const createdTask = await send('POST', '/v2/import/raw', { file: 'plain', filename: 'plain.txt' })
  assert.equal(createdTask.status, 201)
  const { id } = createdTask.body.data
  const waitReply = await send('GET', `/sync/v2/tasks/${id}`)
  assert.equal(waitReply.body.data.status, 'finished')
  let endedTask: AnyJson = {}
  await waitUntil(async () => {
    endedTask = (await send('GET', `/v2/tasks/${id}`)).body.data.result?.files?.[0] ?? {}
    return endedTask.url !== undefined
  }, 'its file is there')
  assert.equal(endedTask.filename, 'plain.txt')
  assert.equal(await (await fetch(endedTask.url)).text(), 'plain')
  const retriedTask = await send('POST', `/v2/tasks/${id}/retry`)
  assert.deepEqual([retriedTask.status, retriedTask.body.data.retry_of_task_id], [201, id])
  assert.equal((await send('DELETE', `/v2/tasks/${id}`)).status, 204)
  assert.equal((await send('GET', `/v2/tasks/${id}`)).status, 404)
})

test('errors of the v2 compatibility API use the format that its SDKs parse', async () => {
  const wrongJob = await send('POST', '/v2/jobs', { tasks: { one: { operation: 'import/raw' } } })
  assert.equal(wrongJob.status, 422)
  assert.deepEqual(Object.keys(wrongJob.body).sort(), ['code', 'errors', 'message'])
  assert.deepEqual(Object.keys(wrongJob.body.errors), ['tasks.one.file'])
  const unknownJobReply = await send('GET', '/v2/jobs/job_01M83X0QT1VVA4PPF8FWWHHNPY')
  assert.deepEqual([unknownJobReply.status, unknownJobReply.body.code], [404, 'JOB_NOT_FOUND'])
  const importTask = await send('POST', '/v2/import/raw', { file: 'x', filename: 'x.txt', input: 'task' })
  assert.equal(importTask.status, 422)
  const anonymousResponse = await fetch(`${service.url}/v2/users/me`, {
    headers: { authorization: 'Bearer sk_nothing' },
  })
  assert.equal(anonymousResponse.status, 401)
  assert.equal(typeof ((await anonymousResponse.json()) as AnyJson).message, 'string')
})

test('the v2 compatibility API returns the current user, the list of conversions and pages of jobs', async () => {
  const me = await sdk.users.me()
  assert.match(String(me.id), /^acc_/)
  assert.ok(Number.isInteger(me.credits) && me.credits > 0, String(me.credits))
  const formats = await send('GET', '/v2/convert/formats?filter[input_format]=png&filter[output_format]=webp')
  assert.deepEqual(formats.body.data, [
    {
      operation: 'convert',
      input_format: 'png',
      output_format: 'webp',
      engine: 'vips',
      credits: null,
      deprecated: false,
      experimental: false,
    },
  ])
  for (const _ of [1, 2, 3]) await send('POST', '/v2/import/raw', { file: 'x', filename: 'x.txt' })
  const firstPage = await send('GET', '/v2/jobs?per_page=2')
  const secondPage = await send('GET', '/v2/jobs?per_page=2&page=2')
  assert.deepEqual([firstPage.body.meta.from, firstPage.body.meta.to, secondPage.body.meta.from], [1, 2, 3])
  const ids = [...firstPage.body.data, ...secondPage.body.data].map(({ id }: { id: string }) => id)
  assert.equal(new Set(ids).size, ids.length)
  assert.match(firstPage.body.links.next, /page=2/)
})

test('webhook events of the v2 compatibility API have the format of that API, and its SDK accepts their signature', async (t) => {
  const receivedEvents: { body: string; signature: string }[] = []
  const receiver = createServer(async (request, response) => {
    receivedEvents.push({
      body: await text(request),
      signature: String(request.headers['cloudconvert-signature']),
    })
    response.end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => receiver.close())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const webhook = await send('POST', '/v2/webhooks', { url, events: ['job.finished'] })
  assert.equal(webhook.status, 201)
  assert.deepEqual((await send('GET', '/v2/users/me/webhooks')).body.data[0].events, ['job.finished'])
  const job = await send('POST', '/v2/jobs', {
    tasks: {
      text: { operation: 'import/raw', file: '# Hi', filename: 'hi.md' },
      page: { operation: 'convert', input: 'text', output_format: 'html' },
      link: { operation: 'export/url', input: 'page' },
    },
  })
  await waitUntil(() => receivedEvents.length > 0, 'an event is received')
  const [event] = receivedEvents
  assert.ok(event)
  const secret = webhook.body.data.signing_secret
  assert.ok(sdk.webhooks.verify(event.body, event.signature, secret))
  assert.ok(!sdk.webhooks.verify(`${event.body} `, event.signature, secret))
  const { event: name, job: sentJob } = JSON.parse(event.body)
  assert.deepEqual([name, sentJob.id, sentJob.status], ['job.finished', job.body.data.id, 'finished'])
  const link = sentJob.tasks.find((task: { name: string }) => task.name === 'link')
  assert.equal(link.result.files[0].filename, 'hi.html')
  assert.equal((await send('DELETE', `/v2/webhooks/${webhook.body.data.id}`)).status, 204)
})

test('a webhook event of the v2 compatibility API contains only the tasks of the request, with their requested names', () => {
  const tasks = {
    smaller: { operation: 'compress', status: 'completed' },
    '__facade-export-0': { operation: 'export/url', status: 'completed' },
  }
  const { job } = toCompatEvent(
    {
      event: 'job.completed',
      job: { id: 'job_1', status: 'completed', tasks },
    },
    'https://here.example',
  ) as {
    job: { tasks: { id: string; name: string; operation: string; status: string }[] }
  }
  assert.deepEqual(
    job.tasks.map(({ id, name, operation, status }) => [id, name, operation, status]),
    [['job_1.smaller', 'smaller', 'optimize', 'finished']],
  )
})

test('on AWS, the v2 compatibility API is deployed only if the stage enables it', () => {
  const listNames = (givenNames: object) => {
    const stage = parseStage('dev', givenNames)
    const hasCompatRole = Object.keys(createRoleResources(stage)).includes(getRoleId('facade'))
    return [createFunctions(stage)['facade']?.environment.FACADES, hasCompatRole]
  }
  assert.deepEqual(listNames({}), [undefined, false])
  assert.deepEqual(listNames({ facades: 'v2' }), ['v2', true])
})

// Each case uses its own key, because requests per minute are limited per key.
for (const [name, run] of Object.entries({ ...recordedCases, ...signedUrlCases, ...singleTaskCases }))
  test(`v2 compatibility API: ${name}`, async () => {
    const ownKey = await createManagerKey(service)
    await run({ url: service.url, key: ownKey, sdk: createSdk(service.url, ownKey) })
  })
