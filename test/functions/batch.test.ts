import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { after, before } from '../hooks.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'

const png = Buffer.from(await readFile(new URL('../fixtures/alpha.png', import.meta.url)))
/** Broken files of each kind: truncated, empty, of another format, unknown. */
const invalidFileKinds: readonly (readonly [name: string, bytes: Buffer<ArrayBuffer>, code: string])[] = [
  ['cut.png', Buffer.from(png.subarray(0, 40)), 'CORRUPT_FILE'],
  ['empty.png', Buffer.alloc(0), 'INVALID_INPUT'],
  ['text.png', Buffer.from('not an image at all\n'), 'CORRUPT_FILE'],
  ['video.xyz', Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]), 'UNSUPPORTED_FORMAT'],
]

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

interface Item {
  readonly index: number
  readonly taskName: string
  readonly status: string
  readonly error?: { readonly code: string; readonly message: string }
}
interface Batch extends JobData {
  readonly total: number
  readonly accepted: number
  readonly rejected: number
  readonly items: readonly Item[]
  readonly summary: { readonly total: number; readonly completed: number; readonly failed: number } | null
}

function createForm(
  files: readonly (readonly [string, Buffer<ArrayBuffer>])[],
  fields: Record<string, string>,
): FormData {
  const form = new FormData()
  for (const [name, bytes] of files) form.append('file', new Blob([bytes]), name)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

async function send(
  body: FormData,
): Promise<{ status: number; data: Batch; error: { code: string; message: string; details: object } }> {
  const response = await client.fetch('/v1/convert/batch', { method: 'POST', body })
  return { ...((await response.json()) as { data: Batch; error: never }), status: response.status }
}

test('a batch of a hundred files with seven broken ones returns 93 results and seven error codes', async () => {
  const validFiles = Array.from({ length: 93 }, (_, at) => [`image-${at}.png`, png] as const)
  const invalidFiles = Array.from(
    { length: 7 },
    (_, at) => invalidFileKinds[at % invalidFileKinds.length] ?? assert.fail(),
  )
  // Broken files are mixed with the valid files.
  const files: (readonly [string, Buffer<ArrayBuffer>])[] = [...validFiles]
  for (const [at, [name, bytes]] of invalidFiles.entries()) files.splice(at * 14, 0, [name, bytes])
  const { status, data } = await send(createForm(files, { targetFormat: 'webp' }))
  assert.equal(status, 202)
  assert.deepEqual([data.total, data.accepted, data.rejected], [100, 93, 7])
  assert.deepEqual(
    data.items.filter((item) => item.status === 'rejected').map(({ error }) => error?.code),
    invalidFiles.map(([, , code]) => code),
  )
  const job = (await client.finishedJob(data.jobId)) as Batch
  assert.equal(job.status, 'completed')
  const rejectedNames = data.items.flatMap((item) => (item.status === 'rejected' ? item.taskName : []))
  const failureWarnings = job.warnings.filter(({ code }) => code === 'ITEM_FAILED')
  assert.deepEqual(
    failureWarnings.map(({ field }) => field),
    rejectedNames,
  )
  assert.match(failureWarnings[0]?.message ?? '', /failed with CORRUPT_FILE: The/)
  assert.deepEqual(job.summary, { total: 100, completed: 93, failed: 7 })
  const { data: wholeJob } = (await (await client.fetch(`/v1/jobs/${data.jobId}`)).json()) as {
    data: { tasks: Record<string, { status: string; code: string | null; operation: string }> }
    result: unknown
  }
  const items = Object.entries(wholeJob.tasks).filter(([name]) => name.startsWith('item-'))
  assert.equal(items.filter(([, task]) => task.status === 'completed').length, 93)
  for (const [name, task] of items)
    if (task.status !== 'completed') assert.ok(task.code, `${name} has no code`)
  const { files: results = [] } = (job.result ?? {}) as {
    files?: { filename: string; downloadUrl: string }[]
  }
  assert.equal(results.length, 93)
  const lastDownload = await client.fetch(results.at(-1)?.downloadUrl ?? '', { redirect: 'follow' })
  assert.equal((await sharp(Buffer.from(await lastDownload.arrayBuffer())).metadata()).format, 'webp')
})

test('batch items can have their own target formats and names, and an unknown field of an item causes a warning', async () => {
  const items = JSON.stringify([
    { targetFormat: 'jpg', filename: 'first.png' },
    { targetFormat: 'webp', options: { lossless: true }, lossles: true },
  ])
  const { data } = await send(
    createForm(
      [
        ['a.png', png],
        ['b.png', png],
      ],
      { items },
    ),
  )
  const job = await client.finishedJob(data.jobId)
  const { files = [] } = (job.result ?? {}) as { files?: { filename: string }[] }
  assert.deepEqual(
    files.map(({ filename }) => filename),
    ['first.jpg', 'b.webp'],
  )
  assert.match(JSON.stringify(job.warnings), /UNKNOWN_PARAMETER.*lossles\b/)
})

test('a batch without any valid file is refused with an error for each file', async () => {
  const { status, error } = await send(
    createForm(
      invalidFileKinds.map(([name, bytes]) => [name, bytes] as const),
      { targetFormat: 'webp' },
    ),
  )
  assert.equal(status, 422)
  const { items } = error.details as { items: { code: string }[] }
  assert.deepEqual(
    items.map(({ code }) => code),
    invalidFileKinds.map(([, , code]) => code),
  )
})

test('a batch with no files, too many files, or different numbers of files and items is refused', async () => {
  const twoFiles = [
    ['a.png', png],
    ['b.png', png],
  ] as const
  const mismatchReply = await send(createForm(twoFiles, { items: '[{"targetFormat":"webp"}]' }))
  assert.deepEqual([mismatchReply.status, mismatchReply.error.code], [400, 'INVALID_INPUT'])
  assert.deepEqual(mismatchReply.error.details, { field: 'items', expected: 2, got: 1 })
  const manyReply = await send(
    createForm(
      Array.from({ length: 101 }, (_, at) => [`${at}.png`, Buffer.from('x')] as const),
      { targetFormat: 'webp' },
    ),
  )
  assert.deepEqual([manyReply.status, manyReply.error.code], [400, 'INVALID_INPUT'])
  assert.deepEqual(manyReply.error.details, { field: 'file', max: 100, got: 101 })
  const emptyReply = await send(createForm([], { targetFormat: 'webp' }))
  assert.deepEqual([emptyReply.status, emptyReply.error.code], [400, 'NO_FILES'])
})

test('a batch with failFast is refused if a file is broken, and the error names the import task of the file', async () => {
  const { status, error } = await send(
    createForm(
      [
        ['a.png', png],
        ['text.png', Buffer.from('not an image at all\n')],
      ],
      { targetFormat: 'webp', failFast: 'true' },
    ),
  )
  assert.deepEqual([status, error.code], [400, 'CORRUPT_FILE'])
  assert.match(JSON.stringify(error.details), /import-002/)
})

test('the error of a batch item starts with the name of the invalid field, such as quality or targetFormat', async () => {
  for (const [item, said] of [
    [{ options: { quality: 'x' } }, /^quality: expected a whole number/],
    [{ quality: 'x' }, /^quality: expected a whole number/],
    [{ targetFormat: 'nothing' }, /^targetFormat: "nothing" is not a supported format/],
  ] as const) {
    const { error } = await send(
      createForm([['a.png', png]], { items: JSON.stringify([item]), targetFormat: 'webp' }),
    )
    const { items = [] } = error.details as { items?: { message: string }[] }
    assert.match(items[0]?.message ?? '', said, JSON.stringify(error))
    assert.equal(error.message, `The file cannot be converted: ${items[0]?.message}`)
  }
  const items = JSON.stringify([{ options: { quality: 'x' } }, {}])
  const { data } = await send(
    createForm(
      [
        ['a.png', png],
        ['b.png', png],
      ],
      { targetFormat: 'webp', items },
    ),
  )
  assert.match(data.items[0]?.error?.message ?? '', /^quality: expected/)
})

test('a batch item with an invalid source or two sources is refused, and the error names the field', async () => {
  const uploadId = 'upl_01ARZ3NDEKTSV4RRFFQ69G5FAV'
  const url = 'https://example.com/a.png'
  for (const [item, field, said] of [
    [{ fileUrl: 'ftp://example.com/a.png' }, 'items.0.fileUrl', /https:\/\//],
    [{ fileUrl: url, uploadId }, 'items.0.fileUrl', /the source of this item is already uploadId/],
    [{ fileUrl: url, url }, 'items.0.fileUrl', /the source of this item is already url/],
  ] as const) {
    const reply = await client.post('/v1/convert/batch', { targetFormat: 'webp', items: [item] })
    const { error } = (await reply.json()) as {
      error: { message: string; details: { field: string } }
    }
    assert.deepEqual([reply.status, error.details.field], [400, field])
    assert.match(error.message, said)
  }
  const { error } = await send(
    createForm([['a.png', png]], { items: JSON.stringify([{ url }]), targetFormat: 'webp' }),
  )
  assert.match(error.message, /^items.0.url: the source of this item is already the uploaded file/)
})

test('a batch in JSON can use uploads, and a missing upload is an error of its item only', async () => {
  const presignedUpload = await client.presign({
    filename: 'u.png',
    contentType: 'image/png',
    size: png.length,
  })
  await fetch(presignedUpload.url, { method: 'PUT', headers: { ...presignedUpload.headers }, body: png })
  const missingUpload = 'upl_01ARZ3NDEKTSV4RRFFQ69G5FAV'
  const response = await client.post('/v1/convert/batch', {
    targetFormat: 'webp',
    items: [{ uploadId: presignedUpload.uploadId }, { uploadId: missingUpload }],
  })
  const { data } = (await response.json()) as { data: Batch }
  assert.equal(response.status, 202, JSON.stringify(data))
  assert.deepEqual(
    data.items.map(({ error }) => error?.code),
    [undefined, 'UPLOAD_NOT_FOUND'],
  )
  assert.equal((await client.finishedJob(data.jobId)).status, 'completed')
})
