// The service with each function under the role that is deployed for it: what users do goes well, and what a role allows
// is what its function does, no less and no more. By hand: `node --test test/rights/flows.ts`, some four minutes on a
// machine that does nothing else. With RIGHTS_LOG=<folder> any other test that starts a service runs so, too.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { WebSocket } from 'ws'
import type { ImageId } from '../../lib/engines/engine.ts'
import { imageIds } from '../../lib/resources.ts'
import { managerOf } from '../account.ts'
import { alone } from '../facade/alone-cases.ts'
import { sdkAt } from '../facade/asking.ts'
import { recorded as recordedCalls } from '../facade/recorded-cases.ts'
import { signedUrls } from '../facade/signed-url-cases.ts'
import { after, before } from '../hooks.ts'
import { callSigned, region } from '../local/runtime.ts'
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'
import { openReceiver } from '../webhooks/receiver.ts'
import { decisionsIn, tally } from './tally.ts'

const folder = scratchFolder('rights')
process.env['RIGHTS_LOG'] = folder
// Looked up when it is loaded.
const { Client, startService } = await import('../service.ts')
type Service = Awaited<ReturnType<typeof startService>>
type AnyClient = InstanceType<typeof Client>

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url))
/** One of those that are installed with the engines. */
const font = '/usr/share/fonts/truetype/crosextra/Caladea-Italic.ttf'
const base64 = (name: string) => ({
  operation: 'import/base64',
  filename: name,
  file: (name === 'letters.ttf' ? readFileSync(font) : fixture(name)).toString('base64'),
})

/** By image, a file that one of its engines takes, and what it makes of it in turn. */
const work: Readonly<Record<ImageId, readonly [source: string, ...tasks: object[]]>> = {
  av: ['cover.mp3', { operation: 'convert', output_format: 'wav' }],
  image: ['alpha.png', { operation: 'convert', output_format: 'webp' }],
  office: ['letter.docx', { operation: 'convert', output_format: 'odt' }],
  pdf: ['three-pages.pdf', { operation: 'encrypt-pdf', options: { password: 'open sesame' } }],
  document: ['words.md', { operation: 'convert', output_format: 'docx' }],
  archive: ['alpha.png', { operation: 'archive', output_format: 'zip' }],
  font: ['letters.ttf', { operation: 'convert', output_format: 'woff2' }],
  browser: ['page.html', { operation: 'convert', output_format: 'pdf' }],
}

/** Beside all else, as it waits for most of its time. */
let recorded: Promise<number>
let service: Service
let servers: Record<string, string>
let credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
let table: DynamoDBDocumentClient
let sqs: SQSClient
let receiver: Awaited<ReturnType<typeof openReceiver>>
let site: string
const web = createServer((request, response) => {
  if (request.url === '/page') return void response.end('<h1>A page</h1>')
  // Longer than a sign of life of the worker.
  if (request.url === '/slow.md') return void setTimeout(() => response.end('# slow'), 4000)
  response.writeHead(200, { 'content-length': 40_000_000 })
  response.write(Buffer.alloc(20_000_000))
  setTimeout(() => response.destroy(), 500)
})

before(async () => {
  const examples = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'test/record-examples.ts'],
    {
      env: { ...process.env, EXAMPLES_TO: join(folder, 'examples.json') },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  recorded = once(examples, 'exit').then(([code]) => Number(code))
  web.listen(0, '127.0.0.1')
  await once(web, 'listening')
  site = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
  receiver = await openReceiver()
  const plans = join(folder, 'plans.json')
  writeFileSync(plans, JSON.stringify({ 'self-hosted': { concurrentJobs: 1 }, pro: { concurrentJobs: 1 } }))
  service = await startService({ OUTGOING_ALLOW: '127.0.0.0/8', PLANS_FILE: plans, FACADES: 'v2' })
  credentials = JSON.parse(readFileSync(join(service.dataDir, 'secrets.json'), 'utf8'))
  const lines = readFileSync(join(service.dataDir, 'service.log'), 'utf8').trim().split('\n')
  servers = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'service started').servers
  const own = { region, credentials }
  table = DynamoDBDocumentClient.from(
    new DynamoDBClient({ ...own, endpoint: servers['AWS_ENDPOINT_URL_DYNAMODB'] ?? '' }),
  )
  sqs = new SQSClient({ ...own, endpoint: servers['AWS_ENDPOINT_URL_SQS'] ?? '' })
})
after(async () => {
  receiver.close()
  web.close()
  web.closeAllConnections()
})

