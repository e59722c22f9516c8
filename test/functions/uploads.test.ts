import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { Client, type Presigned, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

const png = Buffer.from(await readFile(new URL('../fixtures/alpha.png', import.meta.url)))

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

async function upload(): Promise<Presigned> {
  const place = await client.presign(announced)
  assert.equal(await put(place), 200)
  return place
}

const convert = (uploadId: string) => client.post('/v1/convert', { uploadId, targetFormat: 'webp' })

/** HEAD would need another signature, so a PUT that requires absence shows that the file was deleted. */
const waitUntilDeleted = ({ url, headers }: Presigned) =>
  waitUntil(async () => {
    const absent = { ...headers, 'if-none-match': '*' }
    return (await fetch(url, { method: 'PUT', headers: absent, body: png })).status === 200
  }, 'the late file is gone')

interface Refused {
  readonly code: string
  readonly message: string
  readonly details: { readonly field: string }
}
const codeOf = async (response: Response) =>
  ((await response.json()) as { error?: { code: string } }).error?.code

test('content uploaded after a job took the upload is never converted and is deleted', async () => {
  const place = await upload()
  const { jobId } = (await (await convert(place.uploadId)).json()) as { jobId: string }
  const unreadable = Buffer.alloc(png.length)
  assert.equal(await put(place, unreadable), 200)
  const job = await client.finished(jobId)
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  await waitUntilDeleted(place)
})

test('using an upload whose import failed reports the reason', async () => {
  const asked = await client.post('/v1/import/url', { url: 'http://127.0.0.1:9/a.png' })
  const { data } = (await asked.json()) as { data: { uploadId: string; jobId: string } }
  await client.finished(data.jobId)
  const response = await convert(data.uploadId)
  const { error } = (await response.json()) as { error: Refused }
  assert.deepEqual([response.status, error.code], [409, 'UPLOAD_INCOMPLETE'])
  assert.match(
    error.message,
    /could not be fetched: 127\.0\.0\.1 does not have a public IP address.*Import it again/,
  )
})

test('an upload whose job was deleted cannot be used, and a file that arrives late is deleted immediately', async () => {
  const place = await upload()
  const job = await client.accepted(await convert(place.uploadId))
  assert.equal((await client.fetch(`/v1/jobs/${job.jobId}`, { method: 'DELETE' })).status, 204)
  assert.equal(await put(place), 200)
  assert.equal(await codeOf(await convert(place.uploadId)), 'UPLOAD_NOT_FOUND')
  assert.equal((await client.fetch(`/v1/uploads/${place.uploadId}`)).status, 404)
  await waitUntilDeleted(place)
})

test('only one of two concurrent jobs can claim an upload', async () => {
  const place = await upload()
  const answers = await Promise.all([convert(place.uploadId), convert(place.uploadId)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409])
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

test('an upload can be referenced by its key or its id', async () => {
  const place = await upload()
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
      image: { operation: 'convert', input: ['file', 'second'], output_format: 'webp' },
      out: { operation: 'export/url', input: 'image' },
    },
  })
  const { data } = (await response.json()) as { data: Awaited }
  assert.equal(response.status, 202, JSON.stringify(data))
  return data
}

const formOf = (job: Awaited, task: string): Awaiting => {
  const { result } = job.tasks[task] ?? {}
  assert.ok(result, `${task} has a URL for its file`)
  return result
}

async function sendForm({ form }: Awaiting, name: string, bytes = png): Promise<number> {
  const body = new FormData()
  for (const [field, value] of Object.entries(form.parameters)) body.set(field, value)
  body.set('file', new Blob([bytes]), name)
  return (await fetch(form.url, { method: 'POST', body })).status
}

test('a job waits for its uploads, by form or PUT, and is queued when the last one arrives', async () => {
  const job = await awaiting({ filename: 'first.png' })
  assert.equal(job.status, 'pending')
  assert.equal(await sendForm(formOf(job, 'file'), 'x.png'), 201)
  const view = async () =>
    ((await (await client.fetch(`/v1/jobs/${job.jobId}`)).json()) as { data: Awaited }).data
  await waitUntil(
    async () => (await view()).tasks['file']?.status === 'completed',
    'the first upload is seen',
  )
  assert.equal((await view()).status, 'pending', 'nothing runs before the last upload')
  assert.equal(await put(formOf(job, 'second').put), 200)
  const done = await client.finished(job.jobId)
  assert.equal(done.status, 'completed', JSON.stringify(done.error))
  assert.equal(done.result?.filename, 'first.webp')
})

test('an awaited file that is too large or unreadable fails the job', async () => {
  const job = await awaiting({ max_file_size: png.length - 1 })
  assert.equal(await sendForm(formOf(job, 'file'), 'x.png'), 400, 'the form refuses it')
  assert.equal(await put(formOf(job, 'file').put), 200, 'a PUT cannot')
  assert.equal(await sendForm(formOf(job, 'second'), 'x.png', Buffer.from([0, 1, 2, 3])), 201)
  const failed = await client.finished(job.jobId)
  assert.equal(failed.status, 'failed')
  assert.equal(failed.error?.code, 'FILE_TOO_LARGE')
})

const mib = 1024 ** 2
interface StartedUpload {
  readonly uploadId: string
  readonly key: string
}

/** PCM audio in two parts, so that a lost or swapped part is detected. */
function audio(): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(5 * mib + 100_000)
  for (let at = 44; at < bytes.length; at += 2) bytes.writeInt16LE(((at * 7) % 20_000) - 10_000, at)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    bytes.writeUInt16LE(value, at)
  bytes.writeUInt32LE(44_100, 24)
  bytes.writeUInt32LE(88_200, 28)
  bytes.write('data', 36)
  bytes.writeUInt32LE(bytes.length - 44, 40)
  return bytes
}

