// Tests for each format with writable metadata, used by metadata.test.ts and metadata.slow.ts.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { type FormatId, formatByExtension, formatById } from '../../../lib/formats/index.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert, fixture, type RunSettings } from './run-engine.ts'

const folder = scratchFolder('metadata')
export const pathInFolder = (name: string) => join(folder, name)

export async function runTool(bin: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(bin, args)).stdout
}

/** Returns exiftool's output: `Group:Tag` to value. */
export async function readTags(path: string): Promise<Record<string, unknown>> {
  const [tags] = JSON.parse(await runTool('exiftool', '-j', '-G1', '-a', path)) as [Record<string, unknown>]
  return tags
}

export const engineFor = (operation: 'metadata' | 'metadata/write', from: FormatId, to: FormatId) =>
  planRoute({ from, to, operation }).steps[0].engine === 'ffmpeg' ? ffmpeg : pdf

export const formatOfFile = (path: string) => formatByExtension(path)?.id ?? assert.fail(path)

export function writeMetadata(path: string, options: Record<string, unknown>, settings: RunSettings = {}) {
  const id = formatOfFile(path)
  return convert(engineFor('metadata/write', id, id), path, id, {
    operation: 'metadata/write',
    options,
    ...settings,
  })
}

/** Creates a copy of a fixture with many metadata tags. */
export async function createTaggedCopy(name: string, ...args: string[]): Promise<string> {
  const path = pathInFolder(`${args.length}-${name}`)
  writeFileSync(path, readFileSync(fixture(name)))
  await runTool('exiftool', '-m', '-q', '-overwrite_original', ...args, path)
  return path
}

export const sampleTags = [
  '-GPSLatitude=52.5',
  '-GPSLatitudeRef=N',
  '-GPSLongitude=13.25',
  '-GPSLongitudeRef=W',
  '-IFD0:Make=Canon',
  '-IFD0:ImageDescription=a secret',
  '-XMP-photoshop:City=Berlin',
]

export const texts = {
  title: '<=/etc/passwd',
  author: 'Jörg Ærø',
  subject: 'About $Title @x',
  description: '-o /tmp/hack #[CSTR]\\n',
  keywords: 'one, two words',
  copyright: '© 2026 日本',
  creationDate: '2020-01-02T03:04:05Z',
}

export async function hashPixels(path: string): Promise<string> {
  const decodedPath = path.endsWith('.heic') ? path.replace(/heic$/, 'decoded.png') : path
  if (decodedPath !== path) await runTool('heif-convert', path, decodedPath)
  const image = sharp(decodedPath, { animated: true, failOn: 'none' })
  const { icc, orientation, pages } = await image.metadata()
  const hash = createHash('sha256').update(await image.raw().toBuffer())
  return `${hash.update(icc ?? '').digest('hex')} ${orientation ?? 1} ${pages}`
}

export async function testImageMetadata(name: string): Promise<void> {
  const source = name.endsWith('.webp') ? fixture(name) : await createTaggedCopy(name, ...sampleTags)
  const { path, warnings } = await writeMetadata(source, texts)
  const tags = await readTags(path)
  assert.equal(tags['XMP-dc:Title'], texts.title)
  assert.equal(tags['XMP-dc:Creator'], texts.author)
  assert.equal(tags['IFD0:Artist'], texts.author)
  assert.equal(tags['IFD0:ImageDescription'], texts.description)
  assert.equal(tags['IFD0:XPSubject'], texts.subject)
  assert.deepEqual(tags['XMP-dc:Subject'], ['one', 'two words'])
  assert.equal(tags['IFD0:Copyright'], texts.copyright)
  assert.equal(tags['ExifIFD:DateTimeOriginal'], '2020:01:02 03:04:05')
  assert.deepEqual(warnings, [])
  const { path: bare } = await writeMetadata(path, { strip: true })
  const personalTagPattern = /GPS|Make|Title|Creat|Artist|Subject|Desc|City|Copy|Keyw|Original/
  const remainingKeys = Object.keys(await readTags(bare)).filter(
    (tag) => !/^(ICC|System)/.test(tag) && personalTagPattern.test(tag),
  )
  assert.deepEqual(remainingKeys, [])
  const pixelsBefore = await hashPixels(source)
  assert.equal(await hashPixels(path), pixelsBefore)
  assert.equal(await hashPixels(bare), pixelsBefore)
}

