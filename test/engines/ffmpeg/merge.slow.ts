// Run by `npm run test:slow`: tests merging and compressing video and audio.

import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { runFfprobe } from '../support/inspect-result.ts'
import { convert, fixture, type Run, type RunSettings, removeRuns } from '../support/run-engine.ts'

async function summarizeResult(run: Run) {
  const { streams, format } = await runFfprobe(run.path)
  const video = streams.find((stream) => stream.codec_type === 'video')
  return {
    codecs: streams.map((stream) => stream.codec_name),
    size: [video?.width, video?.height],
    seconds: Math.round((format.duration ?? 0) * 10) / 10,
  }
}

describe('merging media files', () => {
  after(removeRuns)
  const merge = (names: readonly string[], to: FormatId, options?: RunSettings['options']) => {
    const [firstPath = '', ...morePaths] = names.map(fixture)
    return convert(ffmpeg, firstPath, to, { operation: 'merge', more: morePaths, ...defined({ options }) })
  }

  test('merging videos with the same format copies them without encoding', async () => {
    for (const [name, to, codecs] of [
      ['video.mp4', 'mp4', ['h264', 'aac']],
      ['video.mp4', 'mkv', ['h264', 'aac']],
      ['video.webm', 'webm', ['vp9', 'opus']],
    ] as const) {
      const run = await merge([name, name, name], to)
      assert.equal(run.result.method, 'stream-copy', to)
      const shape = await summarizeResult(run)
      assert.deepEqual(shape.codecs, codecs)
      assert.ok(Math.abs(shape.seconds - 3) <= 0.2, `${to}: ${shape.seconds} s`)
    }
  })

  test('merging different videos encodes them as H.264 and AAC in the frame size of the first video', async () => {
    const rotatedVideo = await convert(ffmpeg, fixture('video.mp4'), 'mp4', {
      options: { rotate: 90, resolution: '240p', fps: 5 },
    })
    const run = await convert(ffmpeg, fixture('video.mp4'), 'mp4', {
      operation: 'merge',
      more: [rotatedVideo.path],
    })
    assert.equal(run.result.method, 'encode')
    const { codecs, size, seconds } = await summarizeResult(run)
    assert.deepEqual({ codecs, size }, { codecs: ['h264', 'aac'], size: [64, 48] })
    assert.ok(Math.abs(seconds - 2) <= 0.2, `${seconds} s`)
  })

  test('merging videos with the same format encodes them if requested or if the target requires it', async () => {
    assert.equal((await merge(['video.mp4', 'video.mp4'], 'mp4', { mode: 'encode' })).result.method, 'encode')
    assert.deepEqual((await summarizeResult(await merge(['video.mp4', 'video.mp4'], 'webm'))).codecs, [
      'vp9',
      'opus',
    ])
  })

  test('merging videos adds silence to a video without audio', async () => {
    const [mute, video] = [fixture('alpha.webm'), fixture('video.webm')]
    const run = await convert(ffmpeg, mute, 'mp4', { operation: 'merge', more: [video] })
    assert.deepEqual((await summarizeResult(run)).codecs, ['h264', 'aac'])
  })

  test('merging audio files inserts the requested silence between them', async () => {
    const plainSummary = await summarizeResult(await merge(['tone.mp3', 'tone.mp3', 'tone.mp3'], 'wav'))
    const summaryWithGaps = await summarizeResult(
      await merge(['tone.mp3', 'tone.mp3', 'tone.mp3'], 'wav', { gap: '1.5' }),
    )
    assert.equal(Math.round((summaryWithGaps.seconds - plainSummary.seconds) * 10) / 10, 3)
  })

  test('audio files can be merged to MP3, FLAC, M4A and Opus', async () => {
    for (const to of ['mp3', 'flac', 'm4a', 'opus'] as const) {
      const { seconds } = await summarizeResult(await merge(['tone.wav', 'tone.wav'], to))
      assert.ok(seconds > 1, `${to}: ${seconds} s`)
    }
  })

  test('merging audio accepts 2 to 50 files and refuses a gap below 0 or above 10 seconds', () => {
    const row = ffmpeg.capabilities.find(
      (capability) => capability.operation === 'merge' && capability.to.includes('mp3'),
    )
    for (const gap of [-1, 11, 'long']) assert.equal(row?.options.safeParse({ gap }).success, false)
    assert.deepEqual([row?.more?.min, row?.more?.max], [1, 49])
  })

  test('merging videos refuses a file without a video track', async () => {
    const moreInputs = [fixture('tone.m4a')]
    const runningMerge = convert(ffmpeg, fixture('video.mp4'), 'mp4', {
      operation: 'merge',
      more: moreInputs,
    })
    await assertRefused(runningMerge, 'UNSUPPORTED_CONVERSION')
  })
})

