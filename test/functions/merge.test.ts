import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)

let service: TestService
let client: Client
const scratch = scratchFolder('merge')
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

const fixtureUrl = (name: string) => new URL(`../fixtures/${name}`, import.meta.url)
const readFixture = (name: string) => readFile(fixtureUrl(name))

interface Part {
  readonly field: string
  readonly name: string
  /** Name of the fixture, if it differs from the name that is sent. */
  readonly from?: string
}

async function send(
  path: string,
  parts: readonly Part[],
  fields: Readonly<Record<string, string>>,
): Promise<JobData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  for (const { field, name, from = name } of parts)
    form.append(field, new Blob([await readFixture(from)]), name)
  return client.accepted(await client.fetch(path, { method: 'POST', body: form }))
}

const saveResult = (job: JobData) => client.saved(job, scratch)

const readPages = async (path: string) =>
  Number(/^Pages:\s+(\d+)/m.exec((await run('pdfinfo', [path])).stdout)?.[1])
const createPart = (name: string, from = name) => ({ field: 'file', name, from })

test('two PDFs are merged into one PDF with all their pages and words', async () => {
  const job = await send(
    '/v1/convert/merge',
    [createPart('three-pages.pdf'), createPart('again.pdf', 'three-pages.pdf')],
    {},
  )
  assert.equal(await readPages(await saveResult(job)), 6)
  assert.equal(job.result?.filename, 'three-pages.pdf')
  const { pages, words } = job.result?.fidelity ?? {}
  assert.deepEqual([pages, words?.share], [{ source: 6, result: 6, share: 1 }, 1])
})

test('splitting a PDF returns all pages, and splitting off one page is not reported as a loss', async () => {
  const split = (fields: Readonly<Record<string, string>>) =>
    send('/v1/convert', [createPart('three-pages.pdf')], { toolOperation: 'split-pdf', ...fields })
  const [allPages, firstPageReply] = await Promise.all([split({}), split({ pages: '1' })])
  assert.deepEqual(allPages.result?.fidelity?.pages, { source: 3, result: 3, share: 1 })
  assert.equal(firstPageReply.result?.fidelity?.pages?.result, 1)
  assert.deepEqual([...(allPages.warnings ?? []), ...(firstPageReply.warnings ?? [])], [])
})

test('images are merged side by side into one image', async () => {
  const parts = [createPart('corners.png'), createPart('corners.jpg')]
  const fields = { mergeType: 'image', options: JSON.stringify({ layout: 'horizontal' }) }
  const path = await saveResult(await send('/v1/convert/merge', parts, fields))
  assert.match((await run('file', [path])).stdout, /PNG image data, 80 x 30/)
})

async function probeFormatAndSeconds(path: string): Promise<[format: string, seconds: number]> {
  const args = ['-v', 'error', '-show_entries', 'format=duration,format_name', '-of', 'json', path]
  const { format } = JSON.parse((await run('ffprobe', args)).stdout)
  return [format.format_name, Number(format.duration)]
}

test('audio is merged with the requested silence in between', async () => {
  const parts = [createPart('tone.wav'), createPart('tone.flac')]
  const fields = { mergeType: 'audio', options: JSON.stringify({ gap: 2 }) }
  const [format, seconds] = await probeFormatAndSeconds(
    await saveResult(await send('/v1/convert/merge', parts, fields)),
  )
  assert.equal(format, 'wav')
  assert.ok(seconds > 3.5 && seconds < 5, `${seconds} s`)
})

test('videos are merged into one video, one after another', async () => {
  const parts = [createPart('video.mp4'), createPart('video.webm')]
  const [format, seconds] = await probeFormatAndSeconds(
    await saveResult(await send('/v1/convert/merge', parts, { mergeType: 'video' })),
  )
  assert.match(format, /mp4/)
  assert.ok(seconds > 1.8 && seconds < 2.3, `${seconds} s`)
})

test('a video is compressed to a target size', async () => {
  const longVideoPath = join(scratch, 'long.mp4')
  const source = fileURLToPath(fixtureUrl('video.mp4'))
  await run('ffmpeg', ['-v', 'error', '-stream_loop', '19', '-i', source, '-c', 'copy', longVideoPath])
  assert.ok((await stat(longVideoPath)).size > 120_000)
  const sentVideo = { name: 'long.mp4', bytes: new Uint8Array(await readFile(longVideoPath)) }
  const fields = { toolOperation: 'compress', targetSize: '100k' }
  const path = await saveResult(await client.accepted(await client.convert(sentVideo, fields)))
  assert.ok((await stat(path)).size <= 100_000)
  const [format, seconds] = await probeFormatAndSeconds(path)
  assert.match(format, /mp4/)
  assert.ok(seconds > 19 && seconds < 21, `${seconds} s`)
})

test('with combineImages, images become the pages of one PDF', async () => {
  const parts = [createPart('corners.png'), { field: 'additionalFile', name: 'corners.jpg' }]
  const fields = { targetFormat: 'pdf', combineImages: 'true' }
  assert.equal(await readPages(await saveResult(await send('/v1/convert', parts, fields))), 2)
})

test('combineImages refuses a file that is not an image', async () => {
  const reply = await client.convert(
    { name: 'a.pdf', bytes: new Uint8Array(await readFixture('three-pages.pdf')) },
    { targetFormat: 'pdf', combineImages: 'true' },
  )
  const { error } = (await reply.json()) as { error: { message: string; details: { field: string } } }
  assert.deepEqual([reply.status, error.details.field], [400, 'file'])
  assert.match(error.message, /expected an image with combineImages, got pdf/)
})

test('the error of combineImages names the field of the file that is not an image, even if another file has a URL', async () => {
  const form = new FormData()
  const fields = { fileUrl: 'https://example.com/a.png', targetFormat: 'pdf', combineImages: 'true' }
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.append('additionalFile', new Blob([await readFixture('three-pages.pdf')]), 'a.pdf')
  const reply = await client.fetch('/v1/convert', { method: 'POST', body: form })
  const { error } = (await reply.json()) as { error: { message: string; details: { field: string } } }
  assert.deepEqual([reply.status, error.details.field], [400, 'additionalFile'], error.message)
})

test('a PDF tool requires no target format', async () => {
  const job = await send('/v1/convert', [createPart('three-pages.pdf')], {
    toolOperation: 'extract-pdf-pages',
    pages: '3,1',
  })
  assert.equal(await readPages(await saveResult(job)), 2)
})

test('an image can be used as the watermark of a PDF', async () => {
  const parts = [createPart('three-pages.pdf'), { field: 'additionalFile', name: 'alpha.png' }]
  const path = await saveResult(await send('/v1/convert', parts, { toolOperation: 'add-watermark-pdf' }))
  const { stdout } = await run('pdfimages', ['-list', path])
  assert.match(stdout, /image\s+40\s+30/)
})

test('POST /v1/convert/merge merges earlier uploads like files of a form', async () => {
  const ids: string[] = []
  const bytes = await readFixture('three-pages.pdf')
  for (let count = 0; count < 2; count++) {
    const announcedFile = { filename: 'a.pdf', contentType: 'application/pdf', size: bytes.length }
    const { uploadId, url, method, headers } = await client.presign(announcedFile)
    const put = await fetch(url, { method, headers, body: bytes })
    assert.equal(put.status, 200)
    ids.push(uploadId)
  }
  const job = await client.accepted(await client.post('/v1/convert/merge', { uploadIds: ids }))
  assert.equal(await readPages(await saveResult(job)), 6)
})
