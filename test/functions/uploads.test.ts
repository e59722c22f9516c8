import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { Client, type Presigned, startService, type TestService } from '../service.ts'
import { until } from '../until.ts'

const png = Buffer.from(await readFile(new URL('../fixtures/alpha.png', import.meta.url)))
/** As long, but other bytes. */
const other = Buffer.from(png.map((byte, at) => (at === png.length - 20 ? byte ^ 1 : byte)))

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

const announced = { filename: 'a.png', contentType: 'image/png', size: png.length }
const put = async ({ url, headers }: Pick<Presigned, 'url' | 'headers'>, body = png) =>
  (await fetch(url, { method: 'PUT', headers: { ...headers }, body })).status

async function uploaded(): Promise<Presigned> {
  const place = await client.presign(announced)
  assert.equal(await put(place), 200)
  return place
}

const convert = (uploadId: string) => client.post('/v1/convert', { uploadId, targetFormat: 'webp' })
const codeOf = async (response: Response) =>
  ((await response.json()) as { error?: { code: string } }).error?.code

test('bytes that are sent again after a job took the upload are never converted', async () => {
  // The worker is not there yet, so that the new bytes are first.
  const place = await uploaded()
  const { jobId } = (await (await convert(place.uploadId)).json()) as { jobId: string }
  assert.equal(await put(place, other), 200)
  const job = await client.finished(jobId)
  if (job.status === 'completed') assert.fail('the worker was faster; the test proves nothing')
  assert.equal(job.error?.code, 'CONFLICT')
  assert.match(job.error?.message ?? '', /a\.png was overwritten after the job had taken it/)
})

test("an upload whose job was deleted is nobody's, and a file that is sent there late goes at once", async () => {
  const place = await uploaded()
  const job = await client.accepted(await convert(place.uploadId))
  assert.equal((await client.fetch(`/v1/jobs/${job.jobId}`, { method: 'DELETE' })).status, 204)
  assert.equal(await put(place), 200)
  assert.equal(await codeOf(await convert(place.uploadId)), 'UPLOAD_NOT_FOUND')
  assert.equal((await client.fetch(`/v1/uploads/${place.uploadId}`)).status, 404)
  // HEAD with the address of the PUT would need another signature: a second PUT that must be the first tells.
  const bucket = new URL(place.url)
  await until(async () => {
    const response = await fetch(`${bucket.origin}${bucket.pathname}${bucket.search}`, {
      method: 'PUT',
      headers: { ...place.headers, 'if-none-match': '*' },
      body: png,
    })
    return response.status === 200
  }, 'the late file is gone')
})

test('of two jobs that want one upload at once, one gets it', async () => {
  const place = await uploaded()
  const answers = await Promise.all([convert(place.uploadId), convert(place.uploadId)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409])
})

test('an upload that a merge names twice is refused with the way out', async () => {
  const { uploadId } = await uploaded()
  const response = await client.post('/v1/convert/merge', {
    uploadIds: [uploadId, uploadId],
    mergeType: 'image',
  })
  assert.equal(response.status, 400)
  const { error } = (await response.json()) as { error: { message: string } }
  assert.match(error.message, /named twice.*upload the file again/)
})

test('the key of an upload names it as well as its id', async () => {
  const place = await uploaded()
  const job = await client.accepted(await convert((place as unknown as { key: string }).key))
  assert.equal(job.status, 'completed')
})

interface Awaited {
  readonly jobId: string
  readonly status: string
  readonly tasks: Readonly<Record<string, { status: string; code: string | null; result: Awaiting | null }>>
}
interface Awaiting {
  readonly form: { readonly url: string; readonly parameters: Readonly<Record<string, string>> }
  readonly put: Pick<Presigned, 'url' | 'headers'>
}

async function awaiting(fields: object = {}): Promise<Awaited> {
  const response = await client.post('/v1/jobs', {
    tasks: {
      file: { operation: 'import/upload', ...fields },
      second: { operation: 'import/upload' },
      picture: { operation: 'convert', input: ['file', 'second'], output_format: 'webp' },
      out: { operation: 'export/url', input: 'picture' },
    },
  })
  const { data } = (await response.json()) as { data: Awaited }
  assert.equal(response.status, 202, JSON.stringify(data))
  return data
}

const formOf = (job: Awaited, task: string): Awaiting => {
  const { result } = job.tasks[task] ?? {}
  assert.ok(result, `${task} tells where to send its file`)
  return result
}

async function sendForm({ form }: Awaiting, name: string, bytes = png): Promise<number> {
  const body = new FormData()
  for (const [field, value] of Object.entries(form.parameters)) body.set(field, value)
  body.set('file', new Blob([bytes]), name)
  return (await fetch(form.url, { method: 'POST', body })).status
}

test('a job waits for its uploads, by form and by PUT, and is queued with the last', async () => {
  const job = await awaiting({ filename: 'first.png' })
  assert.equal(job.status, 'pending')
  assert.equal(await sendForm(formOf(job, 'file'), 'x.png'), 201)
  const view = async () =>
    ((await (await client.fetch(`/v1/jobs/${job.jobId}`)).json()) as { data: Awaited }).data
  await until(async () => (await view()).tasks['file']?.status === 'completed', 'the first upload is seen')
  assert.equal((await view()).status, 'pending', 'nothing runs before the last')
  assert.equal(await put(formOf(job, 'second').put), 200)
  const done = await client.finished(job.jobId)
  assert.equal(done.status, 'completed', JSON.stringify(done.error))
  assert.equal(done.result?.filename, 'first.webp')
})

test('an awaited file that is larger than the task takes, or none that can be read, fails the job', async () => {
  const job = await awaiting({ max_file_size: png.length - 1 })
  assert.equal(await sendForm(formOf(job, 'file'), 'x.png'), 400, 'the form refuses it')
  assert.equal(await put(formOf(job, 'file').put), 200, 'a PUT cannot')
  assert.equal(await sendForm(formOf(job, 'second'), 'x.png', Buffer.from([0, 1, 2, 3])), 201)
  const failed = await client.finished(job.jobId)
  assert.equal(failed.status, 'failed')
  assert.equal(failed.error?.code, 'FILE_TOO_LARGE')
})
