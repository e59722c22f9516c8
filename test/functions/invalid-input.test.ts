import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import type * as z from 'zod'
import type { checkConversion } from '../../functions/routes/check-conversion.ts'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { invalidConversions, jpg } from './invalid-conversions.ts'

let service: TestService
let client: Client
before(async () => {
  service = await startService({ MAX_FILE_MB: '1' })
  client = new Client(service)
})
after(() => service.stop())

interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
}

async function readError(response: Response): Promise<Failure> {
  const body = (await response.json()) as { success: boolean; error: { code: string; message: string } }
  assert.equal(body.success, false)
  assert.doesNotMatch(body.error.message, /\/(tmp|usr|work|root)\/|\bat .*:\d+|node_modules/)
  return { status: response.status, ...body.error }
}

/** Returns the keys of all objects in the bucket, read from the data folder. */
async function listObjects(): Promise<string[]> {
  const secrets = JSON.parse(await readFile(join(service.dataDir, 'secrets.json'), 'utf8'))
  const s3 = new S3Client({
    endpoint: `${service.url}/s3`,
    region: 'eu-central-1',
    forcePathStyle: true,
    credentials: secrets,
  })
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'mutabor' }))
  return Contents.map(({ Key }) => Key ?? '')
}

for (const { name, file, fields, status, code, message } of invalidConversions) {
  test(`a conversion with ${name} is refused with ${code} and leaves no file behind`, async () => {
    const objectsBefore = await listObjects()
    const failure = await readError(await client.convert(file, fields))
    assert.deepEqual([failure.status, failure.code], [status, code])
    assert.match(failure.message, message)
    assert.deepEqual(await listObjects(), objectsBefore)
  })
}

/** Errors that do not depend on the content of the file. */
const checkedCodes = ['INVALID_INPUT', 'INVALID_REQUEST', 'UNSUPPORTED_FORMAT', 'UNSUPPORTED_CONVERSION']

test('POST /v1/convert/check refuses an impossible conversion with the same message as POST /v1/convert', async () => {
  const checkedConversions = invalidConversions.filter(
    ({ file, code }) => file && checkedCodes.includes(code) && file.bytes.length > 0 && file.name !== 'a.bin',
  )
  assert.ok(checkedConversions.length > 9)
  for (const { name, file, fields, status, code, message } of checkedConversions) {
    const from = file?.name.split('.').at(-1)
    const failure = await readError(await client.post('/v1/convert/check', { from, ...fields }))
    assert.deepEqual([failure.status, failure.code], [status, code], name)
    assert.match(failure.message, message)
  }
  const largeError = await readError(
    await client.post('/v1/convert/check', { from: 'jpg', targetFormat: 'png', size: 1_048_577 }),
  )
  assert.equal(largeError.code, 'FILE_TOO_LARGE')
})

test('POST /v1/convert/check returns the steps, the estimated duration and the losses', async () => {
  const check = async (body: Readonly<Record<string, unknown>>) => {
    const response = await client.post('/v1/convert/check', body)
    assert.equal(response.status, 200, await response.clone().text())
    const { data } = (await response.json()) as { data: z.output<typeof checkConversion.reply.schema> }
    return { ...data, lost: data.losses.map(({ what }) => what).sort() }
  }
  const suggestion = await check({ from: 'GIF', targetFormat: 'jpeg', options: { qualty: 'high' } })
  assert.deepEqual([suggestion.from, suggestion.to, suggestion.operation], ['gif', 'jpg', 'convert'])
  assert.deepEqual(suggestion.lost, ['animation', 'frames', 'quality', 'transparency'])
  assert.match(suggestion.warnings[0]?.message ?? '', /"qualty" is not an option/)
  assert.ok(
    suggestion.engines.length > 0 && suggestion.estimate.runMs > 0 && suggestion.estimate.basis === 'planned',
  )
  assert.equal(suggestion.steps.at(-1)?.to, 'jpg')
  const video = await check({ from: 'mp4', targetFormat: 'gif' })
  assert.ok(video.losses.find(({ what }) => what === 'frames')?.share)
  const table = await check({ from: 'xlsx', targetFormat: 'csv' })
  assert.ok(table.lost.includes('formulas') && !table.lost.includes('quality'))
  assert.deepEqual((await check({ from: 'png', targetFormat: 'webp', options: '' })).lost, ['quality'])
  const tool = await check({ from: 'pdf', toolOperation: 'rotate-pdf', rotate: 90 })
  assert.deepEqual([tool.operation, tool.to, tool.lost.length], ['rotate-pdf', 'pdf', 0])
  assert.equal((await check({ from: 'mp3', toolOperation: 'merge' })).to, 'mp3')
  assert.equal((await check({ from: 'mp4', toolOperation: 'thumbnail', targetFormat: 'png' })).to, 'png')
})