test('replies to requests for another host name contain URLs with that name, which work', async () => {
  const { port } = new URL(service.url)
  const jobWith = (host: string, path: string, method: string, body: string, type = 'application/json') =>
    new Promise<string>((resolve, reject) => {
      const headers = { host, 'content-type': type, 'content-length': Buffer.byteLength(body) }
      const sent = request(new URL(path, service.url), { method, headers }, (response) => {
        resolve(text(response).then((answer) => `${response.statusCode} ${answer}`))
      })
      sent.on('error', reject).end(body)
    })
  const announced = JSON.stringify({ filename: 'a.txt', contentType: 'text/plain', size: 5 })
  const host = `shelf.lan:${port}`
  const { data } = JSON.parse((await jobWith(host, '/v1/uploads/presign', 'POST', announced)).slice(4))
  const { origin, pathname, search } = new URL(data.url)
  assert.equal(origin, `http://${host}`)
  assert.match(await jobWith(host, `${pathname}${search}`, 'PUT', 'hello', 'text/plain'), /^200/)
  // Invalid host names are ignored.
  for (const odd of ['a b', 'x/../y', '<script>'])
    assert.doesNotMatch(
      await jobWith(odd, '/v1/uploads/presign', 'POST', announced),
      /"url":"http:..(?!localhost)/,
    )
})

