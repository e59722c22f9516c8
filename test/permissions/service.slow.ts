// Runs user scenarios with each function under its deployed role: they succeed, the roles grant exactly the permissions
// that are used, and each removed permission causes a failure.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { waitUntil } from '../support/wait-until.ts'
import { assertExact, isTaskRole } from './assert-exact.ts'
import {
  Client,
  fixture,
  folder,
  font,
  openIsolatedService,
  readUploadForm,
  simpleJob,
  startService,
  uploadJob,
} from './isolated-service.ts'
import { readDecisions } from './used-permissions.ts'

/** Exit codes of other test runs, which run in parallel with the tests of this file: they wait most of the time. */
let examplesExitCode: Promise<number>
let compatTestsExitCode: Promise<number>

let service: Awaited<ReturnType<typeof openIsolatedService>>
before(async () => {
  const run = async (...args: readonly string[]) => {
    const env = { ...process.env, EXAMPLES_TO: join(folder, 'examples.json') }
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      env: { ...env, NODE_TEST_CONTEXT: undefined },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    if (code !== 0) console.error(output)
    return Number(code)
  }
  examplesExitCode = run('test/record-examples.ts')
  // One after another, because each starts all functions.
  compatTestsExitCode = examplesExitCode.then(() => run('--test', 'test/compat-v2/compat-v2.test.ts'))
  service = await openIsolatedService()
})
after(() => service.close())

