import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { openBuffer } from '../../lib/binary/random-access.ts'
import { openZipArchive } from '../../lib/binary/zip.ts'
import { region, s3Credentials } from '../embedded-aws/s3/credentials.ts'
import { Bucket, startWithBucket } from '../embedded-aws/s3/start-s3.ts'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { startAzurite } from '../transfer/azurite.ts'
import { credentials, startGcs } from '../transfer/gcs-server.ts'

const pdf = await readFile(new URL('../fixtures/three-pages.pdf', import.meta.url))
const pages = ['page-001', 'page-002', 'page-003']
const withExtension = (extension: string, names: readonly string[] = pages) =>
  names.map((name) => `${name}.${extension}`)

let service: TestService
let client: Client
let gcs: Awaited<ReturnType<typeof startGcs>>
before(async () => {
  gcs = await startGcs()
  service = await startService({ OUTGOING_ALLOW: '127.0.0.1/32', GCS_ENDPOINT: gcs.endpoint })
  client = new Client(service)
})
after(async () => {
  await service.stop()
  await gcs.stop()
})

interface FileData {
  readonly filename: string
  readonly members?: readonly string[]
  readonly url: string
  readonly size: number
}

interface TaskData {
  readonly status: string
  readonly message: string | null
  readonly input: unknown
  readonly result: { readonly url: string | null; readonly files: readonly FileData[] } | null
}

const source = { operation: 'import/base64', file: pdf.toString('base64'), filename: 'report.pdf' }
const jpgTask = { operation: 'convert', input: 'in', output_format: 'jpg', dpi: 72 }

async function run(tasks: object): Promise<{ status: string; tasks: Record<string, TaskData> }> {
  const { jobId } = await client.accepted(await client.post('/v1/jobs', { tasks: { in: source, ...tasks } }))
  const response = await client.fetch(`/v1/jobs/${jobId}`)
  return ((await response.json()) as { data: Awaited<ReturnType<typeof run>> }).data
}

const getFilenames = (task: TaskData | undefined) => task?.result?.files.map(({ filename }) => filename)

async function download(url: string | null | undefined): Promise<Buffer> {
  const response = await fetch(url ?? assert.fail('no link'))
  assert.equal(response.status, 200)
  return Buffer.from(await response.arrayBuffer())
}

async function listZipNames(bytes: Buffer): Promise<string[]> {
  const zip = await openZipArchive(openBuffer(bytes), 1000)
  return [...zip.files.keys()].sort()
}

test('the pages of a split PDF pass through three steps and are exported to three stores', async (t) => {
  const s3 = await startWithBucket(t)
  const azure = await startAzurite()
  t.after(() => azure.stop())
  const { status, tasks } = await run({
    parts: { operation: 'split-pdf', input: 'in' },
    jpg: { ...jpgTask, input: 'parts' },
    webp: { operation: 'convert', input: 'jpg', output_format: 'webp' },
    s3: {
      operation: 'export/s3',
      input: 'parts',
      bucket: Bucket,
      region,
      endpoint: s3.endpoint,
      access_key_id: s3Credentials.accessKeyId,
      secret_access_key: s3Credentials.secretAccessKey,
      key_prefix: 'parts/',
    },
    gcs: {
      operation: 'export/gcs',
      input: 'jpg',
      bucket: 'box',
      credentials,
      key_prefix: 'jpg/',
      archive_multiple_files: false,
    },
    azure: {
      operation: 'export/blob',
      input: { task: 'webp', file: 'page-00[13].webp' },
      ...azure.access,
      blob_prefix: 'webp/',
    },
  })
  assert.equal(status, 'completed', JSON.stringify(tasks))
  const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket }))
  assert.deepEqual(
    Contents.map(({ Key }) => Key),
    ['parts/report.zip'],
  )
  assert.deepEqual(
    [...gcs.objects.keys()].sort(),
    withExtension('jpg').map((name) => `jpg/${name}`),
  )
  const blobs: string[] = []
  for await (const { name } of azure.container.listBlobsFlat()) blobs.push(name)
  assert.deepEqual(blobs, ['webp/page-001.webp', 'webp/page-003.webp'])
})

const webpTask = { operation: 'convert', input: 'jpg', output_format: 'webp' }

test('each page image of a PDF is converted separately, and the download link returns one ZIP with a manifest', async () => {
  const { tasks } = await run({
    jpg: jpgTask,
    webp: webpTask,
    out: { operation: 'export/url', input: 'webp' },
  })
  assert.deepEqual(getFilenames(tasks['out']), ['report.zip'])
  const [list] = tasks['webp']?.result?.files ?? []
  assert.deepEqual(list?.members, withExtension('webp'))
  const zip = await download(tasks['out']?.result?.url)
  assert.deepEqual(await listZipNames(zip), ['manifest.json', ...withExtension('webp')])
})

test('the files of a list are exported one by one with archive_multiple_files=false', async () => {
  const { tasks } = await run({
    jpg: jpgTask,
    out: { operation: 'export/url', input: 'jpg', archive_multiple_files: false, filename: '{name}-of-3' },
  })
  const files = tasks['out']?.result?.files ?? []
  assert.deepEqual(
    files.map(({ filename }) => filename),
    withExtension(
      'jpg',
      pages.map((name) => `${name}-of-3`),
    ),
  )
  for (const { url, size } of files) {
    const bytes = await download(url)
    assert.deepEqual([bytes.length, bytes.subarray(0, 2).toString('hex')], [size, 'ffd8'])
  }
})

test('a task can select files of a list by name or pattern', async () => {
  const { tasks } = await run({
    jpg: jpgTask,
    last: { ...webpTask, input: { task: 'jpg', file: 'page-003.jpg' } },
    some: {
      operation: 'merge',
      input: [
        { task: 'jpg', file: 'page-00[23].*' },
        { task: 'jpg', file: 'page-001.jpg' },
      ],
      output_format: 'pdf',
    },
    out: { operation: 'export/url', input: ['last', 'some'] },
    one: { operation: 'export/url', input: { task: 'jpg', file: 'page-002.jpg' } },
  })
  assert.deepEqual(getFilenames(tasks['out']), ['page-003.webp', 'report.pdf'])
  assert.deepEqual(getFilenames(tasks['one']), ['page-002.jpg'])
  assert.deepEqual(tasks['last']?.input, { task: 'jpg', file: 'page-003.jpg' })
  assert.equal(tasks['jpg']?.input, 'in')
})

test('a task that selects a file missing from a list fails, and its message contains the existing names', async () => {
  const { status, tasks } = await run({
    jpg: jpgTask,
    none: { ...webpTask, input: { task: 'jpg', file: '../*' } },
    out: { operation: 'export/url', input: 'none' },
  })
  assert.equal(status, 'failed')
  assert.match(
    tasks['none']?.message ?? '',
    /jpg has no file "\.\.\/\*"; it has page-001\.jpg, page-002\.jpg/,
  )
})

test('the manifest of an unpacked file list is not converted', async () => {
  const { status, tasks } = await run({
    jpg: jpgTask,
    files: { operation: 'extract', input: 'jpg' },
    webp: { ...webpTask, input: 'files' },
    out: { operation: 'export/url', input: 'webp' },
  })
  assert.equal(status, 'completed', JSON.stringify(tasks))
  assert.deepEqual(getFilenames(tasks['out']), withExtension('webp'))
})