// Formats without a field for the subject; some of them have no field for keywords either.
const formatsWithoutField: readonly FormatId[] = ['m4a', 'mp4', 'mov']

export async function testMediaMetadata(id: FormatId): Promise<void> {
  const source = await getRecording(id)
  const { path, result, warnings } = await writeMetadata(source, texts)
  const tags = await readFfprobeTags(path)
  assert.equal(tags.title, texts.title)
  assert.equal(tags.artist, texts.author)
  assert.equal(tags.comment, texts.description)
  assert.equal(tags.copyright, texts.copyright)
  assert.match(tags.date ?? '', /^2020-01-02/)
  assert.equal(tags.genre, 'Old genre')
  assert.equal(result.method, 'stream-copy')
  assert.deepEqual(warnings, formatsWithoutField.includes(id) ? ['METADATA_NOT_KEPT'] : [])
  const { path: bare } = await writeMetadata(path, { strip: true })
  const remainingKeys = Object.keys(await readFfprobeTags(bare)).filter((key) =>
    /title|artist|genre|location|time|date|comm/.test(key),
  )
  assert.deepEqual(remainingKeys, [])
  assert.doesNotMatch(readFileSync(bare, 'latin1'), /Old genre|Old title|hack/)
  if (id === 'mkv') assert.equal((await readFfprobeTags(bare)).language, 'deu')
  for (const resultPath of [path, bare]) {
    assert.equal(await hashStreams(resultPath), await hashStreams(source))
    assert.equal(await hashDecodedAudio(resultPath), await hashDecodedAudio(source))
  }
}

const recordings = new Map<FormatId, Promise<string>>()

/** Returns a second of audio, and of video if the format has it, with existing tags; created on first use. */
export function getRecording(id: FormatId): Promise<string> {
  const recording = recordings.get(id) ?? record(id)
  recordings.set(id, recording)
  return recording
}

async function record(id: FormatId): Promise<string> {
  const path = pathInFolder(`recorded.${id}`)
  const isVideo = formatById(id).category === 'video'
  const videoInput = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:duration=1']
  const tags = ['title=Old title', 'genre=Old genre', 'location=+52.5+013.4/', 'artist=Old'].flatMap(
    (tag) => ['-metadata', tag],
  )
  const audioInput = ['-f', 'lavfi', '-i', 'sine=duration=1']
  const language = isVideo ? ['-metadata:s:a:0', 'language=deu'] : []
  await runTool(
    'ffmpeg',
    '-v',
    'error',
    ...(isVideo ? videoInput : []),
    ...audioInput,
    ...tags,
    ...language,
    path,
  )
  return path
}

const hashStreams = (path: string) =>
  runTool(
    'ffmpeg',
    '-v',
    'error',
    '-i',
    path,
    '-map',
    '0:V?',
    '-map',
    '0:a',
    '-c',
    'copy',
    '-f',
    'streamhash',
    '-',
  )
/** Returns a hash of the decoded audio, including its start. */
export const hashDecodedAudio = (path: string) =>
  runTool('ffmpeg', '-v', 'error', '-i', path, '-map', '0:a', '-f', 'md5', '-')

async function readFfprobeTags(path: string): Promise<Record<string, string>> {
  const output = await runTool(
    'ffprobe',
    '-v',
    'error',
    '-show_entries',
    'format_tags:stream_tags',
    '-of',
    'json',
    path,
  )
  const { format, streams } = JSON.parse(output) as {
    format: { tags?: object }
    streams: { tags?: object }[]
  }
  const allTags = [...streams, format].flatMap(({ tags = {} }) => Object.entries(tags))
  return Object.fromEntries(allTags.map(([key, value]) => [key.toLowerCase(), String(value)]))
}
