import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { type RefusedUpload, readErrorCode } from './support/uploads.ts'

let service: TestService

let client: Client

before(async () => {
  service = await startService()
  client = new Client(service)
})

after(() => service.stop())

const convert = (uploadId: string) => client.post('/v1/convert', { uploadId, targetFormat: 'webp' })

const mib = 1024 ** 2

interface StartedUpload {
  readonly uploadId: string
  readonly key: string
}

/** Creates PCM audio for an upload of two parts. Its samples vary, so that a lost or swapped part is detected. */
function createAudio(): Buffer<ArrayBuffer> {
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

test('a multipart upload can be resumed, is completed once, and is then converted', async () => {
  const bytes = createAudio()
  const [firstBytes, lastBytes] = [bytes.subarray(0, 5 * mib), bytes.subarray(5 * mib)]
  const announcedFile = { filename: 'tone.wav', type: 'audio/wav', size: bytes.length }
  const startedReply = await client.post('/v1/uploads/multipart', announcedFile)
  assert.equal(startedReply.status, 201)
  const { uploadId } = (await startedReply.json()) as StartedUpload
  const path = `/v1/uploads/multipart/${uploadId}`
  const readData = async (response: Response) => ((await response.json()) as { data: never }).data
  const send = async (number: number, body: Buffer<ArrayBuffer>) => {
    const { url } = (await readData(await client.fetch(`${path}/${number}`))) as { url: string }
    const response = await fetch(url, { method: 'PUT', body })
    assert.equal(response.status, 200)
    return { PartNumber: number, ETag: response.headers.get('etag') ?? '' }
  }
  const complete = (parts: readonly object[]) => client.post(`${path}/complete`, { parts })
  const one = await send(1, firstBytes)
  assert.equal(await readErrorCode(await convert(uploadId)), 'UPLOAD_INCOMPLETE')
  assert.equal(await readErrorCode(await complete([one])), 'UPLOAD_INCOMPLETE', 'less than the declared size')
  const uploadStatus = (await readData(await client.fetch(path))) as { parts: object[]; complete: boolean }
  assert.deepEqual(uploadStatus, { parts: [{ ...one, Size: firstBytes.length }], complete: false })

  await send(2, Buffer.from('of an attempt that was cut off'))
  const two = await send(2, lastBytes)
  for (const [wrongBody, part] of [
    [[two, one], 1],
    [[one, { ...two, ETag: 'x' }], 2],
    [[one, { ...two, PartNumber: 3 }], 3],
  ] as const) {
    const { error } = (await (await complete(wrongBody)).json()) as {
      error: { code: string; details: object }
    }
    assert.deepEqual(error, { ...error, code: 'INVALID_REQUEST', details: { field: 'parts', part } })
  }
  const stranger = new Client(service)
  assert.equal(await readErrorCode(await stranger.fetch(path)), 'UPLOAD_NOT_FOUND')
  assert.equal(await readErrorCode(await stranger.fetch(path, { method: 'DELETE' })), 'UPLOAD_NOT_FOUND')
  const replies = await Promise.all([complete([one, two]), complete([one, two])])
  const sizes = await Promise.all(
    replies.map(async (answer) => ((await readData(answer)) as DeclaredUpload).size),
  )
  assert.deepEqual(sizes, [bytes.length, bytes.length], 'two concurrent completions count once')
  assert.equal(await readErrorCode(await client.fetch(`${path}/1`)), 'CONFLICT')

  const response = await client.post('/v1/convert', { uploadId, targetFormat: 'flac' })
  const job = await client.accepted(response)
  assert.equal(job.result?.filename, 'tone.flac', JSON.stringify(job.error))
  assert.equal(await readErrorCode(await client.fetch(path, { method: 'DELETE' })), 'CONFLICT')
})

interface DeclaredUpload {
  readonly size: number
}

test('an anonymous multipart upload can be read and aborted with its key, and an empty or too large upload is refused', async () => {
  const { uploadId, key } = (await (
    await client.post('/v1/uploads/s3/multipart', { filename: 'a.bin', type: 'of no kind', metadata: {} })
  ).json()) as StartedUpload
  const path = `/v1/uploads/s3/multipart/${uploadId}`
  const stranger = new Client(service)
  assert.equal(await readErrorCode(await stranger.fetch(path)), 'INVALID_REQUEST', 'without the key')
  assert.deepEqual(await (await stranger.fetch(`${path}?key=${key}`)).json(), [])
  assert.equal((await stranger.fetch(`${path}?key=${key}`, { method: 'DELETE' })).status, 200)
  assert.equal(await readErrorCode(await client.fetch(`${path}?key=${key}`)), 'UPLOAD_NOT_FOUND')
  const emptyUpload = (await (
    await client.post('/v1/uploads/multipart', { filename: 'a' })
  ).json()) as StartedUpload
  const uploadPath = `/v1/uploads/multipart/${emptyUpload.uploadId}`
  const { url } = (await (await client.fetch(`${uploadPath}/1`)).json()) as { url: string }
  const ETag = (await fetch(url, { method: 'PUT', body: '' })).headers.get('etag')
  const completedReply = await client.post(`${uploadPath}/complete`, { parts: [{ PartNumber: 1, ETag }] })
  assert.equal(await readErrorCode(completedReply), 'INVALID_INPUT', 'an empty list of parts')
  for (const [size, code] of [
    [0, 'INVALID_INPUT'],
    [11 * 1024 * mib, 'FILE_TOO_LARGE'],
  ] as const)
    assert.equal(
      await readErrorCode(await client.post('/v1/uploads/multipart', { filename: 'a', size })),
      code,
    )
})

const declarations: Readonly<Record<string, object>> = {
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

for (const [path, fields] of Object.entries(declarations)) {
  test(`${path} refuses an invalid upload size, and the error names the expected values`, async () => {
    for (const [size, code, message] of sizes) {
      const response = await client.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fields).replace('}', `,"size":${size}}`),
      })
      const { error } = (await response.json()) as { error: RefusedUpload }
      assert.deepEqual([error.code, error.details.field], [code, 'size'], size)
      assert.match(error.message, /^size: /)
      assert.match(error.message, message)
    }
  })
}

