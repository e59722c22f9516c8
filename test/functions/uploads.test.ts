import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { Client, type Presigned, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type RefusedUpload, readErrorCode } from './support/uploads.ts'

const png = Buffer.from(await readFile(new URL('../fixtures/alpha.png', import.meta.url)))

let service: TestService

let client: Client

before(async () => {
  service = await startService()
  client = new Client(service)
})

after(() => service.stop())

const announcedFile = { filename: 'a.png', contentType: 'image/png', size: png.length }

const put = async ({ url, headers }: Pick<Presigned, 'url' | 'headers'>, body = png) =>
  (await fetch(url, { method: 'PUT', headers: { ...headers }, body })).status

async function upload(): Promise<Presigned> {
  const presignedUpload = await client.presign(announcedFile)
  assert.equal(await put(presignedUpload), 200)
  return presignedUpload
}

const convert = (uploadId: string) => client.post('/v1/convert', { uploadId, targetFormat: 'webp' })

/** Waits with conditional PUTs, which succeed once the file is deleted, because a HEAD would need another signature. */
const waitUntilDeleted = ({ url, headers }: Presigned) =>
  waitUntil(async () => {
    const onlyIfAbsent = { ...headers, 'if-none-match': '*' }
    return (await fetch(url, { method: 'PUT', headers: onlyIfAbsent, body: png })).status === 200
  }, 'the late file is gone')

test('a file that is sent to an upload URL after a job claimed the upload is deleted and not converted', async () => {
  const presignedUpload = await upload()
  const { jobId } = (await (await convert(presignedUpload.uploadId)).json()) as { jobId: string }
  const unreadableBytes = Buffer.alloc(png.length)
  assert.equal(await put(presignedUpload, unreadableBytes), 200)
  const job = await client.finishedJob(jobId)
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  await waitUntilDeleted(presignedUpload)
})

test('converting an upload whose import failed is refused, and the error contains the reason of the failure', async () => {
  const importReply = await client.post('/v1/import/url', { url: 'http://nothing.invalid/a.png' })
  const { data } = (await importReply.json()) as { data: { uploadId: string; jobId: string } }
  await client.finishedJob(data.jobId)
  const response = await convert(data.uploadId)
  const { error } = (await response.json()) as { error: RefusedUpload }
  assert.deepEqual([response.status, error.code], [409, 'UPLOAD_INCOMPLETE'])
  assert.match(error.message, /could not be fetched: .*nothing\.invalid.*Import it again/)
})

test('an upload whose job was deleted cannot be used, and a file that is sent to its URL later is deleted', async () => {
  const presignedUpload = await upload()
  const job = await client.accepted(await convert(presignedUpload.uploadId))
  assert.equal((await client.fetch(`/v1/jobs/${job.jobId}`, { method: 'DELETE' })).status, 204)
  assert.equal(await put(presignedUpload), 200)
  assert.equal(await readErrorCode(await convert(presignedUpload.uploadId)), 'UPLOAD_NOT_FOUND')
  assert.equal((await client.fetch(`/v1/uploads/${presignedUpload.uploadId}`)).status, 404)
  await waitUntilDeleted(presignedUpload)
})

test('only one of two concurrent jobs can claim an upload', async () => {
  const presignedUpload = await upload()
  const replies = await Promise.all([convert(presignedUpload.uploadId), convert(presignedUpload.uploadId)])
  assert.deepEqual(replies.map(({ status }) => status).sort(), [202, 409])
})

test('a merge that names an upload twice is rejected with a hint', async () => {
  const { uploadId } = await upload()
  const response = await client.post('/v1/convert/merge', {
    uploadIds: [uploadId, uploadId],
    mergeType: 'image',
  })
  assert.equal(response.status, 400)
  const { error } = (await response.json()) as { error: { message: string } }
  assert.match(error.message, /named twice.*Upload the file again/)
})

test('POST /v1/convert accepts the key of an upload as its uploadId', async () => {
  const presignedUpload = await upload()
  const job = await client.accepted(await convert((presignedUpload as unknown as { key: string }).key))
  assert.equal(job.status, 'completed')
})

interface AwaitedUpload {
  readonly jobId: string
  readonly status: string
  readonly tasks: Readonly<Record<string, { status: string; code: string | null; result: UploadTask | null }>>
}

