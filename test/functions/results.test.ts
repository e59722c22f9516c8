import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { BlobReader, BlobWriter, TextWriter, ZipReader } from '@zip.js/zip.js'
import sharp from 'sharp'
import { after, before } from '../hooks.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'

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
  const job = await client.finishedJob(data.jobId)
  assert.equal(job.status, 'completed', job.error?.message)
  return { job, bytes: await client.download(job.jobId) }
}

test('a PDF of three pages converted to JPEG becomes a ZIP with three images and a manifest', async () => {
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
  assert.ok(manifest && !manifest.directory, 'manifest.json is not a file')
  assert.match(await manifest.getData(new TextWriter()), /page-003\.jpg/)
})

test('converting one page of a PDF to JPEG returns a JPEG, not a ZIP', async () => {
  const { job, bytes } = await convert('three-pages.pdf', { targetFormat: 'jpg', pages: '2', dpi: '72' })
  assert.equal(job.result?.filename, 'three-pages.jpg')
  assert.equal((await sharp(bytes).metadata()).format, 'jpeg')
})

test('a PDF that has only an owner password is converted without a password', async () => {
  const { job } = await convert('owner-password.pdf', { targetFormat: 'txt' })
  assert.equal(job.result?.format, 'txt')
})

test('an encrypted PDF is converted with its password, and a wrong password fails with PDF_ENCRYPTED', async () => {
  const bytes = Buffer.from(await readFile(new URL('../fixtures/needs-password.pdf', import.meta.url)))
  const send = (password: string) =>
    client.convert(
      { name: 'a.pdf', bytes },
      { targetFormat: 'jpg', pages: '1', password },
      { prefer: 'wait=25' },
    )
  const unlockedJob = (await (await send('secret')).json()) as { status: string }
  assert.equal(unlockedJob.status, 'completed')
  const wrongReply = await send('not this one')
  assert.equal(wrongReply.status, 422)
  assert.equal(((await wrongReply.json()) as { error: { code: string } }).error.code, 'PDF_ENCRYPTED')
})

test('a rotated photo is converted upright', async () => {
  const { bytes } = await convert('orientation-6.jpg', { targetFormat: 'png' })
  const source = await sharp(
    await readFile(new URL('../fixtures/orientation-6.jpg', import.meta.url)),
  ).metadata()
  const { width, height, orientation } = await sharp(bytes).metadata()
  assert.deepEqual([width, height], [source.height, source.width])
  assert.ok(orientation === undefined || orientation === 1, `a viewer would rotate it: ${orientation}`)
})

interface Signed {
  readonly url: string
  readonly expiresAt: string
}
type Refusal = { readonly error: { readonly code: string; readonly details?: Record<string, unknown> } }
const readRefusal = async (response: Response) => {
  const { error } = (await response.json()) as Refusal
  return `${response.status} ${error.code}`
}

const repeat = (address: string, name: string) =>
  `${address}&${name}=${new URL(address).searchParams.get(name)}`

