// Tests the tags, chapters and covers of merged files.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert } from '../support/run-engine.ts'
import { convertInChunks, convertWhole } from '../support/video-in-chunks.ts'

const folder = scratchFolder('merged-texts')

const run = (bin: string, args: readonly string[]) =>
  execFileSync(bin, ['-v', 'error', ...args], { encoding: 'utf8' })

/** Creates half a second of audio with these tags, and with a chapter in its first half if the format supports it. */
function createMedia(
  name: string,
  texts: Readonly<Record<string, string>>,
  extraArgs: readonly string[] = [],
): string {
  const path = join(folder, name)
  const list = `${path}.txt`
  const lines = Object.entries(texts).map(([key, text]) => `${key}=${text.replaceAll(/[=;#\\]/g, '\\$&')}`)
  const chapter = ['[CHAPTER]', 'TIMEBASE=1/1000', 'START=0', 'END=250', `title=In ${name}`]
  writeFileSync(list, [';FFMETADATA1', ...lines, ...(/mp3|mp4/.test(name) ? chapter : []), ''].join('\n'))
  const source = ['-f', 'lavfi', '-i', 'sine=d=0.5', ...extraArgs, '-f', 'ffmetadata', '-i', list]
  const inputs = source.filter((arg) => arg === '-i').length
  const mapArgs = Array.from({ length: inputs - 1 }, (_, at) => ['-map', String(at)]).flat()
  run('ffmpeg', ['-y', ...source, ...mapArgs, '-map_metadata', String(inputs - 1), path])
  return path
}

function readTags(path: string) {
  const show = ['-show_format', '-show_streams', '-show_chapters', '-of', 'json', path]
  const { format, streams, chapters } = JSON.parse(run('ffprobe', show))
  const tags = { ...streams[0].tags, ...format.tags }
  return {
    texts: Object.fromEntries(Object.entries(tags).map(([key, text]) => [key.toLowerCase(), text])),
    marks: chapters.map((mark: { start_time: string; tags: { title: string } }) => [
      Number(mark.start_time).toFixed(1),
      mark.tags.title,
    ]),
    covers: streams.filter(
      (stream: { disposition: { attached_pic: number } }) => stream.disposition.attached_pic,
    ).length,
  }
}

const albumTags = { artist: 'Ann; #1 = \\best', album: 'Birds' }

test('merged audio keeps the tags that all files share, and a warning lists the other tags', async () => {
  for (const [name, to] of [
    ['mp3', 'mp3'],
    ['ogg', 'ogg'],
    ['flac', 'opus'],
    ['mp3', 'm4a'],
  ] as const) {
    const firstMedia = createMedia(`one.${name}`, { ...albumTags, title: 'Kingfisher', track: '1' })
    const secondMedia = createMedia(`two.${name}`, { ...albumTags, title: 'Heron', date: '2001' })
    const {
      path,
      warnings,
      messages: sentences,
    } = await convert(ffmpeg, firstMedia, to, { operation: 'merge', more: [secondMedia] })
    const { texts, marks: chapters } = readTags(path)
    assert.deepEqual(
      [texts['artist'], texts['album'], texts['title']],
      [albumTags.artist, 'Birds', undefined],
      to,
    )
    assert.deepEqual(warnings, ['METADATA_DROPPED'], to)
    assert.match(sentences.join(), /: title, date, track\.$/)
    const expectedTags =
      name === 'mp3'
        ? [
            ['0.0', 'In one.mp3'],
            ['0.5', 'In two.mp3'],
          ]
        : []
    assert.deepEqual(
      chapters.map(([at, title]: string[]) => [Number(at).toFixed(1), title]),
      expectedTags,
      to,
    )
  }
})

test('MP3 files merged to MP3 keep their cover, and merged to WAV cause a warning about the dropped cover', async () => {
  const cover = ['-f', 'lavfi', '-i', 'color=red:s=16x16:d=0.04']
  const mp3 = createMedia('covered.mp3', albumTags, cover)
  const mergedRun = await convert(ffmpeg, mp3, 'mp3', { operation: 'merge', more: [mp3] })
  assert.deepEqual([readTags(mergedRun.path).covers, mergedRun.warnings], [1, []])
  const wav = await convert(ffmpeg, mp3, 'wav', { operation: 'merge', more: [mp3] })
  assert.deepEqual(wav.warnings, ['CHAPTERS_DROPPED', 'COVER_DROPPED'])
})

