import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { getRotation, hasAlpha, probe } from '../../../lib/engines/ffmpeg/probe.ts'
import { readHeader } from '../../../lib/engines/ffmpeg/read-header.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import { type FormatId, formatByExtension } from '../../../lib/formats/index.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { probeStreams, readStdout, runFfprobe } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const folder = scratchFolder('header')
const getPath = (name: string) => join(folder, name)
const runFfmpeg = (...args: string[]) => readStdout('ffmpeg', '-v', 'error', '-y', ...args)

function getFormat(path: string): FormatId {
  const format = formatByExtension(path)?.id
  assert.ok(format, path)
  return format
}

/** Returns the properties of a media file that a stream copy depends on. */
async function describeFile(path: string, source: 'header' | 'ffprobe') {
  const tools = createTools({
    workDir: scratchFolder('probe'),
    signal: new AbortController().signal,
    limits: ffmpeg.limits,
  })
  // In the sandbox, ffprobe sees only the work folder.
  const copiedPath = join(tools.workDir, `source.${getFormat(path)}`)
  await writeFile(copiedPath, await readFile(path))
  const media =
    source === 'ffprobe'
      ? await probe(copiedPath, getFormat(path), tools)
      : (await readHeader(copiedPath, getFormat(path)))?.media
  assert.ok(media, path)
  const { video, audio, subtitles, chapters } = media
  return {
    chapters,
    durationS: Math.round(media.durationS ?? 0),
    video: video && [video.index, video.codec_name, hasAlpha(video), Math.abs(getRotation(video))],
    audio: audio.map(({ index, codec_name }) => [index, codec_name]),
    subtitles: subtitles.map(({ index, codec_name }) => [index, codec_name]),
  }
}

const chapters = [';FFMETADATA1', '[CHAPTER]', 'TIMEBASE=1/1000', 'START=0', 'END=500', 'title=Anfang', '']
await writeFile(getPath('chapters.txt'), chapters.join('\n'))
const chapterArgs = [
  '-i',
  fixture('video.mp4'),
  '-i',
  getPath('chapters.txt'),
  '-map_chapters',
  '1',
  '-c',
  'copy',
]

describe('headers of media files', () => {
  test('the header parser returns the same information about a media file as ffprobe', async () => {
    await runFfmpeg('-i', fixture('video.mp4'), '-c:v', 'copy', '-c:a', 'libmp3lame', getPath('layer3.mp4'))
    await runFfmpeg('-i', fixture('video.mp4'), '-c:v', 'copy', '-c:a', 'ac3', getPath('dolby.mkv'))
    await runFfmpeg('-i', fixture('video.webm'), '-c', 'copy', getPath('vp9.mp4'))
    await runFfmpeg(...chapterArgs, getPath('chapters.mkv'))
    await runFfmpeg(
      '-i',
      fixture('turned.mov'),
      '-c',
      'copy',
      '-timecode',
      '01:02:03:04',
      getPath('timed.mov'),
    )
    for (const path of [
      ...['video.mp4', 'video.webm', 'tracks.mkv', 'alpha.webm', 'tone.m4a'].map(fixture),
      ...['video.mov', 'turned.mov'].map(fixture),
      ...['mkv', 'mp4', 'm4v', 'webm'].map((format) => fixture(`subtitled.${format}`)),
      ...[getPath('layer3.mp4'), getPath('dolby.mkv'), getPath('vp9.mp4'), getPath('timed.mov')],
      getPath('chapters.mkv'),
    ]) {
      assert.deepEqual(await describeFile(path, 'header'), await describeFile(path, 'ffprobe'), path)
      assert.equal((await readHeader(path, getFormat(path)))?.mayBeIncomplete, false, path)
    }
  })

  test('the header of an MP4 with chapters or a cover, or of an MKV with an attachment, is marked as incomplete', async () => {
    const chapters = [
      ';FFMETADATA1',
      '[CHAPTER]',
      'TIMEBASE=1/1000',
      'START=0',
      'END=500',
      'title=Anfang',
      '',
    ]
    await writeFile(getPath('chapters.txt'), chapters.join('\n'))
    const videoInput = ['-i', fixture('video.mp4')]
    const chapterArgs = [
      ...videoInput,
      '-i',
      getPath('chapters.txt'),
      '-map',
      '0',
      '-map_chapters',
      '1',
      '-c',
      'copy',
    ]
    const coveredArgs = [...videoInput, '-i', fixture('corners.jpg'), '-map', '0', '-map', '1', '-c', 'copy']
    await runFfmpeg(...chapterArgs, getPath('chapters.mp4'))
    await runFfmpeg(...coveredArgs, '-disposition:v:1', 'attached_pic', getPath('cover.mp4'))
    const attachmentArgs = ['-attach', fixture('corners.jpg'), '-metadata:s:t', 'mimetype=image/jpeg']
    await runFfmpeg(...videoInput, ...attachmentArgs, '-c', 'copy', getPath('cover.mkv'))
    for (const name of ['chapters.mp4', 'cover.mp4', 'cover.mkv'])
      assert.equal((await readHeader(getPath(name), getFormat(name)))?.mayBeIncomplete, true, name)
    const run = await convert(ffmpeg, getPath('cover.mkv'), 'mp4')
    assert.deepEqual(run.commands, ['ffprobe', 'ffmpeg'])
    assert.equal((await probeStreams(run, 'video')).length, 2)
  })

  test('a damaged header of a media file is ignored without an error', async () => {
    let seed = 1
    const nextRandom = (maxOffset: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % maxOffset
    }
    for (const name of ['tracks.mkv', 'video.mp4']) {
      const wholeFile = await readFile(fixture(name))
      const path = getPath(`damaged-${name}`)
      for (let round = 0; round < 400; round++) {
        const bytes = Buffer.from(
          wholeFile.subarray(0, round % 2 === 0 ? wholeFile.length : nextRandom(wholeFile.length)),
        )
        // Changes bytes near the beginning, where most headers are.
        for (let at = 0; at < 5 && bytes.length > 0; at++)
          bytes[nextRandom(Math.min(bytes.length, 1500))] = nextRandom(256)
        await writeFile(path, bytes)
        await readHeader(path, getFormat(name))
      }
      await writeFile(path, wholeFile.subarray(0, 60))
      assert.equal(await readHeader(path, getFormat(name)), undefined)
    }
  })
})