const invoke = (name: string, event: object, type = 'RequestResponse') =>
  callSigned(`${servers['AWS_ENDPOINT_URL_LAMBDA']}/2015-03-31/functions/${name}/invocations`, {
    ...{ service: 'lambda', credentials, body: JSON.stringify(event) },
    headers: { 'x-amz-invocation-type': type },
  })
const change = (pk: string, sk: string, values: Readonly<Record<string, unknown>>) =>
  table.send(
    new UpdateCommand({
      ...{ TableName: 'mutabor', Key: { pk, sk } },
      UpdateExpression: `SET ${Object.keys(values).map((name) => `#${name} = :${name}`)}`,
      ExpressionAttributeNames: Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [`:${name}`, value]),
      ),
    }),
  )
const past = new Date(Date.now() - 1000).toISOString()
const newClient = (): AnyClient => new Client(service)

/** Somebody with an account and a webhook: whoever tells of his jobs has to know of both. */
async function newMember(): Promise<AnyClient> {
  const key = await managerOf(service)
  class Member extends Client {
    override fetch(path: string, init: RequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers)
      headers.set('x-api-key', key)
      return super.fetch(path, { ...init, headers })
    }
  }
  const member = new Member(service)
  const hook = await member.post('/v1/webhooks', { url: receiver.url('/members'), events: ['job.failed'] })
  assert.equal(hook.status, 201, await hook.clone().text())
  return member
}
const job = async (client: AnyClient, tasks: object, more: object = {}) =>
  client.accepted(await client.post('/v1/jobs', { tasks, ...more }))
const send = (queue: string, message: object) =>
  sqs.send(
    new SendMessageCommand({
      QueueUrl: `${servers['AWS_ENDPOINT_URL_SQS']}/000000000000/mutabor-${queue}`,
      MessageBody: JSON.stringify(message),
    }),
  )

const plain = {
  text: { operation: 'import/raw', filename: 'a.md', file: '# A' },
  page: { operation: 'convert', input: 'text', output_format: 'html' },
  out: { operation: 'export/url', input: 'page' },
}
const waiting = {
  sent: { operation: 'import/upload' },
  made: { operation: 'convert', input: 'sent', output_format: 'jpg' },
  out: { operation: 'export/url', input: 'made' },
}
/** Of the reply about a job that waits for its upload. */
function formOf(reply: unknown) {
  const { data } = reply as {
    data: { tasks: { sent: { result: { form: { url: string; parameters: Record<string, string> } } } } }
  }
  return data.tasks.sent.result.form
}

for (const image of imageIds)
  test(`engines of ${image} work without a right to any file, one job of an owner after the other`, async () => {
    const [source, task] = work[image]
    const client = await newMember()
    const text = { 'words.md': '# Words', 'page.html': '<h1>Page</h1>' }[source]
    const file =
      text === undefined ? base64(source) : { operation: 'import/raw', filename: source, file: text }
    const one = { file, made: { ...task, input: 'file' }, out: { operation: 'export/url', input: 'made' } }
    const two = {
      file,
      made: { ...task, input: 'file' },
      packed: { operation: 'archive', input: ['made', 'file'] },
      out: { operation: 'export/url', input: 'packed' },
    }
    const first = await client.post('/v1/jobs', { tasks: two })
    const others = await Promise.all([one, two, one].map((tasks) => client.post('/v1/jobs', { tasks })))
    for (const response of [first, ...others]) {
      const { status, error } = await client.accepted(response)
      assert.equal(status, 'completed', JSON.stringify(error))
    }
  })