test('the deployed roles allow converting uploaded files and converting their results again', async () => {
  const client = service.newClient()
  const bytes = new TextEncoder().encode('# A')
  const files: Readonly<Record<string, string>> = {
    'letter.docx': 'odt',
    'three-pages.pdf': 'txt',
    'two-files.tar.lz4': 'zip',
    'letters.ttf': 'woff2',
    'page.html': 'pdf',
  }
  for (const [name, targetFormat] of Object.entries(files)) {
    const file = new Uint8Array(name === 'letters.ttf' ? readFileSync(font) : fixture(name))
    assert.equal((await client.convert({ name, bytes: file }, { targetFormat })).status, 202, name)
  }
  const manyFiles = new FormData()
  for (let at = 0; at < 11; at++) manyFiles.append('file', new Blob([bytes]), `${at}.md`)
  manyFiles.set('targetFormat', 'html')
  assert.equal((await client.fetch('/v1/convert/batch', { method: 'POST', body: manyFiles })).status, 202)
  const { jobId } = await client.accepted(
    await client.convert({ name: 'a.md', bytes }, { targetFormat: 'html' }),
  )
  for (const moreFields of [{}, { sourceTask: 'convert-file' }]) {
    const secondReply = await client.post('/v1/convert', {
      sourceJobId: jobId,
      targetFormat: 'pdf',
      ...moreFields,
    })
    assert.equal(secondReply.status, 202, await secondReply.text())
  }
  assert.equal((await client.fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status, 204)
  const { uploadId } = await client.presign({ filename: 'a.md', contentType: 'text/markdown', size: 3 })
  const earlyReply = await client.post('/v1/convert', { uploadId, targetFormat: 'html' })
  assert.ok(earlyReply.status >= 400 && earlyReply.status < 500, 'the upload has not arrived')
  assert.equal((await client.fetch(`/v1/uploads/${uploadId}`)).status, 200)
})

test('the deployed roles allow uploads before and after their jobs are created', async () => {
  const client = service.newClient()
  const png = new Uint8Array(fixture('alpha.png'))
  const announcedFile = { filename: 'a.png', contentType: 'image/png', size: png.length }
  const put = async ({ url, headers }: { url: string; headers: Readonly<Record<string, string>> }) =>
    assert.equal((await fetch(url, { method: 'PUT', headers: { ...headers }, body: png })).status, 200)
  const presignedUpload = await client.presign(announcedFile)
  await put(presignedUpload)
  const convertedJob = await client.accepted(
    await client.post('/v1/convert', {
      uploadId: presignedUpload.uploadId,
      targetFormat: 'webp',
      tag: 'mine',
    }),
  )
  assert.equal(convertedJob.status, 'completed')
  assert.equal((await client.fetch('/v1/jobs?tag=mine')).status, 200)
  assert.equal((await client.fetch(`/v1/jobs/${convertedJob.jobId}`, { method: 'DELETE' })).status, 204)
  // The job that waited for this upload was deleted.
  await put(presignedUpload)
  const awaitedReply = await client.post('/v1/jobs', { tasks: uploadJob })
  const createdJob = (await awaitedReply.json()) as { data: { jobId: string } }
  const { url, parameters } = readUploadForm(createdJob)
  const form = new FormData()
  for (const [name, value] of Object.entries(parameters)) form.set(name, value)
  form.set('file', new Blob([png]), 'a.png')
  assert.equal((await fetch(url, { method: 'POST', body: form })).status, 201)
  assert.equal((await client.finishedJob(createdJob.data.jobId)).status, 'completed')
})

const getFrameType = (frame: string) => (JSON.parse(frame) as { type: string }).type

const pastTime = new Date(Date.now() - 1000).toISOString()

test('the deployed roles allow webhooks, sockets and workflows', async () => {
  const client = service.newClient()
  const hook = await client.post('/v1/webhooks', { url: service.receiver.url('/hook'), events: ['*'] })
  assert.equal(hook.status, 201, await hook.clone().text())
  const { data } = (await (await client.post('/v1/ws/tickets', {})).json()) as { data: { ticket: string } }
  const socket = new WebSocket(
    `${service.service.url.replace('http', 'ws')}/ws/user/jobs?ticket=${data.ticket}`,
  )
  const frames: string[] = []
  socket.on('message', (frame) => frames.push(String(frame)))
  await waitUntil(() => frames.length > 0, 'the socket is greeted', 90)
  const tasks = simpleJob
  const { jobId } = await service.job(client, tasks)
  // Waits before the socket unsubscribes from the job, because it would not receive the end event afterwards.
  await waitUntil(
    () => frames.some((frame) => frame.includes('job.completed')),
    'the socket receives the end event',
    90,
  )
  socket.send(JSON.stringify({ type: 'ping' }))
  socket.send(JSON.stringify({ type: 'subscribe', jobs: [jobId] }))
  socket.send(JSON.stringify({ type: 'resume', since: 0 }))
  socket.send(JSON.stringify({ type: 'unsubscribe', jobs: [jobId] }))
  for (let badFrame = 0; badFrame < 3; badFrame++) socket.send('nonsense')
  await waitUntil(
    () => ['pong', 'snapshot', 'error'].every((type) => frames.some((frame) => getFrameType(frame) === type)),
    'the socket is answered',
    90,
  )
  await waitUntil(
    () => service.receiver.at('/hook').some(({ json }) => json.event === 'job.completed'),
    'the webhook too',
    90,
  )
  // The first delivery to the URL of a job creates the secret of its owner.
  await service.job(client, tasks, { webhookUrl: service.receiver.url('/of-job') })
  await waitUntil(() => service.receiver.at('/of-job').length > 0, 'the URL of the job is called', 90)
  const flow = await client.post('/v1/workflows', {
    name: 'often',
    cron: '0 * * * *',
    timezone: 'UTC',
    tasks,
  })
  const { data: workflow } = (await flow.json()) as { data: { id: string } }
  await service.change(`WORKFLOW#${workflow.id}`, 'WORKFLOW', { wakeAt: pastTime, nextRunAt: pastTime })
  await service.change(`JOB#${jobId}`, 'JOB', { wakeAt: pastTime, expiresAt: pastTime })
  assert.deepEqual(Object.keys((await (await service.invoke('sweep', {})).json()) as object), ['looked'])
  await waitUntil(
    async () => {
      const runs = await (await client.fetch(`/v1/workflows/${workflow.id}/runs`)).text()
      return runs.includes('"completed"') || runs.includes('"running"')
    },
    'the workflow has run',
    90,
  )
  socket.close()
})

test('the deployed roles allow a client with an anonymous job to sign up and manage its sessions', async () => {
  const client = service.newClient()
  const { jobId } = await service.job(client, simpleJob)
  assert.ok(jobId)
  const person = { name: 'Ada', email: `ada-${Date.now()}@example.com`, password: 'correct horse battery' }
  const origin = { origin: service.service.url }
  const signUpReply = await client.post('/v1/auth/sign-up/email', person, origin)
  assert.equal(signUpReply.status, 200, await signUpReply.text())
  const log = readFileSync(join(service.service.dataDir, 'service.log'), 'utf8')
  const link = /http[^"\\\s]+verify-email[^"\\\s]+/.exec(log)?.[0] ?? ''
  const verifyResponse = await fetch(link, { redirect: 'manual' })
  const cookie = verifyResponse.headers
    .getSetCookie()
    .map((parameter) => parameter.split(';')[0])
    .join('; ')
  const ask = (method: string, path: string, body?: object) =>
    fetch(`${service.service.url}/v1/${path}`, {
      method,
      headers: { ...origin, cookie, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  assert.equal((await ask('GET', 'account')).status, 200)
  for (const path of ['get-session', 'list-sessions'])
    assert.equal((await ask('GET', `auth/${path}`)).status, 200, path)
  assert.equal((await ask('POST', 'auth/update-user', { name: 'Ada L.' })).status, 200)
  assert.equal((await ask('POST', 'auth/sign-in/email', person)).status, 200)
  for (const path of ['revoke-other-sessions', 'sign-out'])
    assert.equal((await ask('POST', `auth/${path}`, {})).status, 200, path)
})

test('the deployed roles allow authenticated requests to /v1/formats/jpg and /health', async () => {
  const member = await service.newMember()
  for (const path of ['/v1/formats/jpg', '/health'])
    assert.equal((await member.fetch(path)).status, 200, path)
})

const failingFunctions = ['dispatch', 'count-usage']

test('an asynchronous invocation with an event that cannot be processed is accepted with 202', async () => {
  for (const name of failingFunctions)
    assert.equal((await service.invoke(name, { detail: {} }, 'Event')).status, 202)
})

test('the example of each API operation can be recorded under the deployed roles', async () => {
  assert.equal(await examplesExitCode, 0)
})

test('the tests of the v2 compatibility API pass under the deployed roles', async () => {
  assert.equal(await compatTestsExitCode, 0)
})

test('an event that cannot be processed ends up once in the dead-letter queue of its function', async () => {
  for (const name of failingFunctions)
    await waitUntil(
      async () => (await service.countMessages(`${name}-dead`)) === 1,
      `the event is in the dead-letter queue of ${name}`,
      300,
    )
})

/** Permissions to remove, and the feature that then fails. */
const sampledPermissions = [
  'uploads s3:PutObject',
  'jobs sqs:SendMessage',
  'receive-upload dynamodb:UpdateItem',
  'convert-document events:PutEvents',
  'dispatch sqs:SendMessage',
]

test('each of five permissions that were removed from their roles is requested and denied', async () => {
  const log = scratchFolder('rights-removed')
  const givenVariables = {
    RIGHTS_REMOVED: sampledPermissions.join(','),
    RIGHTS_LOG: log,
    OUTGOING_ALLOW: '127.0.0.0/8',
  }
  const serviceWithFewerPermissions = await startService(givenVariables)
  try {
    const client = new Client(serviceWithFewerPermissions)
    await client.post('/v1/webhooks', { url: service.receiver.url('/poor'), events: ['*'] })
    const png = new Uint8Array(fixture('alpha.png'))
    const presignedUpload = await client.presign({
      filename: 'a.png',
      contentType: 'image/png',
      size: png.length,
    })
    await fetch(presignedUpload.url, { method: 'PUT', headers: { ...presignedUpload.headers }, body: png })
    const { url, parameters } = readUploadForm(
      await (await client.post('/v1/jobs', { tasks: uploadJob })).json(),
    )
    const form = new FormData()
    for (const [name, value] of Object.entries(parameters)) form.set(name, value)
    form.set('file', new Blob([png]), 'a.png')
    await fetch(url, { method: 'POST', body: form })
    await client.post('/v1/jobs', { tasks: simpleJob })
    await client.convert({ name: 'a.md', bytes: new TextEncoder().encode('# A') }, { targetFormat: 'html' })
    const findUnaffected = () => {
      const refusedDecisions = readDecisions(log).filter(({ by }) => by.length === 0)
      const deniedPermissions = new Set(refusedDecisions.map(({ role, action }) => `${role} ${action}`))
      return sampledPermissions.filter((sampledPermission) => !deniedPermissions.has(sampledPermission))
    }
    await waitUntil(() => findUnaffected().length === 0, 'all five are missed', 120).catch(() =>
      assert.deepEqual(findUnaffected(), []),
    )
  } finally {
    await serviceWithFewerPermissions.stop()
  }
})

test('the roles of functions for requests and events grant only permissions that are used or listed as rarely used', async (t) => {
  await service.service.stop()
  assertExact(t, folder, (role) => !isTaskRole(role))
})
