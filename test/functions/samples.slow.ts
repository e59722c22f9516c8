// Run by `npm run test:slow`: converts real files with the whole service.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { after, before } from '../hooks.ts'
import { python3 } from '../support/python.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)

/** Real files of each format are next to the project, not in it; our own files are in test/fixtures. */
const samples = new URL('../../../shared/samples/', import.meta.url)
const skip = existsSync(samples) ? false : 'the sample files are not beside the project (../shared/samples)'

let service: TestService
let client: Client
let dir: string
before(async () => {
  if (skip) return
  service = await startService()
  client = new Client(service)
  dir = await mkdtemp(join(tmpdir(), 'mutabor-samples-'))
})
after(async () => {
  if (skip) return
  await service.stop()
  await rm(dir, { recursive: true, force: true })
})

interface ConvertedSample {
  readonly job: JobData
  readonly bytes: Buffer
  readonly path: string
}

async function convert(name: string, bytes: Buffer, targetFormat: string): Promise<ConvertedSample> {
  const response = await client.convert({ name, bytes: Buffer.from(bytes) }, { targetFormat })
  assert.equal(response.status, 202, `${name} → ${targetFormat}: ${await response.clone().text()}`)
  const { data } = (await response.json()) as { data: { jobId: string } }
  const job = await client.finishedJob(data.jobId)
  assert.equal(job.status, 'completed', `${name} → ${targetFormat}: ${job.error?.message}`)
  const result = await client.download(job.jobId)
  const path = join(dir, `${job.jobId}.${job.result?.filename.split('.').at(-1)}`)
  await writeFile(path, result)
  return { job, bytes: result, path }
}

const sample = async (path: string, targetFormat: string) =>
  convert(path.split('/').at(-1) ?? path, await readFile(new URL(path, samples)), targetFormat)

const readPdfText = async (path: string) => (await run('pdftotext', ['-layout', path, '-'])).stdout

interface Probe {
  readonly streams: { codec_name: string; codec_type: string; width?: number; height?: number }[]
  readonly format: { format_name: string; duration?: string }
}

function assertSameLength(result: Probe, source: Probe): void {
  const [durationAfter, durationBefore] = [Number(result.format.duration), Number(source.format.duration)]
  assert.ok(
    Math.abs(durationAfter - durationBefore) < 0.2,
    `the duration is ${durationAfter} s instead of ${durationBefore} s`,
  )
}

async function probe(path: string): Promise<Probe> {
  const { stdout } = await run('ffprobe', [
    '-v',
    'error',
    '-show_streams',
    '-show_format',
    '-of',
    'json',
    path,
  ])
  return JSON.parse(stdout) as Probe
}

const listCodecs = ({ streams }: Probe) => streams.map(({ codec_name }) => codec_name).sort()
const getFrameSize = ({ streams }: Probe) =>
  streams.flatMap(({ width, height }) => (width ? [width, height] : []))

for (const [path, words] of [
  ['document/s.docx', ['Heading one', 'Apple', 'End of the document']],
  ['document/s.xlsx', ['Apple']],
  ['document/s.pptx', ['Heading one']],
] as const) {
  test(`the sample ${path} is converted to a PDF that contains its text`, { skip }, async () => {
    const text = await readPdfText((await sample(path, 'pdf')).path)
    for (const word of words) assert.ok(text.includes(word), `${word} in ${text.slice(0, 500)}`)
  })
}

test('the sample document/s.odt is converted to a DOCX that contains its text', { skip }, async () => {
  const { path, job } = await sample('document/s.odt', 'docx')
  assert.equal(
    job.result?.mimeType,
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  )
  const { stdout } = await run(python3, [
    '-c',
    'import sys,zipfile;print(zipfile.ZipFile(sys.argv[1]).read("word/document.xml").decode())',
    path,
  ])
  assert.match(stdout, /Heading one/)
})

test('the sample document/s.docx is converted to a JPEG of its page via PDF', { skip }, async () => {
  const { path, job } = await sample('document/s.docx', 'jpg')
  const shownStreams = await probe(path)
  assert.deepEqual(listCodecs(shownStreams), ['mjpeg'])
  assert.ok((shownStreams.streams[0]?.height ?? 0) > 1000, 'a page, upright')
  assert.equal(job.result?.filename, 's.jpg')
})

test('an image keeps its width and height when it is converted from JPEG to PNG to WebP to AVIF', {
  skip,
}, async () => {
  const png = await sample('image/s.jpg', 'png')
  const webp = await convert('s.png', png.bytes, 'webp')
  const avif = await convert('s.webp', webp.bytes, 'avif')
  for (const [step, codec] of [
    [png, 'png'],
    [webp, 'webp'],
  ] as const) {
    const shownStreams = await probe(step.path)
    assert.deepEqual([listCodecs(shownStreams), getFrameSize(shownStreams)], [[codec], [200, 150]])
  }
  const { stdout } = await run('heif-info', [avif.path])
  assert.match(stdout, /200x150/)
})

test('a real HEIC photo is converted to a JPEG', { skip }, async () => {
  const { path } = await sample('image/real.heic', 'jpg')
  const { stdout } = await run('heif-info', [new URL('image/real.heic', samples).pathname])
  const [, width, height] = /image: (\d+)x(\d+)/.exec(stdout) ?? []
  assert.deepEqual(getFrameSize(await probe(path)), [Number(width), Number(height)])
})

test('the sample image/s.tiff is converted to a PDF of one page', { skip }, async () => {
  const { path } = await sample('image/s.tiff', 'pdf')
  const { stdout } = await run('pdfinfo', [path])
  assert.match(stdout, /Pages:\s+1\n/)
  assert.match((await run('pdfimages', ['-list', path])).stdout, /200\s+150/)
})

for (const [path, to, expectedText] of [
  ['video/s.mp4', 'webm', /vp[89]|av1/],
  ['video/s.mov', 'mp4', /h264/],
] as const) {
  test(`the sample ${path} is converted to ${to} of the same duration`, { skip }, async () => {
    const [source, result] = await Promise.all([
      probe(new URL(path, samples).pathname),
      sample(path, to).then((converted) => probe(converted.path)),
    ])
    assert.match(listCodecs(result).join(' '), expectedText)
    assertSameLength(result, source)
  })
}

test('an MKV with compatible streams is converted to MP4 with the method stream-copy, which keeps the codecs', {
  skip,
}, async () => {
  const { job, path } = await sample('video/s.mkv', 'mp4')
  assert.equal(job.result?.method, 'stream-copy')
  const source = await probe(new URL('video/s.mkv', samples).pathname)
  assert.deepEqual(listCodecs(await probe(path)), listCodecs(source))
})

for (const [path, to, codec] of [
  ['audio/s.wav', 'mp3', 'mp3'],
  ['audio/s.flac', 'ogg', 'vorbis'],
  ['video/s.mp4', 'mp3', 'mp3'],
] as const) {
  test(`the sample ${path} is converted to ${to} of the same duration`, { skip }, async () => {
    const source = await probe(new URL(path, samples).pathname)
    const result = await probe((await sample(path, to)).path)
    assert.deepEqual(listCodecs(result), [codec])
    assertSameLength(result, source)
  })
}
