// Records the examples of the OpenAPI document: `npm run examples` runs each operation on a separate service and saves
// requests and replies.

import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { api } from '../functions/routes/index.ts'
import { writeTypes } from '../lib/client/make-types.ts'
import { operationId, type RecordedExample } from '../lib/http/openapi/openapi.ts'
import { defined } from '../lib/validation/defined.ts'
import { recordEvents } from './record-events.ts'
import { adminOf, managerOf } from './support/account.ts'
import { Client, startService } from './support/service.ts'
import { openDriveServer } from './transfer/drive-server.ts'
import { openReceiver } from './webhooks/receiver.ts'

interface Sent {
  readonly method?: 'POST' | 'PATCH' | 'DELETE'
  /** For example `/v1/jobs/:jobId`. */
  readonly path: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** Text fields, and files of test/fixtures as `@name`. */
  readonly form?: Readonly<Record<string, string | readonly string[]>>
  readonly urlEncoded?: Readonly<Record<string, string | number>>
  readonly waits?: true
  readonly headers?: Readonly<Record<string, string>>
}

const recorded: Record<string, RecordedExample> = {}
const receiver = await openReceiver()
const drives = await openDriveServer()
const service = await startService({
  OUTGOING_ALLOW: '127.0.0.0/8',
  DRIVES: JSON.stringify(drives.settings),
})
const client = new Client(service)

try {
  const eventsOf = await recordEvents(service, receiver)
  await record()
  await keep('../events/examples/recorded.json', await eventsOf())
} finally {
  await service.stop()
  receiver.close()
  drives.close()
}
await keep('../functions/routes/examples.json', recorded)
// New reply fields need new types in the client.
if (!process.env['EXAMPLES_TO']) await writeTypes()