describe('conversions with and without ffprobe', () => {
  after(removeRuns)
  const listCommands = async (name: string, to: FormatId) =>
    (await convert(ffmpeg, fixture(name), to)).commands

  test('copying a video to another container starts ffmpeg but not ffprobe, unless the file lacks its duration', async () => {
    assert.deepEqual(await listCommands('video.webm', 'mp4'), ['ffmpeg'])
    assert.deepEqual(await listCommands('tracks.mkv', 'mp4'), ['ffmpeg'])
    assert.deepEqual(await listCommands('video.mp4', 'mkv'), ['ffmpeg'])
    assert.deepEqual(await listCommands('turned.mov', 'mp4'), ['ffmpeg'])
    const livePath = getPath('live.webm')
    await runFfmpeg('-i', fixture('video.webm'), '-c', 'copy', '-live', '1', '-f', 'webm', livePath)
    assert.equal((await runFfprobe(livePath)).format.duration, undefined)
    assert.deepEqual((await convert(ffmpeg, livePath, 'mp4')).commands, ['ffprobe', 'ffmpeg', 'ffmpeg'])
  })

  test('converting a truncated MKV to MP4 is refused with CORRUPT_FILE', async () => {
    const wholeFile = await readFile(fixture('subtitled.mkv'))
    await writeFile(getPath('broken.mkv'), wholeFile.subarray(0, wholeFile.length * 0.4))
    assert.equal((await readHeader(getPath('broken.mkv'), 'mkv'))?.mayBeIncomplete, false)
    await assertRefused(convert(ffmpeg, getPath('broken.mkv'), 'mp4'), 'CORRUPT_FILE')
  })

  test('encoding starts ffprobe and ffmpeg, and probes the result if the duration that ffmpeg reports is not trusted', async () => {
    assert.deepEqual(await listCommands('tone.wav', 'mp3'), ['ffprobe', 'ffmpeg'])
    assert.deepEqual(await listCommands('video.mp4', 'webm'), ['ffprobe', 'ffmpeg'])
    // The WavPack muxer reports eight times the duration, so its statistics are not trusted.
    assert.deepEqual(await listCommands('tone.wav', 'wv'), ['ffprobe', 'ffmpeg', 'ffprobe'])
  })

  test('the result of ffmpeg is probed if streams are copied to a format whose header cannot be parsed', async () => {
    assert.deepEqual(await listCommands('tone.mp3', 'mp3'), ['ffprobe', 'ffmpeg', 'ffprobe'])
  })
})