test('a multipart upload can be resumed, is completed once, and is then converted', async () => {
  const bytes = audio()
  const [first, last] = [bytes.subarray(0, 5 * mib), bytes.subarray(5 * mib)]
  const announced = { filename: 'tone.wav', type: 'audio/wav', size: bytes.length }
  const started = await client.post('/v1/uploads/multipart', announced)
  assert.equal(started.status, 201)
  const { uploadId } = (await started.json()) as StartedUpload
  const path = `/v1/uploads/multipart/${uploadId}`
  const dataOf = async (response: Response) => ((await response.json()) as { data: never }).data
  const send = async (number: number, body: Buffer<ArrayBuffer>) => {
    const { url } = (await dataOf(await client.fetch(`${path}/${number}`))) as { url: string }
    const response = await fetch(url, { method: 'PUT', body })
    assert.equal(response.status, 200)
    return { PartNumber: number, ETag: response.headers.get('etag') ?? '' }
  }
  const complete = (parts: readonly object[]) => client.post(`${path}/complete`, { parts })
  const one = await send(1, first)
  assert.equal(await codeOf(await convert(uploadId)), 'UPLOAD_INCOMPLETE')
  assert.equal(await codeOf(await complete([one])), 'UPLOAD_INCOMPLETE', 'less than the declared size')
  const there = (await dataOf(await client.fetch(path))) as { parts: object[]; complete: boolean }
  assert.deepEqual(there, { parts: [{ ...one, Size: first.length }], complete: false })

  await send(2, Buffer.from('of an attempt that was cut off'))
  const two = await send(2, last)
  for (const [wrong, part] of [
    [[two, one], 1],
    [[one, { ...two, ETag: 'x' }], 2],
    [[one, { ...two, PartNumber: 3 }], 3],
  ] as const) {
    const { error } = (await (await complete(wrong)).json()) as { error: { code: string; details: object } }
    assert.deepEqual(error, { ...error, code: 'INVALID_REQUEST', details: { field: 'parts', part } })
  }
  const stranger = new Client(service)
  assert.equal(await codeOf(await stranger.fetch(path)), 'UPLOAD_NOT_FOUND')
  assert.equal(await codeOf(await stranger.fetch(path, { method: 'DELETE' })), 'UPLOAD_NOT_FOUND')
  const answers = await Promise.all([complete([one, two]), complete([one, two])])
  const sizes = await Promise.all(answers.map(async (answer) => ((await dataOf(answer)) as Announced).size))
  assert.deepEqual(sizes, [bytes.length, bytes.length], 'two concurrent completions count once')
  assert.equal(await codeOf(await client.fetch(`${path}/1`)), 'CONFLICT')

  const response = await client.post('/v1/convert', { uploadId, targetFormat: 'flac' })
  const job = await client.accepted(response)
  assert.equal(job.result?.filename, 'tone.flac', JSON.stringify(job.error))
  assert.equal(await codeOf(await client.fetch(path, { method: 'DELETE' })), 'CONFLICT')
})

interface Announced {
  readonly size: number
}

test('an aborted upload is deleted, other clients cannot access uploads, and sizes are checked early', async () => {
  const { uploadId, key } = (await (
    await client.post('/v1/uploads/s3/multipart', { filename: 'a.bin', type: 'of no kind', metadata: {} })
  ).json()) as StartedUpload
  const path = `/v1/uploads/s3/multipart/${uploadId}`
  const stranger = new Client(service)
  assert.equal(await codeOf(await stranger.fetch(path)), 'INVALID_INPUT', 'without the key')
  assert.deepEqual(await (await stranger.fetch(`${path}?key=${key}`)).json(), [])
  assert.equal((await stranger.fetch(`${path}?key=${key}`, { method: 'DELETE' })).status, 200)
  assert.equal(await codeOf(await client.fetch(`${path}?key=${key}`)), 'UPLOAD_NOT_FOUND')
  const empty = (await (
    await client.post('/v1/uploads/multipart', { filename: 'a' })
  ).json()) as StartedUpload
  const parts = `/v1/uploads/multipart/${empty.uploadId}`
  const { url } = (await (await client.fetch(`${parts}/1`)).json()) as { url: string }
  const ETag = (await fetch(url, { method: 'PUT', body: '' })).headers.get('etag')
  const completed = await client.post(`${parts}/complete`, { parts: [{ PartNumber: 1, ETag }] })
  assert.equal(await codeOf(completed), 'INVALID_INPUT', 'an empty list of parts')
  for (const [size, code] of [
    [0, 'INVALID_INPUT'],
    [11 * 1024 * mib, 'FILE_TOO_LARGE'],
  ] as const)
    assert.equal(await codeOf(await client.post('/v1/uploads/multipart', { filename: 'a', size })), code)
})