test('a signed URL works up to its download limit, and an altered URL is rejected', async () => {
  const { job, bytes } = await convert('alpha.png', { targetFormat: 'webp' })
  const sign = async (fields: object) => {
    const response = await client.post('/v1/download/signed', { jobId: job.jobId, ...fields })
    assert.equal(response.status, 200)
    return ((await response.json()) as { data: Signed }).data
  }
  const stranger = new Client(service)
  const { url } = await sign({ maxDownloads: 2, disposition: 'inline', file: 'alpha.webp' })
  const ask = (address: string, init: RequestInit = {}) => stranger.fetch(address, init)
  assert.equal((await ask(url, { method: 'HEAD' })).status, 302, 'HEAD does not count')
  const firstDownload = await ask(url, { redirect: 'follow' })
  assert.deepEqual(Buffer.from(await firstDownload.arrayBuffer()), bytes)
  assert.equal(firstDownload.headers.get('content-disposition'), 'inline; filename=alpha.webp')
  const repliesAtOnce = await Promise.all([ask(url), ask(url), ask(url)])
  assert.deepEqual(
    repliesAtOnce.map(({ status }) => status).sort(),
    [302, 410, 410],
    'one of several concurrent requests',
  )
  const redirectUrl = repliesAtOnce.find(({ status }) => status === 302)?.headers.get('location') ?? ''
  assert.equal(new URL(redirectUrl).searchParams.get('X-Amz-Expires'), '300', 'too short to share it instead')
  assert.equal((await ask(url, { method: 'HEAD' })).status, 410, 'HEAD reports that the limit is reached')

  const secondUrl = await sign({ maxDownloads: 3, expiresIn: 700 })
  const urlsWithSwappedParameter = ['link', 'max', 'exp', 'sig'].map((name) => {
    const address = new URL(url)
    address.searchParams.set(name, new URL(secondUrl.url).searchParams.get(name) ?? '')
    return address.href
  })
  const alteredUrls = [
    ...urlsWithSwappedParameter,
    // A repeated `inline` is omitted: it would be refused with another error, as its value must be a boolean.
    ...['file', 'link', 'max', 'exp', 'kid', 'sig'].map((name) => repeat(url, name)),
    `${url}&more=1`,
    url.replace('max=2', 'max=9'),
    url.replace(/exp=\d+/, 'exp=99999999999'),
    url.replace('&sig=', '&task=convert-file&sig='),
    url.replace(/&sig=.*/, ''),
    url.replace(/kid=\d+/, 'kid=1'),
    url.replace(/sig=(.)/, (_, first) => `sig=${first === '_' ? '-' : '_'}`),
  ]
  for (const address of alteredUrls)
    assert.equal(await readRefusal(await ask(address)), '401 INVALID_SIGNATURE')
  const wrongReply = await stranger.post('/v1/download/signed', { jobId: job.jobId })
  assert.equal(await readRefusal(wrongReply), '403 INSUFFICIENT_PERMISSIONS')

  const otherUrl = await sign({ expiresIn: 86_400 })
  assert.equal((await client.fetch(`/v1/jobs/${job.jobId}`, { method: 'DELETE' })).status, 204)
  assert.equal(await readRefusal(await ask(otherUrl.url)), '410 FILE_GONE')
})

for (const maxDownloads of [1, 3])
  test(`of fifty concurrent requests to a signed URL with maxDownloads ${maxDownloads}, only ${maxDownloads} get the file or a range of it`, async () => {
    const { job, bytes } = await convert('alpha.png', { targetFormat: 'webp' })
    const response = await client.post('/v1/download/signed', { jobId: job.jobId, maxDownloads })
    const { url } = ((await response.json()) as { data: Signed }).data
    const open = async (_: unknown, at: number) => {
      const isRangeRequest = at % 2 === 1
      const download = await fetch(url, isRangeRequest ? { headers: { range: 'bytes=0-9' } } : {})
      const downloadedBytes = Buffer.from(await download.arrayBuffer())
      if (download.ok) assert.deepEqual(downloadedBytes, isRangeRequest ? bytes.subarray(0, 10) : bytes)
      return download.ok ? 'the file' : String(download.status)
    }
    const downloads = await Promise.all(Array.from({ length: 50 }, open))
    assert.equal(downloads.filter((answer) => answer === 'the file').length, maxDownloads)
    assert.equal(downloads.filter((answer) => answer === '410').length, 50 - maxDownloads)
  })