test('files are sent with a request, one or many, and converted once more', async () => {
  const client = newClient()
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
  const many = new FormData()
  for (let at = 0; at < 11; at++) many.append('file', new Blob([bytes]), `${at}.md`)
  many.set('targetFormat', 'html')
  assert.equal((await client.fetch('/v1/convert/batch', { method: 'POST', body: many })).status, 202)
  const { jobId } = await client.accepted(
    await client.convert({ name: 'a.md', bytes }, { targetFormat: 'html' }),
  )
  for (const more of [{}, { sourceTask: 'convert-file' }]) {
    const again = await client.post('/v1/convert', { sourceJobId: jobId, targetFormat: 'pdf', ...more })
    assert.equal(again.status, 202, await again.text())
  }
  assert.equal((await client.fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status, 204)
  const { uploadId } = await client.presign({ filename: 'a.md', contentType: 'text/markdown', size: 3 })
  const early = await client.post('/v1/convert', { uploadId, targetFormat: 'html' })
  assert.ok(early.status >= 400 && early.status < 500, 'it has not come')
  assert.equal((await client.fetch(`/v1/uploads/${uploadId}`)).status, 200)
})

test('a task whose signatures are dead is signed anew, and one whose files do not answer comes again', async () => {
  for (const queue of [...imageIds, 'capture']) {
    await send(queue, { jobId: 'job_none', task: 0 })
    await send(queue, { jobId: 'job_none', task: 0, work: { url: 'http://127.0.0.1:9/' } })
  }
})

test('websites are captured', async () => {
  const client = await newMember()
  const page = { operation: 'capture-website', url: `${site}/page`, output_format: 'png' }
  const one = { page, out: { operation: 'export/url', input: 'page' } }
  const two = {
    page,
    small: { operation: 'convert', input: 'page', output_format: 'webp' },
    out: { operation: 'export/url', input: 'small' },
  }
  for (const response of await Promise.all(
    [two, one, one].map((tasks) => client.post('/v1/jobs', { tasks })),
  ))
    assert.equal((await client.accepted(response)).status, 'completed')
})

test('files come in each way and go out, also where they are not what was said', async () => {
  const client = newClient()
  const { status } = await job(client, {
    slow: { operation: 'import/url', url: `${site}/slow.md` },
    raw: { operation: 'import/raw', filename: 'a.md', file: '# A' },
    page: { operation: 'convert', input: ['slow', 'raw'], output_format: 'html' },
    out: {
      ...{ operation: 'export/s3', input: ['page', 'raw'], bucket: 'mutabor', key_prefix: 'exported/' },
      ...{ endpoint: servers['AWS_ENDPOINT_URL_S3'], region, access_key_id: credentials.accessKeyId },
      secret_access_key: credentials.secretAccessKey,
    },
  })
  assert.equal(status, 'completed')
  const member = await newMember()
  const one = {
    in: { operation: 'import/url', url: `${site}/page` },
    out: { operation: 'export/url', input: 'in' },
  }
  for (const response of await Promise.all(
    [one, one, one].map((tasks) => member.post('/v1/jobs', { tasks })),
  ))
    assert.equal((await member.accepted(response)).status, 'completed')
  const wrong = { operation: 'import/url', url: `${site}/slow.md`, sha256: '0'.repeat(64) }
  assert.equal(
    (await job(client, { wrong, out: { operation: 'export/url', input: 'wrong' } })).status,
    'failed',
  )
  const cut = { operation: 'import/url', url: `${site}/cut.bin` }
  assert.equal((await job(client, { cut, out: { operation: 'export/url', input: 'cut' } })).status, 'failed')
  const fetched = await client.post('/v1/import/url', { url: `${site}/slow.md` })
  assert.equal(fetched.status, 202, await fetched.text())
})

test('uploads become jobs, when they arrive or before, or nothing', async () => {
  const client = newClient()
  const png = new Uint8Array(fixture('alpha.png'))
  const announced = { filename: 'a.png', contentType: 'image/png', size: png.length }
  const put = async ({ url, headers }: { url: string; headers: Readonly<Record<string, string>> }) =>
    assert.equal((await fetch(url, { method: 'PUT', headers: { ...headers }, body: png })).status, 200)
  const place = await client.presign(announced)
  await put(place)
  const converted = await client.accepted(
    await client.post('/v1/convert', { uploadId: place.uploadId, targetFormat: 'webp', tag: 'mine' }),
  )
  assert.equal(converted.status, 'completed')
  assert.equal((await client.fetch('/v1/jobs?tag=mine')).status, 200)
  assert.equal((await client.fetch(`/v1/jobs/${converted.jobId}`, { method: 'DELETE' })).status, 204)
  // Nobody waits for it any more.
  await put(place)
  const awaited = await client.post('/v1/jobs', { tasks: waiting })
  const made = (await awaited.json()) as { data: { jobId: string } }
  const { url, parameters } = formOf(made)
  const form = new FormData()
  for (const [name, value] of Object.entries(parameters)) form.set(name, value)
  form.set('file', new Blob([png]), 'a.png')
  assert.equal((await fetch(url, { method: 'POST', body: form })).status, 201)
  assert.equal((await client.finished(made.data.jobId)).status, 'completed')
})

test('programs written for the facade find what they ask for', async () => {
  for (const run of Object.values({ ...recordedCalls, ...alone, ...signedUrls })) {
    const key = await managerOf(service)
    await run({ url: service.url, key, sdk: sdkAt(service.url, key) })
  }
})

test('webhooks, sockets and workflows hear and do what they should', async () => {
  const client = newClient()
  const hook = await client.post('/v1/webhooks', { url: receiver.url('/hook'), events: ['*'] })
  assert.equal(hook.status, 201, await hook.clone().text())
  const { data } = (await (await client.post('/v1/ws/tickets', {})).json()) as { data: { ticket: string } }
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws/user/jobs?ticket=${data.ticket}`)
  const frames: string[] = []
  socket.on('message', (frame) => frames.push(String(frame)))
  await until(() => frames.length > 0, 'the socket is greeted', 30)
  const tasks = plain
  const { jobId } = await job(client, tasks)
  socket.send(JSON.stringify({ type: 'ping' }))
  socket.send(JSON.stringify({ type: 'subscribe', jobs: [jobId] }))
  socket.send(JSON.stringify({ type: 'unsubscribe', jobs: [jobId] }))
  socket.send(JSON.stringify({ type: 'resume', since: 0 }))
  for (let bad = 0; bad < 3; bad++) socket.send('nonsense')
  await until(
    () => frames.some((frame) => frame.includes('job.completed')),
    'the socket hears of the end',
    30,
  )
  await until(
    () => receiver.at('/hook').some(({ json }) => json.event === 'job.completed'),
    'the webhook too',
    30,
  )
  const flow = await client.post('/v1/workflows', {
    name: 'often',
    cron: '0 * * * *',
    timezone: 'UTC',
    tasks,
  })
  const { data: workflow } = (await flow.json()) as { data: { id: string } }
  await change(`WORKFLOW#${workflow.id}`, 'WORKFLOW', { wakeAt: past, nextRunAt: past })
  await change(`JOB#${jobId}`, 'JOB', { wakeAt: past, expiresAt: past })
  assert.deepEqual(Object.keys((await (await invoke('sweep', {})).json()) as object), ['looked'])
  await until(
    async () => {
      const runs = await (await client.fetch(`/v1/workflows/${workflow.id}/runs`)).text()
      return runs.includes('"completed"') || runs.includes('"running"')
    },
    'the workflow has run',
    30,
  )
  socket.close()
})

test('somebody signs up, and keeps what was made before', async () => {
  const client = newClient()
  const { jobId } = await job(client, plain)
  assert.ok(jobId)
  const person = { name: 'Ada', email: `ada-${Date.now()}@example.com`, password: 'correct horse battery' }
  const origin = { origin: service.url }
  const signedUp = await client.post('/v1/auth/sign-up/email', person, origin)
  assert.equal(signedUp.status, 200, await signedUp.text())
  const log = readFileSync(join(service.dataDir, 'service.log'), 'utf8')
  const link = /http[^"\\\s]+verify-email[^"\\\s]+/.exec(log)?.[0] ?? ''
  const verified = await fetch(link, { redirect: 'manual' })
  const cookie = verified.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const ask = (method: string, path: string, body?: object) =>
    fetch(`${service.url}/v1/${path}`, {
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

test('what cannot be told is put aside', async () => {
  for (const name of ['dispatch', 'count-usage'])
    assert.equal((await invoke(name, { detail: {} }, 'Event')).status, 202)
  await sleep(3000)
})

test('each operation of the API answers as it does where nobody asks for rights', async () => {
  assert.equal(await recorded, 0)
})

/** What is taken away, and what its loss breaks. */
const sampled = [
  'uploads s3:PutObject',
  'jobs sqs:SendMessage',
  'receive-upload dynamodb:UpdateItem',
  'convert-document events:PutEvents',
  'dispatch sqs:SendMessage',
]

test('of five rights that are taken away each is missed', async () => {
  const log = scratchFolder('rights-removed')
  const given = { RIGHTS_REMOVED: sampled.join(','), RIGHTS_LOG: log, OUTGOING_ALLOW: '127.0.0.0/8' }
  const poorer = await startService(given)
  try {
    const client = new Client(poorer)
    await client.post('/v1/webhooks', { url: receiver.url('/poor'), events: ['*'] })
    const png = new Uint8Array(fixture('alpha.png'))
    const place = await client.presign({ filename: 'a.png', contentType: 'image/png', size: png.length })
    await fetch(place.url, { method: 'PUT', headers: { ...place.headers }, body: png })
    const { url, parameters } = formOf(await (await client.post('/v1/jobs', { tasks: waiting })).json())
    const form = new FormData()
    for (const [name, value] of Object.entries(parameters)) form.set(name, value)
    form.set('file', new Blob([png]), 'a.png')
    await fetch(url, { method: 'POST', body: form })
    await client.post('/v1/jobs', { tasks: plain })
    await client.convert({ name: 'a.md', bytes: new TextEncoder().encode('# A') }, { targetFormat: 'html' })
    await until(
      () => {
        const refused = decisionsIn(log).filter(({ by }) => by.length === 0)
        const missed = new Set(refused.map(({ role, action }) => `${role} ${action}`))
        return sampled.every((one) => missed.has(one))
      },
      'all five are missed',
      60,
    )
  } finally {
    await poorer.stop()
  }
})

/** Rights to what only happens when something is lost, breaks or is very large, which nothing above sets off for certain. */
const seldom: readonly (readonly [rights: RegExp, why: string])[] = [
  [
    /^(api|access|admin|uploads): (events:PutEvents|dynamodb:(BatchGetItem|Query) on \S+mutabor$)/,
    'a plan that runs out is told of',
  ],
  [
    /^convert-(av|pdf): dynamodb:BatchWriteItem/,
    'what takes long is shared out: film.slow.ts, parts.slow.ts',
  ],
  [/^count-usage: dynamodb:BatchGetItem/, 'many ends of jobs are counted at once'],
  [
    /^prepare: (dynamodb:(Query|UpdateItem|DeleteItem)|events|sqs:SendMessage on \S+ready$)/,
    'a task that cannot be planned ends, and the next of its owner is called',
  ],
  [/^prepare: s3:(ListBucket|PutObject on \S+work)/, 'an input is gone; a message is too large'],
  [/^receive-upload: s3:ListBucket/, 'a file is gone before it is looked at'],
  [/^automation: s3:DeleteObject/, 'a run that cannot begin leaves nothing'],
  [
    /^sweep: (sqs:SendMessage|execute-api|dynamodb:(DeleteItem|Query on \S+byList)|s3:(GetObject|DeleteObject) on \S+uploads)/,
    'it makes up for what was lost',
  ],
  [/^transfer: s3:(AbortMultipartUpload|DeleteObject) on \S+uploads/, 'an import into an upload breaks off'],
  [
    /^(sockets|broadcast): (execute-api\S+ on \S+(DELETE|GET)|dynamodb:(BatchGetItem|Query on \S+byList))/,
    'a client is too slow, or asks while events are told',
  ],
]

test('rights that are used are those that are granted', async (t) => {
  await service.stop()
  const { granted, used, refused } = tally(decisionsIn(folder))
  const isUsed = new Set(used)
  assert.deepEqual(refused, [], 'no function wanted what its role does not allow')
  const unused = granted.filter((one) => !isUsed.has(one))
  for (const one of unused) {
    const why = seldom.find(([rights]) => rights.test(one))?.[1]
    t.diagnostic(`${one}: ${why ?? 'NOT USED'}`)
  }
  assert.deepEqual(
    unused.filter((one) => !seldom.some(([rights]) => rights.test(one))),
    [],
    'no role allows what its function does not do',
  )
})