const announcing: Readonly<Record<string, object>> = {
  '/v1/uploads/presign': { filename: 'a' },
  '/v1/uploads/multipart': { filename: 'a' },
  '/v1/uploads/s3/multipart': { filename: 'a' },
  '/v1/convert/check': { from: 'png', targetFormat: 'webp' },
}
/** Sizes as JSON values. */
const sizes: readonly [size: string, code: string, message: RegExp][] = [
  [
    '1e18',
    'FILE_TOO_LARGE',
    /at most 10737418240 bytes \(10240 MiB\), got 1000000000000000000\. Send a smaller/,
  ],
  ['9007199254740993', 'FILE_TOO_LARGE', /at most 10737418240 bytes .* GET \/v1\/plans/],
  ['1e400', 'INVALID_INPUT', /a whole number of at least 0, got Infinity/],
  ['-1', 'INVALID_INPUT', /a whole number of at least 0, got -1/],
  ['1.5', 'INVALID_INPUT', /a whole number of at least 0, got 1\.5/],
  ['"1e3"', 'INVALID_INPUT', /a whole number of at least 0, got "1e3"/],
  ['"0x10"', 'INVALID_INPUT', /a whole number of at least 0, got "0x10"/],
  ['" "', 'INVALID_INPUT', /a whole number of at least 0, got " "/],
  ['true', 'INVALID_INPUT', /a whole number of at least 0, got true/],
  ['null', 'INVALID_INPUT', /a whole number of at least 0, got null/],
  ['[5]', 'INVALID_INPUT', /a whole number of at least 0, got \[5\]/],
]
for (const [path, fields] of Object.entries(announcing)) {
  test(`${path} refuses an invalid size with the expected values`, async () => {
    for (const [size, code, message] of sizes) {
      const response = await client.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fields).replace('}', `,"size":${size}}`),
      })
      const { error } = (await response.json()) as { error: Refused }
      assert.deepEqual([error.code, error.details.field], [code, 'size'], size)
      assert.match(error.message, /^size: /)
      assert.match(error.message, message)
    }
  })
}

test('a file too large for one request, but not for the plan, is rejected with a hint to multipart uploads', async () => {
  const response = await client.post('/v1/uploads/presign', { filename: 'a', size: 6 * 1024 * mib })
  const { error } = (await response.json()) as { error: Refused }
  assert.equal(error.code, 'FILE_TOO_LARGE')
  assert.match(error.message, /^size: expected at most 5 GiB .* POST \/v1\/uploads\/multipart/)
})

test('a size in a form must be a string of digits', async () => {
  const begin = (size: string) =>
    client.fetch('/v1/convert/check', {
      method: 'POST',
      body: new URLSearchParams({ from: 'png', targetFormat: 'webp', size }),
    })
  assert.equal((await begin('12')).status, 200)
  assert.equal((await begin('1e1')).status, 400)
})

test('a file too large for the workers of its target is rejected before the upload, and a smaller file is accepted', async () => {
  const check = (from: string, targetFormat: string, size: number) =>
    client.post('/v1/convert/check', { from, targetFormat, size })
  const gib = 1024 ** 3
  const refused = await check('pdf', 'txt', 4 * gib + 1)
  assert.equal(refused.status, 413)
  const { error } = (await refused.json()) as { error: { code: string; message: string; details: object } }
  assert.match(error.message, /^The file has 4097 MiB; this conversion accepts at most 4096 MiB\. Send a/)
  assert.deepEqual(error.details, { field: 'file', maxBytes: 4 * gib, size: 4 * gib + 1 })
  assert.equal((await check('pdf', 'txt', 4 * gib)).status, 200)
  assert.equal((await check('mp4', 'mp3', 4 * gib + 1)).status, 200)
})
