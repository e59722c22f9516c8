// Runs engines, transfers, captures and `prepare` with their deployed roles: their tasks succeed, and the roles grant
// exactly the permissions that are used.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ImageId } from '../../lib/component-ids.ts'
import { imageIds } from '../../lib/component-ids.ts'
import { region } from '../embedded-aws/lambda-runtime.ts'
import { after, before } from '../hooks.ts'
import { assertExact, isTaskRole } from './assert-exact.ts'
import { fixture, folder, font, openIsolatedService } from './isolated-service.ts'

const createBase64Import = (name: string) => ({
  operation: 'import/base64',
  filename: name,
  file: (name === 'letters.ttf' ? readFileSync(font) : fixture(name)).toString('base64'),
})

/** For each image, a source file and the tasks to run with it. */
const tasksByImage: Readonly<Record<ImageId, readonly [source: string, ...tasks: object[]]>> = {
  av: ['cover.mp3', { operation: 'convert', output_format: 'wav' }],
  image: ['alpha.png', { operation: 'convert', output_format: 'webp' }],
  office: ['letter.docx', { operation: 'convert', output_format: 'odt' }],
  pdf: ['three-pages.pdf', { operation: 'encrypt-pdf', options: { password: 'open sesame' } }],
  document: ['words.md', { operation: 'convert', output_format: 'docx' }],
  archive: ['alpha.png', { operation: 'archive', output_format: 'zip' }],
  font: ['letters.ttf', { operation: 'convert', output_format: 'woff2' }],
  browser: ['page.html', { operation: 'convert', output_format: 'pdf' }],
}

let service: Awaited<ReturnType<typeof openIsolatedService>>
before(async () => {
  service = await openIsolatedService()
})
after(() => service.close())

for (const image of imageIds)
  test(`jobs that use the ${image} container image complete under the deployed role of the image, even several jobs of one owner`, async () => {
    const [source, task] = tasksByImage[image]
    const client = await service.newMember()
    const text = { 'words.md': '# Words', 'page.html': '<h1>Page</h1>' }[source]
    const file =
      text === undefined
        ? createBase64Import(source)
        : { operation: 'import/raw', filename: source, file: text }
    const tasks = { file, made: { ...task, input: 'file' }, out: { operation: 'export/url', input: 'made' } }
    const two = {
      file,
      made: { ...task, input: 'file' },
      packed: { operation: 'archive', input: ['made', 'file'] },
      out: { operation: 'export/url', input: 'packed' },
    }
    const firstReply = await client.post('/v1/jobs', { tasks: two })
    const otherReplies = await Promise.all(
      [tasks, two, tasks].map((tasks) => client.post('/v1/jobs', { tasks })),
    )
    for (const response of [firstReply, ...otherReplies]) {
      const { status, error } = await client.accepted(response)
      assert.equal(status, 'completed', JSON.stringify(error))
    }
  })

test('task messages without URLs, or with unreachable files, can be sent to the queue of each container image', async () => {
  for (const queue of [...imageIds, 'capture']) {
    await service.send(queue, { jobId: 'job_none', task: 0 })
    await service.send(queue, { jobId: 'job_none', task: 0, work: { url: 'http://127.0.0.1:9/' } })
  }
})

test('the prepare function can sign URLs for uploaded files', async () => {
  const client = service.newClient()
  const png = new Uint8Array(fixture('alpha.png'))
  const presignedUpload = await client.presign({
    filename: 'a.png',
    contentType: 'image/png',
    size: png.length,
  })
  assert.equal(
    (await fetch(presignedUpload.url, { method: 'PUT', headers: { ...presignedUpload.headers }, body: png }))
      .status,
    200,
  )
  const { uploadId } = presignedUpload
  const { status } = await client.accepted(
    await client.post('/v1/convert', { uploadId, targetFormat: 'webp' }),
  )
  assert.equal(status, 'completed')
})

test('the deployed roles allow capturing a website', async () => {
  const client = await service.newMember()
  const page = { operation: 'capture-website', url: `${service.site}/page`, output_format: 'png' }
  const tasks = { page, out: { operation: 'export/url', input: 'page' } }
  const two = {
    page,
    small: { operation: 'convert', input: 'page', output_format: 'webp' },
    out: { operation: 'export/url', input: 'small' },
  }
  for (const response of await Promise.all(
    [two, tasks, tasks].map((tasks) => client.post('/v1/jobs', { tasks })),
  ))
    assert.equal((await client.accepted(response)).status, 'completed')
})

test('the deployed roles allow import/url, import/raw, export/s3 and export/url tasks, and imports that fail', async () => {
  const client = service.newClient()
  const { status } = await service.job(client, {
    slow: { operation: 'import/url', url: `${service.site}/slow.md` },
    raw: { operation: 'import/raw', filename: 'a.md', file: '# A' },
    page: { operation: 'convert', input: ['slow', 'raw'], output_format: 'html' },
    out: {
      operation: 'export/s3',
      input: ['page', 'raw'],
      bucket: 'mutabor',
      key_prefix: 'exported/',
      endpoint: service.servers['AWS_ENDPOINT_URL_S3'],
      region,
      access_key_id: service.credentials.accessKeyId,
      secret_access_key: service.credentials.secretAccessKey,
    },
  })
  assert.equal(status, 'completed')
  const member = await service.newMember()
  const tasks = {
    in: { operation: 'import/url', url: `${service.site}/page` },
    out: { operation: 'export/url', input: 'in' },
  }
  for (const response of await Promise.all(
    [tasks, tasks, tasks].map((tasks) => member.post('/v1/jobs', { tasks })),
  ))
    assert.equal((await member.accepted(response)).status, 'completed')
  const importWithWrongHash = {
    operation: 'import/url',
    url: `${service.site}/slow.md`,
    sha256: '0'.repeat(64),
  }
  assert.equal(
    (
      await service.job(client, {
        wrong: importWithWrongHash,
        out: { operation: 'export/url', input: 'wrong' },
      })
    ).status,
    'failed',
  )
  const truncatedImport = { operation: 'import/url', url: `${service.site}/cut.bin` }
  assert.equal(
    (await service.job(client, { cut: truncatedImport, out: { operation: 'export/url', input: 'cut' } }))
      .status,
    'failed',
  )
  const fetchedReply = await client.post('/v1/import/url', { url: `${service.site}/slow.md` })
  assert.equal((await client.accepted(fetchedReply)).status, 'completed')
})

test('the roles of functions that run tasks grant only permissions that are used or listed as rarely used', async (t) => {
  await service.service.stop()
  assertExact(t, folder, isTaskRole)
})