test('the results of three jobs are returned as one ZIP with unique file names and a manifest', async () => {
  const jobs = [
    await convert('alpha.png', { targetFormat: 'webp' }),
    await convert('alpha.png', { targetFormat: 'webp' }),
    await convert('alpha.png', { targetFormat: 'bmp', filename: 'Größe & 日本.png' }),
  ]
  const bytes = jobs.map((job) => job.bytes)
  const brokenReply = await client.convert(
    { name: 'a.png', bytes: Buffer.from('GIF89a') },
    { targetFormat: 'webp' },
  )
  assert.equal(brokenReply.status, 400)
  const jobIds = jobs.map(({ job }) => job.jobId)
  const ask = () => client.post('/v1/download/zip', { jobIds: [...jobIds, ...jobIds], filename: 'all' })
  const firstReply = await ask()
  // On a busy machine the first request may wait too long for its worker to start.
  if (firstReply.status === 202) await client.accepted(firstReply)
  const response = firstReply.status === 202 ? await ask() : firstReply
  assert.equal(response.status, 303)
  const zip = await fetch(response.headers.get('location') ?? '')
  assert.match(zip.headers.get('content-disposition') ?? '', /filename=all\.zip/)
  const reader = new ZipReader(new BlobReader(new Blob([await zip.arrayBuffer()])))
  const entries = (await reader.getEntries()).filter((entry) => !entry.directory)
  assert.deepEqual(
    entries.map(({ filename, compressionMethod }) => [filename, compressionMethod]),
    [
      ['alpha.webp', 0],
      ['alpha (2).webp', 0],
      ['Größe & 日本.bmp', 8],
      ['manifest.json', 8],
    ],
  )
  for (const [at, expectedBytes] of bytes.entries()) {
    const blob = await entries[at]?.getData?.(new BlobWriter())
    assert.deepEqual(Buffer.from((await blob?.arrayBuffer()) ?? new ArrayBuffer()), expectedBytes)
  }
  const manifest = JSON.parse((await entries[3]?.getData?.(new TextWriter())) ?? '')
  assert.deepEqual(manifest[1], {
    jobId: jobIds[1],
    source: 'alpha.png',
    task: null,
    status: 'completed',
    file: 'alpha (2).webp',
    size: bytes[1]?.length,
    sha256: jobs[1]?.job.result?.sha256,
  })
  const stranger = new Client(service)
  const requestZip = (by: Client, body: object) => by.post('/v1/download/zip', body)
  assert.equal(await readRefusal(await requestZip(stranger, { jobIds })), '404 JOB_NOT_FOUND')
  assert.equal(await readRefusal(await requestZip(client, {})), '400 INVALID_REQUEST')
  const tasks = ['convert-file', 'none']
  assert.equal(await readRefusal(await requestZip(client, { jobId: jobIds[0], tasks })), '404 TASK_NOT_FOUND')
})

test('the {index} in the file names of a ZIP of results starts at the requested firstIndex', async () => {
  const { job } = await convert('alpha.png', { targetFormat: 'webp' })
  const zip = (fields: object) =>
    client.post('/v1/download/zip?async=true', { jobId: job.jobId, manifest: false, ...fields })
  const fields = { nameTemplate: '{name}-{index}', firstIndex: 101 }
  const { result } = await client.accepted(await zip(fields))
  const bytes = await (await fetch(result?.downloadUrl ?? '')).arrayBuffer()
  const [entry] = await new ZipReader(new BlobReader(new Blob([bytes]))).getEntries()
  assert.equal(entry?.filename, 'alpha-101.webp')
  assert.equal(await readRefusal(await zip({ firstIndex: 101 })), '400 INVALID_INPUT')
})

test('a ZIP of results has the requested folders, and unsafe folder paths or folders for unknown jobs are refused', async () => {
  const jobIds: string[] = []
  for (const _ of [1, 2, 3]) jobIds.push((await convert('alpha.png', { targetFormat: 'webp' })).job.jobId)
  const [firstId = '', secondId = ''] = jobIds
  const zip = (folders: object) =>
    client.post('/v1/download/zip?async=true', { jobIds, folders, manifest: false })
  const job = await client.accepted(await zip({ [firstId]: 'album/one', [secondId]: 'album/Größe & 日本' }))
  const bytes = await (await fetch(job.result?.downloadUrl ?? '')).arrayBuffer()
  const entries = await new ZipReader(new BlobReader(new Blob([bytes]))).getEntries()
  const names = entries.map(({ filename }) => filename)
  assert.deepEqual(names, ['album/one/alpha.webp', 'album/Größe & 日本/alpha.webp', 'alpha.webp'])
  for (const folders of [
    { [firstId]: '../album' },
    { [firstId]: '/etc' },
    { [secondId]: 'a\\b' },
    { job_other: 'a' },
  ])
    assert.equal(await readRefusal(await zip(folders)), '400 INVALID_INPUT', JSON.stringify(folders))
})