/** Returns the error of a form with an image in each of these fields. */
async function send(
  path: string,
  parts: readonly (readonly [field: string, filename: string])[],
  fields: Readonly<Record<string, string>>,
): Promise<Failure> {
  const form = new FormData()
  for (const [field, filename] of parts) form.append(field, new Blob([jpg]), filename)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return readError(await client.fetch(path, { method: 'POST', body: form }))
}

test('a file in a wrong field is rejected, and the error names the right field', async () => {
  const failure = await send('/v1/convert', [['document', 'a.jpg']], { targetFormat: 'png' })
  assert.equal(failure.code, 'INVALID_INPUT')
  assert.match(failure.message, /^document: .*`file`/)
  assert.deepEqual(await listObjects(), [])
})

test('a second input file of a conversion is refused', async () => {
  const parts = [
    ['file', 'a.jpg'],
    ['additionalFile', 'b.jpg'],
  ] as const
  const failure = await send('/v1/convert', parts, { targetFormat: 'png' })
  assert.equal(failure.code, 'INVALID_REQUEST')
  assert.match(failure.message, /additionalFile.*one file, got 2/)
  assert.deepEqual(await listObjects(), [])
})

for (const { name, files, mergeType, code, message } of [
  { name: 'nothing', files: [], mergeType: 'pdf', code: 'NO_FILES', message: /at least 2/ },
  { name: 'one file', files: ['a.pdf'], mergeType: 'pdf', code: 'INVALID_INPUT', message: /got 1/ },
  {
    name: 'an image among PDFs',
    files: ['a.pdf', 'b.jpg'],
    mergeType: 'pdf',
    code: 'INVALID_INPUT',
    message: /file 2 has the extension \.jpg, but mergeType is pdf/,
  },
  {
    name: 'an unknown kind',
    files: ['a.jpg', 'b.jpg'],
    mergeType: 'collage',
    code: 'INVALID_INPUT',
    message: /^mergeType/,
  },
]) {
  test(`a merge of ${name} is refused with ${code} and leaves no file behind`, async () => {
    const parts = files.map((file) => ['file', file] as const)
    const failure = await send('/v1/convert/merge', parts, { mergeType })
    assert.deepEqual([failure.status, failure.code], [400, code])
    assert.match(failure.message, message)
    assert.deepEqual(await listObjects(), [])
  })
}

test('two files in the field `file` of a conversion are rejected', async () => {
  const parts = [
    ['file', 'a.jpg'],
    ['file', 'b.jpg'],
  ] as const
  const failure = await send('/v1/convert', parts, { targetFormat: 'png' })
  assert.equal(failure.code, 'INVALID_REQUEST')
  assert.match(failure.message, /^The field `file` contains several files/)
  assert.deepEqual(await listObjects(), [])
})

test('an interrupted upload leaves no file behind', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const head = `POST /v1/convert HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 500000\r\n\r\n`
  const partHeader = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n'
  await new Promise<void>((resolve) =>
    socket.write(`${head}${partHeader}${'j'.repeat(100_000)}`, () => resolve()),
  )
  socket.destroy()
  // A request on a new connection is served only after the event loop has seen that the first connection was closed.
  await client.fetch('/v1')
  assert.deepEqual(await listObjects(), [])
})

