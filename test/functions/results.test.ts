import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js'
import sharp from 'sharp'
import { after, before } from '../hooks.ts'
import { Client, type JobData, startService, type TestService } from '../service.ts'

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

async function convert(
  name: string,
  fields: Record<string, string>,
): Promise<{ job: JobData; bytes: Buffer }> {
  const bytes = Buffer.from(await readFile(new URL(`../fixtures/${name}`, import.meta.url)))
  const response = await client.convert({ name, bytes }, fields)
  const { data } = (await response.json()) as { data: JobData }
  const job = await client.finished(data.jobId)
  assert.equal(job.status, 'completed', job.error?.message)
  return { job, bytes: await client.download(job.jobId) }
}

test('a PDF of three pages becomes a ZIP of three JPEGs with a manifest', async () => {
  const { job, bytes } = await convert('three-pages.pdf', { targetFormat: 'jpg' })
  assert.equal(job.result?.filename, 'three-pages.zip')
  assert.equal(job.result?.mimeType, 'application/zip')
  const entries = await new ZipReader(new BlobReader(new Blob([new Uint8Array(bytes)]))).getEntries()
  assert.deepEqual(entries.map(({ filename }) => filename).sort(), [
    'manifest.json',
    'page-001.jpg',
    'page-002.jpg',
    'page-003.jpg',
  ])
  const manifest = entries.find(({ filename }) => filename === 'manifest.json')
  assert.ok(manifest && !manifest.directory, 'manifest.json is no file')
  assert.match(await manifest.getData(new TextWriter()), /page-003\.jpg/)
})

test('one page of a PDF becomes one JPEG', async () => {
  const { job, bytes } = await convert('three-pages.pdf', { targetFormat: 'jpg', pages: '2', dpi: '72' })
  assert.equal(job.result?.filename, 'three-pages.jpg')
  assert.equal((await sharp(bytes).metadata()).format, 'jpeg')
})

test('a PDF that only its owner may change converts without a password', async () => {
  const { job } = await convert('owner-password.pdf', { targetFormat: 'txt' })
  assert.equal(job.result?.format, 'txt')
})

test('a PDF that needs a password converts with it, and with no other', async () => {
  const bytes = Buffer.from(await readFile(new URL('../fixtures/needs-password.pdf', import.meta.url)))
  const send = (password: string) =>
    client.convert(
      { name: 'a.pdf', bytes },
      { targetFormat: 'jpg', pages: '1', password },
      { prefer: 'wait=25' },
    )
  const right = (await (await send('secret')).json()) as { status: string }
  assert.equal(right.status, 'completed')
  const wrong = await send('not this one')
  assert.equal(wrong.status, 422)
  assert.equal(((await wrong.json()) as { error: { code: string } }).error.code, 'PDF_ENCRYPTED')
})

test('a photo that was taken turned comes out upright', async () => {
  const { bytes } = await convert('orientation-6.jpg', { targetFormat: 'png' })
  const source = await sharp(
    await readFile(new URL('../fixtures/orientation-6.jpg', import.meta.url)),
  ).metadata()
  const { width, height, orientation } = await sharp(bytes).metadata()
  assert.deepEqual([width, height], [source.height, source.width])
  assert.ok(orientation === undefined || orientation === 1, `a viewer would turn it: ${orientation}`)
})