async function keep(path: string, examples: Readonly<Record<string, unknown>>): Promise<void> {
  const lines = Object.entries(examples).map(([id, one]) => `${JSON.stringify(id)}: ${JSON.stringify(one)}`)
  const text = `{\n${lines.join(',\n')}\n}\n`
    .replaceAll(service.url, 'http://localhost:8080')
    .replaceAll(receiver.url('/'), 'https://www.example.com/')
    .replaceAll(drives.url, 'https://drive.example.com')
    .replace(/\b([sc]k_[0-9A-Za-z]{4})[0-9A-Za-z]{41}(\w{4})\b/g, `$1${'x'.repeat(41)}$2`)
    .replace(/whsec_[\w+/=]+/g, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD')
    // The URL of the temporary service, which readers should not see.
    .replace(/(X-Amz-Credential=)[^%&"]+/g, '$1AKIAIOSFODNN7EXAMPLE')
    .replace(/(X-Amz-Credential":")[^/"]+/gi, '$1AKIAIOSFODNN7EXAMPLE')
    .replace(/(X-Amz-Signature(?:=|":"))\w+/gi, '$1…')
    .replace(/([&?]sig=)[\w-]+/g, '$1…')
    .replace(/("Policy":")[^"]+/gi, '$1…')
  await writeFile(process.env['EXAMPLES_TO'] ?? new URL(path, import.meta.url), text)
}

async function record(): Promise<void> {
  await call({ path: '/v1' })
  await call({ path: '/health' })
  await call({ path: '/v1/plans' })
  await call({ path: '/v1/formats', query: { q: 'webp' } })
  await call({ path: '/v1/formats/:formatId', params: { formatId: 'webp' } })
  await call({ path: '/v1/formats/conversions', query: { from: 'wav', to: 'flac' } })
  await call({
    method: 'POST',
    path: '/v1/convert/check',
    json: { from: 'gif', targetFormat: 'jpg', options: { quality: 'high' } },
  })
  const checked = { from: 'png', targetFormat: 'webp', quality: 80 }
  await call({ method: 'POST', path: '/v1/convert/check', urlEncoded: checked })
  await call({ path: '/v1/openapi.json' }, ({ openapi, info }) => ({ openapi, info, paths: {} }))
  await call({ path: '/v1/asyncapi.json' }, ({ asyncapi, info }) => ({ asyncapi, info }))

  const url = 'https://www.example.com/report.pdf'
  await call({ method: 'POST', path: '/v1/import/url', json: { url, filename: 'report.pdf' } })
  await call({ method: 'POST', path: '/v1/import/url', urlEncoded: { url } })

  const [uploadId, second, third, fourth] = [await upload(), await upload(), await upload(), await upload()]
  await call({ path: '/v1/uploads/:uploadId', params: { uploadId } })
  const form = { filename: 'video.mp4', contentType: 'video/mp4', size: 1_048_576, method: 'POST' }
  await call({ method: 'POST', path: '/v1/uploads/presign', urlEncoded: form })
  const large = { filename: 'video.mp4', type: 'video/mp4', size: 1_073_741_824 }
  await call({ method: 'POST', path: '/v1/uploads/multipart', urlEncoded: large })
  await inParts('/v1/uploads/multipart')
  await inParts('/v1/uploads/s3/multipart')
  const named = { filename: 'photo.png', type: 'image/png' }
  await call({ path: '/v1/uploads/s3/params', query: named })
  const { jobId } = await call({
    method: 'POST',
    path: '/v1/convert',
    json: { uploadId, targetFormat: 'webp', quality: 80 },
  })
  await call({
    method: 'POST',
    path: '/v1/convert',
    form: { file: '@alpha.png', targetFormat: 'webp', tag: 'holiday' },
    waits: true,
  })
  await call({
    method: 'POST',
    path: '/v1/convert',
    urlEncoded: { uploadId: second, targetFormat: 'jpg' },
    query: { redirect: 'true' },
    waits: true,
  })
  await call({ method: 'POST', path: '/v1/convert', form: { file: '@alpha.png', targetFormat: 'mp3' } })
  const uploadIds = [third, fourth]
  await call({
    method: 'POST',
    path: '/v1/convert/merge',
    json: { uploadIds, mergeType: 'image', options: { layout: 'horizontal' } },
  })
  await call({
    method: 'POST',
    path: '/v1/convert/merge',
    form: { file: ['@three-pages.pdf', '@three-pages.pdf'], mergeType: 'pdf' },
    waits: true,
  })
  await call({
    method: 'POST',
    path: '/v1/convert/merge',
    urlEncoded: { uploadIds: uploadIds.join(), mergeType: 'image' },
  })
  const files = { file: ['@alpha.png', '@corners.bmp'], targetFormat: 'webp' }
  await call({ method: 'POST', path: '/v1/convert/batch', form: files })
  await call({ method: 'POST', path: '/v1/convert/batch', form: files, waits: true })
  await call({
    method: 'POST',
    path: '/v1/convert/batch',
    json: { items: [{ uploadId: await upload(), targetFormat: 'webp' }] },
  })

  await client.finished(jobId)
  await call({ path: '/v1/status/:jobId', params: { jobId } })
  await call({ path: '/v1/jobs/:jobId', params: { jobId } })
  await call({ path: '/v1/download/:jobId', params: { jobId } })
  await call({ path: '/v1/jobs/:jobId/events', params: { jobId } })
  await call({ method: 'POST', path: '/v1/ws/tickets' })
  await call({ method: 'POST', path: '/v1/download/signed', json: { jobId, maxDownloads: 3 } })
  await call({ method: 'POST', path: '/v1/download/signed', urlEncoded: { jobId, expiresIn: 600 } })
  // Whether a ZIP is ready within seconds depends on the machine.
  await call({
    method: 'POST',
    path: '/v1/download/zip',
    query: { async: 'true' },
    json: { jobIds: [jobId] },
  })
  await call({ path: '/v1/jobs', query: { limit: '1', status: 'completed', targetFormat: 'webp' } })
  await call({ method: 'POST', path: '/v1/jobs/:jobId/retry', params: { jobId } })
  await call({ method: 'POST', path: '/v1/jobs/:jobId/retry', params: { jobId }, waits: true })
  const tasks = {
    text: { operation: 'import/raw', filename: 'hello.md', file: '# Hello' },
    page: { operation: 'convert', input: 'text', output_format: 'html' },
    out: { operation: 'export/url', input: 'page' },
  }
  await call({ method: 'POST', path: '/v1/jobs', json: { tasks } })
  await call({ method: 'POST', path: '/v1/jobs', json: { tasks }, waits: true })
  await byTheClock(tasks)
  await byWebhook(tasks)
  await byKey()
  await byToken()
  await fromDrive()
  await figures()
  await asAdministrator()
  // It waits for a file that never arrives, so that it can be cancelled.
  const waiting = { ...tasks, text: { operation: 'import/upload', filename: 'hello.md' } }
  const awaited = (await (await client.post('/v1/jobs', { tasks: waiting })).json()) as {
    data: { jobId: string }
  }
  await call({ method: 'POST', path: '/v1/jobs/:jobId/cancel', params: { jobId: awaited.data.jobId } })
  await call({ method: 'DELETE', path: '/v1/jobs/:jobId', params: { jobId } })
  await call({ path: '/v1/status/:jobId', params: { jobId } })
}

async function byTheClock(tasks: object): Promise<void> {
  const nightly = { name: 'Daily report', cron: '0 3 * * *', timezone: 'Europe/Berlin', tasks }
  const path = '/v1/workflows'
  const { id: workflowId } = await call({ method: 'POST', path, json: nightly })
  const one = { path: `${path}/:workflowId`, params: { workflowId } }
  await call({ ...one, method: 'POST', path: `${one.path}/run` })
  await call({ ...one, path: `${one.path}/runs` })
  await call({ ...one, method: 'PATCH', json: { overlap: 'queue' } })
  await call(one)
  await call({ path })
  await call({ ...one, method: 'DELETE' })
}

async function byKey(): Promise<void> {
  const headers = { 'x-api-key': await managerOf(service) }
  await call({ path: '/v1/account', headers })
  const path = '/v1/api-keys'
  const json = { name: 'Nightly reports', access: 'convert-only', allowedIps: ['203.0.113.0/24'] }
  const { id: keyId } = await call({ method: 'POST', path, json, headers })
  const one = { path: `${path}/:keyId`, params: { keyId }, headers }
  await call({ ...one, method: 'PATCH', json: { name: 'Reports', allowedIps: null } })
  await call(one)
  await call({ path, headers })
  await call({ ...one, method: 'POST', path: `${one.path}/rotate` })
  await call({ ...one, method: 'DELETE' })
}

async function byToken(): Promise<void> {
  const headers = { 'x-api-key': await managerOf(service) }
  const path = '/v1/oauth/clients'
  const { clientId, clientSecret } = await call({ method: 'POST', path, json: { name: 'Nightly' }, headers })
  const client = { client_id: clientId, client_secret: clientSecret }
  const asked = { grant_type: 'client_credentials', scope: 'CONVERT_READ CONVERT_WRITE', ...client }
  const got = await call({ method: 'POST', path: '/v1/oauth/token', urlEncoded: asked })
  const wrong = { ...asked, scope: 'EVERYTHING' }
  await call({ method: 'POST', path: '/v1/oauth/token', urlEncoded: wrong })
  const token = { token: got.access_token, ...client }
  await call({ method: 'POST', path: '/v1/oauth/introspect', urlEncoded: token })
  await call({ method: 'POST', path: '/v1/oauth/revoke', urlEncoded: token })
  await call({ path: '/.well-known/oauth-authorization-server' })
  await call({ path, headers })
  await call({ method: 'DELETE', path: `${path}/:clientId`, params: { clientId }, headers })
}

async function fromDrive(): Promise<void> {
  const path = '/v1/cloud/:drive'
  const params = { drive: 'dropbox' }
  await call({ path: '/v1/cloud' })
  const { authorizationUrl } = await call({ path: `${path}/auth`, params })
  const { headers } = await fetch(authorizationUrl, { redirect: 'manual' })
  const query = Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)
  const { connectionId } = await call({ path: `${path}/callback`, params, query })
  await call({ path: `${path}/list`, params, query: { connectionId, q: 'Notes' } })
  const json = { connectionId, fileIds: ['id:f1'], targetFormat: 'pdf' }
  await call({ method: 'POST', path: `${path}/import`, params, json })
  const one = { path: `${path}/connections/:connectionId`, params: { ...params, connectionId } }
  await call({ method: 'DELETE', ...one })
}

async function figures(): Promise<void> {
  await call({ path: '/v1/account/usage', query: { groupBy: 'engine' } })
  await call({ path: '/v1/account/quota', headers: { 'x-api-key': await managerOf(service) } })
  await call({
    path: '/v1/admin/slo',
    query: { days: '7' },
    headers: { 'x-api-key': await adminOf(service) },
  })
  await call({ path: '/v1/reliability' })
}

async function asAdministrator(): Promise<void> {
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const signUp = await fetch(`${service.url}/v1/auth/sign-up/email`, {
    method: 'POST',
    // The header shows that the page is of the service.
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify(person),
  })
  const { user } = (await signUp.json()) as { user: { id: string } }
  const headers = { 'x-api-key': await adminOf(service) }
  const path = '/v1/admin/users'
  const one = { path: `${path}/:userId`, params: { userId: user.id }, headers }
  await call({ path, query: { q: 'ada@example' }, headers })
  await call(one)
  await call({ ...one, method: 'PATCH', json: { plan: 'pro' } })
  const { sessions } = await call({ ...one, path: `${one.path}/sessions` })
  const sessionId = sessions[0].id
  await call({ method: 'DELETE', path: '/v1/admin/sessions/:sessionId', params: { sessionId }, headers })
  await call({ path: '/v1/admin/audit', headers })
}

async function byWebhook(tasks: object): Promise<void> {
  const path = '/v1/webhooks'
  const json = { url: receiver.url('/hook'), events: ['job.completed', 'job.failed'] }
  const { id: webhookId } = await call({ method: 'POST', path, json })
  const since = new Date(Date.now() - 60_000).toISOString()
  const one = { path: `${path}/:webhookId`, params: { webhookId } }
  await call({ ...one, method: 'POST', path: `${one.path}/test`, json: { event: 'job.completed' } })
  await client.post('/v1/jobs', { tasks }, { prefer: 'wait=25' })
  const all = { ...one, path: `${one.path}/deliveries` }
  let deliveries: { id: string; event: string; status: string }[] = []
  const isThere = () => deliveries.length > 1 && deliveries.every(({ status }) => status === 'succeeded')
  for (let left = 100; !isThere() && left > 0; left--) {
    await sleep(100)
    const answer = await client.fetch(`${path}/${webhookId}/deliveries`)
    deliveries = ((await answer.json()) as { data: { deliveries: typeof deliveries } }).data.deliveries
  }
  await call(all)
  const delivery = {
    path: `${all.path}/:deliveryId`,
    params: { webhookId, deliveryId: deliveries[0]?.id ?? '' },
  }
  await call(delivery)
  await call({ ...delivery, method: 'POST', path: `${delivery.path}/redeliver` })
  await call({ ...one, method: 'POST', path: `${one.path}/replay`, json: { since } })
  await call({ ...one, method: 'POST', path: `${one.path}/rotate-secret`, json: { graceHours: 48 } })
  await call({ path: `${path}/secret` })
  await call({ method: 'POST', path: `${path}/secret/rotate`, json: { graceHours: 48 } })
  await call({ ...one, method: 'PATCH', json: { description: 'The ends of jobs' } })
  await call(one)
  await call({ path })
  await call({ ...one, method: 'DELETE' })
}

function fixture(name: string): Promise<Buffer> {
  return readFile(new URL(`fixtures/${name}`, import.meta.url))
}

async function upload(): Promise<string> {
  const body = Buffer.from(await fixture('alpha.png'))
  const json = { filename: 'photo.png', contentType: 'image/png', size: body.length }
  const { uploadId, url, headers } = await call({ method: 'POST', path: '/v1/uploads/presign', json })
  const { status } = await fetch(url, { method: 'PUT', headers, body })
  if (status !== 200) throw new Error(`the upload answered ${status}`)
  return uploadId
}

/** One completed multipart upload, and an aborted one. */
async function inParts(path: string): Promise<void> {
  const body = Buffer.from(await fixture('alpha.png'))
  const isOurs = path === '/v1/uploads/multipart'
  const json = { filename: 'photo.png', type: 'image/png', size: body.length }
  const { uploadId, key } = await call({ method: 'POST', path, json })
  const given = { params: { uploadId }, query: { key } }
  const part = { ...given, params: { uploadId, partNumber: '1' } }
  const { url } = await call({ path: `${path}/:uploadId/:partNumber`, ...part })
  if (isOurs) await call({ path: `${path}/:uploadId/batch`, ...given, query: { key, partNumbers: '1,2' } })
  const ETag = (await fetch(url, { method: 'PUT', body })).headers.get('etag')
  await call({ path: `${path}/:uploadId`, ...given })
  const parts = [{ PartNumber: 1, ETag }]
  await call({ method: 'POST', path: `${path}/:uploadId/complete`, ...given, json: { parts } })
  const other = await call({ method: 'POST', path, json })
  const dropped = { params: { uploadId: other.uploadId }, query: { key: other.key } }
  await call({ method: 'DELETE', path: `${path}/:uploadId`, ...dropped })
}

/** Sends a request and records the first of each kind. */
// biome-ignore lint/suspicious/noExplicitAny: any reply of the operation
async function call(sent: Sent, shorten = (body: any): unknown => body): Promise<any> {
  const { method = 'GET', path, params = {}, query = {} } = sent
  const contract = api.find((one) => one.method === method && one.path === path)
  if (!contract) throw new Error(`there is no ${method} ${path}`)
  const filled = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')
  const { init, kept } = await bodyOf(sent)
  const headers = {
    ...(init.headers as Record<string, string>),
    ...sent.headers,
    ...defined({ prefer: sent.waits && 'wait=25' }),
  }
  const send = () => client.fetch(`${filled}?${new URLSearchParams(query)}`, { ...init, method, headers })
  let response = await send()
  // On a busy machine the job may finish too late for the reply.
  for (let left = 8; sent.waits && response.status === 202 && left > 0; left--) response = await send()
  const reply = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  const body = reply === '' ? undefined : isJson ? JSON.parse(reply) : reply
  const id = operationId(contract)
  const { parameters, request, responses } = recorded[id] ?? { responses: {} }
  recorded[id] = {
    parameters: { ...params, ...query, ...parameters },
    request: { ...kept, ...request },
    responses: { [response.status]: shorten(body), ...responses },
  }
  return isJson ? (body?.data ?? body) : body
}

async function bodyOf({ json, form, urlEncoded }: Sent): Promise<{ init: RequestInit; kept: object }> {
  if (json !== undefined) {
    const init = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }
    return { init, kept: { 'application/json': json } }
  }
  if (urlEncoded) {
    const texts = Object.fromEntries(Object.entries(urlEncoded).map(([name, value]) => [name, String(value)]))
    const kept = { 'application/x-www-form-urlencoded': urlEncoded }
    return { init: { body: new URLSearchParams(texts) }, kept }
  }
  if (!form) return { init: {}, kept: {} }
  const body = new FormData()
  for (const [name, values] of Object.entries(form)) {
    for (const value of [values].flat()) {
      if (value.startsWith('@')) body.append(name, new Blob([await fixture(value.slice(1))]), value.slice(1))
      else body.append(name, value)
    }
  }
  // Like curl: the first of several files with one name.
  const kept = Object.fromEntries(Object.entries(form).map(([name, values]) => [name, [values].flat()[0]]))
  return { init: { body }, kept: { 'multipart/form-data': kept } }
}