interface UploadTask {
  readonly form: { readonly url: string; readonly parameters: Readonly<Record<string, string>> }
  readonly put: Pick<Presigned, 'url' | 'headers'>
}

async function createAwaitingJob(fields: object = {}): Promise<AwaitedUpload> {
  const response = await client.post('/v1/jobs', {
    tasks: {
      file: { operation: 'import/upload', ...fields },
      second: { operation: 'import/upload' },
      image: { operation: 'convert', input: ['file', 'second'], output_format: 'webp' },
      out: { operation: 'export/url', input: 'image' },
    },
  })
  const { data } = (await response.json()) as { data: AwaitedUpload }
  assert.equal(response.status, 202, JSON.stringify(data))
  return data
}

const getForm = (job: AwaitedUpload, task: string): UploadTask => {
  const { result } = job.tasks[task] ?? {}
  assert.ok(result, `${task} has a URL for its file`)
  return result
}

async function sendForm({ form }: UploadTask, name: string, bytes = png): Promise<number> {
  const body = new FormData()
  for (const [field, value] of Object.entries(form.parameters)) body.set(field, value)
  body.set('file', new Blob([bytes]), name)
  return (await fetch(form.url, { method: 'POST', body })).status
}

test('a job with two uploads stays pending after the first upload and completes after the second', async () => {
  const job = await createAwaitingJob({ filename: 'first.png' })
  assert.equal(job.status, 'pending')
  assert.equal(await sendForm(getForm(job, 'file'), 'x.png'), 201)
  const fetchView = async () =>
    ((await (await client.fetch(`/v1/jobs/${job.jobId}`)).json()) as { data: AwaitedUpload }).data
  await waitUntil(
    async () => (await fetchView()).tasks['file']?.status === 'completed',
    'the first upload is seen',
  )
  assert.equal((await fetchView()).status, 'pending', 'nothing runs before the last upload')
  assert.equal(await put(getForm(job, 'second').put), 200)
  const doneJob = await client.finishedJob(job.jobId)
  assert.equal(doneJob.status, 'completed', JSON.stringify(doneJob.error))
  assert.equal(doneJob.result?.filename, 'first.webp')
})

test('an awaited upload that is larger than max_file_size fails its job with FILE_TOO_LARGE', async () => {
  const job = await createAwaitingJob({ max_file_size: png.length - 1 })
  assert.equal(await sendForm(getForm(job, 'file'), 'x.png'), 400, 'the form refuses it')
  assert.equal(await put(getForm(job, 'file').put), 200, 'a PUT cannot')
  assert.equal(await sendForm(getForm(job, 'second'), 'x.png', Buffer.from([0, 1, 2, 3])), 201)
  const failedJob = await client.finishedJob(job.jobId)
  assert.equal(failedJob.status, 'failed')
  assert.equal(failedJob.error?.code, 'FILE_TOO_LARGE')
})

test('a presigned upload URL has the host name of the request and works there, and an invalid host name is ignored', async () => {
  const { port } = new URL(service.url)
  const createJobRequest = (
    host: string,
    path: string,
    method: string,
    body: string,
    type = 'application/json',
  ) =>
    new Promise<string>((resolve, reject) => {
      const headers = { host, 'content-type': type, 'content-length': Buffer.byteLength(body) }
      const sentRequest = request(new URL(path, service.url), { method, headers }, (response) => {
        resolve(text(response).then((answer) => `${response.statusCode} ${answer}`))
      })
      sentRequest.on('error', reject).end(body)
    })
  const declaredUpload = JSON.stringify({ filename: 'a.txt', contentType: 'text/plain', size: 5 })
  const host = `shelf.lan:${port}`
  const { data } = JSON.parse(
    (await createJobRequest(host, '/v1/uploads/presign', 'POST', declaredUpload)).slice(4),
  )
  const { origin, pathname, search } = new URL(data.url)
  assert.equal(origin, `http://${host}`)
  assert.match(await createJobRequest(host, `${pathname}${search}`, 'PUT', 'hello', 'text/plain'), /^200/)
  // Invalid host names are ignored.
  for (const odd of ['a b', 'x/../y', '<script>'])
    assert.doesNotMatch(
      await createJobRequest(odd, '/v1/uploads/presign', 'POST', declaredUpload),
      /"url":"http:..(?!localhost)/,
    )
})