describe('video and audio compression', () => {
  after(removeRuns)
  const compress = (path: string, format: FormatId, options: RunSettings['options'] = {}) =>
    convert(ffmpeg, path, format, { operation: 'compress', options })
  const readSize = async (run: Run) => (await stat(run.path)).size
  const convertToLargeFile = (to: FormatId) =>
    convert(ffmpeg, fixture('video.mp4'), to, { options: { resolution: '480p', crf: 1 } })

  test('compression makes a video smaller, and even smaller with a lower quality', async () => {
    const source = await convertToLargeFile('mp4')
    const [low, high] = [
      await readSize(await compress(source.path, 'mp4', { quality: 'low' })),
      await readSize(await compress(source.path, 'mp4', { quality: 'high' })),
    ]
    assert.ok(low < high && high < (await readSize(source)), `${low}, ${high}, ${await readSize(source)}`)
  })

  test('compression meets a target size for video and audio', async () => {
    const video = await compress((await convertToLargeFile('mp4')).path, 'mp4', { targetSize: '20k' })
    assert.ok((await readSize(video)) <= 20_000, `the video has ${await readSize(video)} bytes`)
    assert.ok((await summarizeResult(video)).seconds > 0.9, 'the video is as long as before')
    const mp3Run = await convert(ffmpeg, fixture('surround.flac'), 'mp3', {
      options: { audioBitrate: '320k' },
    })
    const audio = await compress(mp3Run.path, 'mp3', { targetSize: 10_000 })
    assert.ok((await readSize(audio)) <= 10_000, `the audio has ${await readSize(audio)} bytes`)
  })

  test('compression of Vorbis audio meets a target size that requires a lower sample rate', async () => {
    const moreInputs = Array.from({ length: 11 }, () => fixture('tone.ogg'))
    const longAudioRun = await convert(ffmpeg, fixture('tone.ogg'), 'ogg', {
      operation: 'merge',
      more: moreInputs,
    })
    const compressedRun = await compress(longAudioRun.path, 'ogg', { targetSize: 14_000 })
    assert.deepEqual(compressedRun.warnings, [])
    assert.ok(
      (await readSize(compressedRun)) <= 14_000,
      `the audio has ${await readSize(compressedRun)} bytes`,
    )
    assert.ok((await summarizeResult(compressedRun)).seconds > 11, 'it is as long as before')
  })

  test('compression returns the original file with a warning if the result would be larger', async () => {
    for (const [name, format] of [
      ['video.mp4', 'mp4'],
      ['tone.mp3', 'mp3'],
    ] as const) {
      const run = await compress(fixture(name), format, { targetSize: '50M' })
      assert.deepEqual(run.warnings, ['NOT_SMALLER'])
      assert.equal(await readSize(run), (await stat(fixture(name))).size)
    }
  })

  test('compression is refused if the target size is too small for the duration, and the error names the required size', async () => {
    const longVideoRun = await convert(ffmpeg, (await convertToLargeFile('mp4')).path, 'mp4', {
      operation: 'merge',
      more: Array.from({ length: 7 }, () => fixture('video.mp4')),
    })
    const { details } = await assertRefused(
      compress(longVideoRun.path, 'mp4', { targetSize: 10_000 }),
      'CONVERSION_FAILED',
    )
    const minBytes = Number(details?.least)
    assert.ok(minBytes > 10_000, `it says that ${minBytes} bytes are possible`)
    const compressedBytes = await readSize(await compress(longVideoRun.path, 'mp4', { targetSize: minBytes }))
    assert.ok(compressedBytes <= minBytes, `${compressedBytes} of ${minBytes} bytes`)
  })

  test('compression is not offered for lossless formats', () => {
    const rows = ffmpeg.capabilities.filter((capability) => capability.operation === 'compress')
    const formats = rows.flatMap((row) => row.from)
    assert.ok(formats.includes('webm') && formats.includes('ogg'), `offered for ${formats}`)
    assert.deepEqual(
      formats.filter((id) => ['wav', 'flac', 'y4m', 'pcm'].includes(id)),
      [],
    )
  })
})