test('a file too large for one request, but not for the plan, is rejected with a hint to multipart uploads', async () => {
  const response = await client.post('/v1/uploads/presign', { filename: 'a', size: 6 * 1024 * mib })
  const { error } = (await response.json()) as { error: RefusedUpload }
  assert.equal(error.code, 'FILE_TOO_LARGE')
  assert.match(error.message, /^size: expected at most 5 GiB .* POST \/v1\/uploads\/multipart/)
})

test('the size field of a form for POST /v1/convert/check must be a string of digits', async () => {
  const checkSize = (size: string) =>
    client.fetch('/v1/convert/check', {
      method: 'POST',
      body: new URLSearchParams({ from: 'png', targetFormat: 'webp', size }),
    })
  assert.equal((await checkSize('12')).status, 200)
  assert.equal((await checkSize('1e1')).status, 400)
})

test('POST /v1/convert/check accepts a PDF of 4 GiB for TXT, but no larger one, and a larger MP4 for MP3', async () => {
  const check = (from: string, targetFormat: string, size: number) =>
    client.post('/v1/convert/check', { from, targetFormat, size })
  const gib = 1024 ** 3
  const refusedReply = await check('pdf', 'txt', 4 * gib + 1)
  assert.equal(refusedReply.status, 413)
  const { error } = (await refusedReply.json()) as {
    error: { code: string; message: string; details: object }
  }
  assert.match(error.message, /^The file has 4097 MiB; this conversion accepts at most 4096 MiB\. Send a/)
  assert.deepEqual(error.details, { field: 'file', maxBytes: 4 * gib, size: 4 * gib + 1 })
  assert.equal((await check('pdf', 'txt', 4 * gib)).status, 200)
  assert.equal((await check('mp4', 'mp3', 4 * gib + 1)).status, 200)
})
