import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import sharp from 'sharp'
import { Client, startService, type TestService } from '../service.ts'

let service: TestService
let client: Client
let jpg: Buffer<ArrayBuffer>
before(async () => {
  service = await startService({ MAX_FILE_MB: '1' })
  client = new Client(service)
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  jpg = Buffer.from(
    await sharp({ create: { width: 200, height: 200, channels: 3, background: '#888', noise } })
      .jpeg()
      .toBuffer(),
  )
})
after(() => service.stop())

interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
}

async function refused(response: Response): Promise<Failure> {
  const body = (await response.json()) as { success: boolean; error: { code: string; message: string } }
  assert.equal(body.success, false)
  assert.doesNotMatch(body.error.message, /\/(tmp|usr|work|root)\/|\bat .*:\d+|node_modules/)
  return { status: response.status, ...body.error }
}

const fixture = (name: string) => Buffer.from(readFileSync(new URL(`../fixtures/${name}`, import.meta.url)))
const text = (content: string) => Buffer.from(content)

/** Keys of all objects in the bucket, as the owner of the data folder sees them. */
async function storedObjects(): Promise<string[]> {
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

const cases: readonly {
  name: string
  file?: () => { name: string; bytes: Buffer<ArrayBuffer> }
  fields: Record<string, string>
  status: number
  code: string
  message: RegExp
}[] = [
  { name: 'no file', fields: { targetFormat: 'pdf' }, status: 400, code: 'NO_FILES', message: /`file`/ },
  {
    name: 'an empty file',
    file: () => ({ name: 'a.png', bytes: Buffer.alloc(0) }),
    fields: { targetFormat: 'jpg' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /empty/,
  },
  {
    name: 'no target',
    file: () => ({ name: 'a.jpg', bytes: jpg }),
    fields: {},
    status: 400,
    code: 'INVALID_REQUEST',
    message: /targetFormat is missing/,
  },
  {
    name: 'an unknown target',
    file: () => ({ name: 'a.jpg', bytes: jpg }),
    fields: { targetFormat: 'xyzzy' },
    status: 422,
    code: 'UNSUPPORTED_FORMAT',
    message: /"xyzzy"/,
  },
  {
    name: 'targets that differ',
    file: () => ({ name: 'a.jpg', bytes: jpg }),
    fields: { targetFormat: 'png', target: 'webp' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /differ/,
  },
  {
    name: 'a pair that makes no sense',
    file: () => ({ name: 'a.jpg', bytes: jpg }),
    fields: { targetFormat: 'mp3' },
    status: 422,
    code: 'UNSUPPORTED_CONVERSION',
    message: /jpg.*mp3/,
  },
  {
    name: 'a pinned engine that cannot',
    file: () => ({ name: 'a.jpg', bytes: jpg }),
    fields: { targetFormat: 'png', engine: 'libreoffice' },
    status: 422,
    code: 'UNSUPPORTED_CONVERSION',
    message: /libreoffice.*vips/,
  },
  {
    name: 'an engine that is none',
    file: () => ({ name: 'a.jpg', bytes: jpg }),
    fields: { targetFormat: 'png', engine: 'magic' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /engine: expected one of .*"magic"/,
  },
  {
    name: 'a corrupt image',
    file: () => ({ name: 'a.jpg', bytes: jpg.subarray(0, 3000) }),
    fields: { targetFormat: 'png' },
    status: 400,
    code: 'CORRUPT_FILE',
    message: /./,
  },
  {
    name: 'a corrupt docx',
    file: () => ({ name: 'a.docx', bytes: Buffer.concat([text('PK\u0003\u0004'), Buffer.alloc(900, 7)]) }),
    fields: { targetFormat: 'pdf' },
    status: 400,
    code: 'CORRUPT_FILE',
    message: /./,
  },
  {
    name: 'text renamed to .pdf',
    file: () => ({ name: 'a.pdf', bytes: text('just some words, not a document\n'.repeat(20)) }),
    fields: { targetFormat: 'jpg' },
    status: 400,
    code: 'CORRUPT_FILE',
    message: /./,
  },
  {
    name: 'a PDF that needs a password',
    file: () => ({ name: 'a.pdf', bytes: fixture('needs-password.pdf') }),
    fields: { targetFormat: 'jpg' },
    status: 422,
    code: 'PDF_ENCRYPTED',
    message: /password/,
  },
  {
    name: 'a file that is nothing we know',
    file: () => ({
      name: 'a.bin',
      bytes: Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * 7919) % 251)),
    }),
    fields: { targetFormat: 'pdf' },
    status: 422,
    code: 'UNSUPPORTED_FORMAT',
    message: /./,
  },
  {
    name: 'a file over the limit',
    file: () => ({ name: 'a.jpg', bytes: Buffer.concat([jpg, Buffer.alloc(1_100_000)]) }),
    fields: { targetFormat: 'png' },
    status: 413,
    code: 'FILE_TOO_LARGE',
    message: /1 MiB/,
  },
  {
    name: 'an upload that does not exist',
    fields: { targetFormat: 'png', uploadId: 'upl_00000000000000000000000000' },
    status: 404,
    code: 'UPLOAD_NOT_FOUND',
    message: /upl_/,
  },
  {
    name: 'a tool that does not exist',
    file: () => ({ name: 'a.jpg', bytes: jpg }),
    fields: { toolOperation: 'fold-pdf' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /^toolOperation: expected one of ocr-pdf, .*, got "fold-pdf"/,
  },
  {
    name: 'a tool for PDFs on a picture',
    file: () => ({ name: 'a.jpg', bytes: jpg }),
    fields: { targetFormat: 'pdf', toolOperation: 'rotate-pdf' },
    status: 422,
    code: 'UNSUPPORTED_CONVERSION',
    message: /^rotate-pdf takes .*; the file is jpg/,
  },
  {
    name: 'an export to another store',
    file: () => ({ name: 'a.jpg', bytes: jpg }),
    fields: { targetFormat: 'png', exportMethod: 's3' },
    status: 422,
    code: 'UNSUPPORTED_CONVERSION',
    message: /^exportMethod/,
  },
]

for (const { name, file, fields, status, code, message } of cases) {
  test(`${name} is refused with ${code} and leaves nothing behind`, async () => {
    const before = await storedObjects()
    const failure = await refused(await client.convert(file?.(), fields))
    assert.deepEqual([failure.status, failure.code], [status, code])
    assert.match(failure.message, message)
    assert.deepEqual(await storedObjects(), before)
  })
}

test('a file in a wrong field is refused with the name of the right one', async () => {
  const form = new FormData()
  form.set('document', new Blob([jpg]), 'a.jpg')
  form.set('targetFormat', 'png')
  const failure = await refused(await client.fetch('/v1/convert', { method: 'POST', body: form }))
  assert.equal(failure.code, 'INVALID_INPUT')
  assert.match(failure.message, /`document`.*`file`/)
  assert.deepEqual(await storedObjects(), [])
})

test('a second input of a conversion that takes one is refused', async () => {
  const form = new FormData()
  form.append('file', new Blob([jpg]), 'a.jpg')
  form.append('additionalFile', new Blob([jpg]), 'b.jpg')
  form.set('targetFormat', 'png')
  const failure = await refused(await client.fetch('/v1/convert', { method: 'POST', body: form }))
  assert.equal(failure.code, 'INVALID_REQUEST')
  assert.match(failure.message, /additionalFile.*one file, got 2/)
  assert.deepEqual(await storedObjects(), [])
})

for (const { name, files, mergeType, code, message } of [
  { name: 'nothing', files: [], mergeType: 'pdf', code: 'NO_FILES', message: /at least 2/ },
  { name: 'one file', files: ['a.pdf'], mergeType: 'pdf', code: 'INVALID_INPUT', message: /got 1/ },
  {
    name: 'a picture among PDFs',
    files: ['a.pdf', 'b.jpg'],
    mergeType: 'pdf',
    code: 'INVALID_INPUT',
    message: /number 2 ends in \.jpg, but mergeType is pdf/,
  },
  {
    name: 'a kind that does not exist',
    files: ['a.jpg', 'b.jpg'],
    mergeType: 'picture',
    code: 'INVALID_INPUT',
    message: /^mergeType/,
  },
]) {
  test(`a merge of ${name} is refused with ${code} and leaves nothing behind`, async () => {
    const form = new FormData()
    for (const file of files) form.append('file', new Blob([jpg]), file)
    form.set('mergeType', mergeType)
    const failure = await refused(await client.fetch('/v1/convert/merge', { method: 'POST', body: form }))
    assert.deepEqual([failure.status, failure.code], [400, code])
    assert.match(failure.message, message)
    assert.deepEqual(await storedObjects(), [])
  })
}

test('two files where one belongs are refused', async () => {
  const form = new FormData()
  form.append('file', new Blob([jpg]), 'a.jpg')
  form.append('file', new Blob([jpg]), 'b.jpg')
  form.set('targetFormat', 'png')
  const failure = await refused(await client.fetch('/v1/convert', { method: 'POST', body: form }))
  assert.equal(failure.code, 'INVALID_REQUEST')
  assert.deepEqual(await storedObjects(), [])
})

test('an upload that is cut off leaves nothing behind', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const head = `POST /v1/convert HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 500000\r\n\r\n`
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n'
  await new Promise<void>((resolve) => socket.write(`${head}${part}${'j'.repeat(100_000)}`, () => resolve()))
  socket.destroy()
  // The next request on a fresh connection is served only after the event loop saw the end of the first.
  await client.fetch('/v1')
  assert.deepEqual(await storedObjects(), [])
})

test('a form that ends early is refused', async () => {
  const body = `--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n${'j'.repeat(1000)}`
  const response = await client.fetch('/v1/convert', {
    method: 'POST',
    body,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  })
  const failure = await refused(response)
  assert.deepEqual([failure.status, failure.code], [400, 'INVALID_REQUEST'])
  assert.deepEqual(await storedObjects(), [])
})

test('broken JSON, a body of another type and a form without boundary are refused', async () => {
  const post = (body: string, type: string) =>
    client.fetch('/v1/convert', { method: 'POST', body, headers: { 'content-type': type } })
  assert.match((await refused(await post('{"a":', 'application/json'))).message, /not valid JSON/)
  assert.match(
    (await refused(await post('<a/>', 'application/xml'))).message,
    /Content-Type must be .*multipart\/form-data/,
  )
  assert.match((await refused(await post('x', 'multipart/form-data'))).message, /boundary/)
})

test('names with emoji, quotes, newlines and folders come back harmless', async () => {
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

test('unknown job ids, and ids that could be paths, are not found', async () => {
  for (const id of ['job_00000000000000000000000000', 'job_x', 'JOB', `job_${'a'.repeat(150)}`]) {
    for (const path of [`/v1/status/${id}`, `/v1/jobs/${id}`, `/v1/download/${id}`]) {
      const failure = await refused(await client.fetch(path))
      assert.deepEqual([failure.status, failure.code], [404, 'JOB_NOT_FOUND'], path)
    }
  }
})

test('a nonsensical Range is ignored, one beyond the end is 416', async () => {
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