test('a multipart form that is cut off is refused', async () => {
  const body = `--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n${'j'.repeat(1000)}`
  const response = await client.fetch('/v1/convert', {
    method: 'POST',
    body,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  })
  const failure = await readError(response)
  assert.deepEqual([failure.status, failure.code], [400, 'INVALID_REQUEST'])
  assert.deepEqual(await listObjects(), [])
})

test('broken JSON, a body of another type and a form without boundary are refused', async () => {
  const post = (body: string, type: string) =>
    client.fetch('/v1/convert', { method: 'POST', body, headers: { 'content-type': type } })
  assert.match((await readError(await post('{"a":', 'application/json'))).message, /not valid JSON/)
  assert.match(
    (await readError(await post('<a/>', 'application/xml'))).message,
    /Content-Type: expected .*multipart\/form-data/,
  )
  assert.match((await readError(await post('x', 'multipart/form-data'))).message, /boundary/)
})

test('file names with emoji, quotes, newlines and folders are sanitized', async () => {
  for (const name of [
    '😀 "quoted".jpg',
    '../../etc/passwd.jpg',
    'a\nb\r\nSet-Cookie: x.jpg',
    `${'d/'.repeat(11)}deep.jpg`,
    '..',
    '.jpg',
    `${'n'.repeat(500)}.jpg`,
  ]) {
    const response = await client.convert(
      { name, bytes: jpg },
      { targetFormat: 'png' },
      { prefer: 'wait=25' },
    )
    assert.equal(response.status, 200, name)
    const { data } = (await response.json()) as { data: { result: { filename: string } } }
    assert.match(data.result.filename, /^[^/\\\n\r"]+\.png$/, name)
    assert.ok(data.result.filename.length <= 210)
  }
})

test('a job list with an unknown status filter is refused, and the error contains the status', async () => {
  const failure = await readError(await client.fetch('/v1/jobs?status=failed,finished'))
  assert.equal(failure.code, 'INVALID_INPUT')
  assert.match(
    failure.message,
    /^status: expected one or several of pending, .*completed,.* got "failed,finished"\.$/,
  )
})

test('percent-encoding that is not UTF-8 is refused in a URL and in a form, and the error names the field', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const postForm = (path: string, body: string) => client.fetch(path, { method: 'POST', headers, body })
  for (const [field, response] of [
    ['tag', await client.fetch('/v1/jobs?limit=1&tag=caf%e9')],
    ['from', await postForm('/v1/convert/check', 'from=pn%ffg&targetFormat=webp')],
    [
      'email',
      await postForm('/v1/auth/sign-in/email', 'email=a%ff@example.com&password=correct+horse+battery'),
    ],
    ['token', await client.fetch('/v1/auth/verify-email?token=%ff')],
  ] as const) {
    const body = (await response.json()) as { error?: { code: string; message: string } }
    const { code, message } = body.error ?? (body as { code: string; message: string })
    assert.deepEqual([response.status, code], [400, 'INVALID_INPUT'], field)
    assert.match(message, new RegExp(`^${field}: expected UTF-8`))
  }
})

test('unknown, malformed and very long job ids return 404', async () => {
  for (const id of ['job_00000000000000000000000000', 'job_x', 'JOB', `job_${'a'.repeat(150)}`]) {
    for (const path of [`/v1/status/${id}`, `/v1/jobs/${id}`, `/v1/download/${id}`]) {
      const failure = await readError(await client.fetch(path))
      assert.deepEqual([failure.status, failure.code], [404, 'JOB_NOT_FOUND'], path)
    }
  }
})

test('an invalid Range header is ignored, and a range beyond the end of the file returns 416', async () => {
  const response = await client.convert(
    { name: 'a.jpg', bytes: jpg },
    { targetFormat: 'png' },
    { prefer: 'wait=25' },
  )
  const { data } = (await response.json()) as { data: { jobId: string; result: { size: number } } }
  const location = (await client.fetch(`/v1/download/${data.jobId}`)).headers.get('location') ?? ''
  const garbage = await fetch(location, { headers: { range: 'bytes=abc' } })
  assert.equal(garbage.status, 200)
  assert.equal((await garbage.arrayBuffer()).byteLength, data.result.size)
  assert.equal((await fetch(location, { headers: { range: 'bytes=99999999-' } })).status, 416)
})