test('merged videos keep shared tags and all chapters, whether they are copied or re-encoded', async () => {
  const videoArgs = ['-f', 'lavfi', '-i', 'color=red:s=64x48:r=10:d=0.5']
  const firstMedia = createMedia('first.mp4', { ...albumTags, title: 'One' }, videoArgs)
  const secondMedia = createMedia('second.mp4', { ...albumTags, title: 'Two' }, videoArgs)
  for (const mode of ['copy', 'encode'] as const) {
    const options = mode === 'encode' ? { mode } : {}
    const { path, result } = await convert(ffmpeg, firstMedia, 'mp4', {
      operation: 'merge',
      more: [secondMedia],
      options,
    })
    assert.equal(result.method, mode === 'encode' ? 'encode' : 'stream-copy')
    const { texts, marks: chapters } = readTags(path)
    assert.deepEqual([texts['artist'], texts['title']], [albumTags.artist, undefined], mode)
    assert.deepEqual(
      chapters.map(([, title]: string[]) => title),
      ['In first.mp4', 'In second.mp4'],
      mode,
    )
  }
})

test('merging files without tags and chapters probes each file only once', async () => {
  const [firstMedia, secondMedia] = [createMedia('plain.wav', {}), createMedia('other.wav', {})]
  const { commands, warnings } = await convert(ffmpeg, firstMedia, 'wav', {
    operation: 'merge',
    more: [secondMedia],
  })
  assert.equal(commands.filter((program) => program === 'ffprobe').length, 2, 'each file is probed once')
  assert.deepEqual(warnings, [])
})

/** Creates a video without audio, with tags and one chapter. */
function createSilentVideo(name: string, title: string, seconds = 1): string {
  const videoArgs = ['-f', 'lavfi', '-i', `testsrc=s=64x48:r=10:d=${seconds}`]
  const list = join(folder, `${name}.txt`)
  const chapter = ['[CHAPTER]', 'TIMEBASE=1/1000', 'START=200', 'END=900', `title=In ${name}`]
  writeFileSync(list, [';FFMETADATA1', `title=${title}`, 'artist=Ann', ...chapter, ''].join('\n'))
  const path = join(folder, name)
  const texts = ['-f', 'ffmetadata', '-i', list, '-map_metadata', '1']
  run('ffmpeg', ['-y', ...videoArgs, ...texts, '-c:v', 'libx264', '-g', '10', path])
  return path
}

test('videos without audio keep shared tags and chapters when they are merged in chunks', async () => {
  const videos = [createSilentVideo('one.mkv', 'First'), createSilentVideo('two.mkv', 'Second')]
  const merge = { operation: 'merge', from: 'mkv', to: 'mkv', options: { mode: 'encode' } } as const
  const wholeVideo = await convertWhole(videos, merge)
  const { result, chunkCount } = await convertInChunks(videos, merge, { workers: 1, timeoutS: 0.0001 })
  assert.equal(chunkCount, 2)
  const { texts, marks: chapters } = readTags(result.path)
  assert.deepEqual([texts['artist'], texts['title']], ['Ann', undefined])
  assert.deepEqual(chapters, [
    ['0.2', 'In one.mkv'],
    ['1.2', 'In two.mkv'],
  ])
  assert.deepEqual(chapters, readTags(wholeVideo.path).marks)
  assert.deepEqual([result.warnings, wholeVideo.warnings], [['METADATA_DROPPED'], ['METADATA_DROPPED']])
})

test('a video without audio keeps its tags and chapters when it is encoded in chunks', async () => {
  const mergeRequest = { from: 'mkv', to: 'mp4', options: { mode: 'encode' } } as const
  const video = createSilentVideo('long.mkv', 'Long', 14)
  const { result, chunkCount } = await convertInChunks([video], mergeRequest, {
    workers: 1,
    timeoutS: 0.0001,
  })
  assert.ok(chunkCount > 1)
  const { texts, marks: chapters } = readTags(result.path)
  assert.deepEqual([texts['artist'], texts['title'], chapters.length], ['Ann', 'Long', 1])
  assert.deepEqual(chapters, readTags((await convertWhole([video], mergeRequest)).path).marks)
})
