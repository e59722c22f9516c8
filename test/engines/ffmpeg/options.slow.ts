// Run by `npm run test:slow`: tests every option for video and audio.
import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { probeStreams, readImageSize, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, type Run, removeRuns } from '../support/run-engine.ts'

describe('video options', () => {
  after(removeRuns)
  const readSize = async (to: FormatId, options: Record<string, unknown>, source = 'video.mp4') => {
    const [stream] = await probeStreams(await convert(ffmpeg, fixture(source), to, { options }), 'video')
    return [stream?.width, stream?.height]
  }

  const assertRate = (stream: Readonly<Record<string, unknown>> | undefined, expectedRate: number) => {
    const rate = Number(stream?.['bit_rate'])
    assert.ok(Math.abs(rate - expectedRate) < 0.2 * expectedRate, `${rate} bit/s instead of ${expectedRate}`)
  }

  test('the resolution option of a video sets the shorter side or a box and keeps the aspect ratio', async () => {
    assert.deepEqual(await readSize('mp4', { resolution: '240P' }), [320, 240])
    assert.deepEqual(await readSize('mp4', { resolution: '32x32' }), [32, 24])
    assert.deepEqual(await readSize('mp4', { resolution: '240p' }, 'turned.mov'), [240, 320])
  })

  test('the rotate option rotates a video', async () => {
    assert.deepEqual(await readSize('mp4', { rotate: '90' }), [48, 64])
    assert.deepEqual(await readSize('mp4', { rotate: 180 }), [64, 48])
  })

  test('video options set the frame rate, and the bit rate and sample rate of the audio', async () => {
    const options = { fps: '5', audioBitrate: '64k', audioSampleRate: 22050 }
    const run = await convert(ffmpeg, fixture('video.mp4'), 'mp4', { options })
    const [video] = await probeStreams(run, 'video')
    const [audio] = await probeStreams(run, 'audio')
    assert.equal(video?.nb_read_packets, 5)
    assert.equal(audio?.sample_rate, '22050')
    assertRate(audio, 64_000)
  })

  test('a video encoded in two passes has about the requested bit rate, and a higher one than in one pass', async () => {
    const encodeVideo = async (videoBitrate: string, twoPass: string) => {
      const options = { fps: 5, resolution: '480p', videoBitrate, twoPass }
      const run = await convert(ffmpeg, fixture('video.mp4'), 'mp4', { options })
      assert.ok(run.progress.length > 2, `progress was reported ${run.progress.length} times`)
      return (await probeStreams(run, 'video'))[0]
    }
    const twoPassVideo = await encodeVideo('300k', 'true')
    assertRate(await encodeVideo('100k', 'true'), 100_000)
    assertRate(twoPassVideo, 300_000)
    const [one, two] = [await encodeVideo('300k', 'false'), twoPassVideo].map((stream) =>
      Number(stream?.['bit_rate']),
    )
    assert.ok(Number(one) < Number(two), `${one} in one pass, ${two} in two`)
  })

  test('a higher value of the quality option gives a larger video file', async () => {
    const readBytes = async (options: Record<string, unknown>) =>
      (await stat((await convert(ffmpeg, fixture('video.mp4'), 'mp4', { options })).path)).size
    for (const [worseOptions, betterOptions] of [
      [{ quality: 'low' }, { quality: 'highest' }],
      [{ quality: 10 }, { quality: 95 }],
      [{ crf: 45 }, { crf: 15 }],
    ] as const) {
      const [smallBytes, largeBytes] = [await readBytes(worseOptions), await readBytes(betterOptions)]
      assert.ok(
        smallBytes < largeBytes,
        `${JSON.stringify(worseOptions)} ${smallBytes}, ${JSON.stringify(betterOptions)} ${largeBytes} bytes`,
      )
    }
  })

  test('the codec option of a video accepts codec and encoder names, with the fastest and slowest preset', async () => {
    const requestedTimes = [
      ['mp4', 'av1', 'av1'],
      ['mp4', 'mpeg4', 'mpeg4'],
      ['webm', 'vp8', 'vp8'],
      ['webm', 'libsvtav1', 'av1'],
      ['mov', 'prores', 'prores'],
      ['mkv', 'theora', 'theora'],
      ['avi', 'xvid', 'mpeg4'],
    ] as const
    for (const [to, codec, name] of requestedTimes) {
      for (const preset of ['ultrafast', 'veryslow']) {
        const run = await convert(ffmpeg, fixture('video.mp4'), to, { options: { codec, preset } })
        assert.equal((await probeStreams(run, 'video'))[0]?.codec_name, name, `${codec} ${preset}`)
      }
    }
  })

  test('a video option that the codec does not support causes a warning', async () => {
    const { warnings } = await convert(ffmpeg, fixture('video.mp4'), 'mov', {
      options: { codec: 'prores', crf: 20, preset: 'fast' },
    })
    assert.deepEqual(warnings, ['OPTION_NOT_USED', 'OPTION_NOT_USED'])
  })

  test('lossless audio formats have no option for the audio bit rate', () => {
    for (const [to, present] of [
      ['flac', false],
      ['wav', false],
      ['mp3', true],
    ] as const) {
      const { options } =
        ffmpeg.capabilities.find((capability) => capability.to.includes(to)) ?? assert.fail()
      assert.equal('audioBitrate' in options.shape, present, to)
    }
  })

  test('converting a video with an invalid option value is refused', () => {
    const { options } = ffmpeg.capabilities.find(({ to }) => to.includes('mp4')) ?? assert.fail()
    const wrongValues = [
      { codec: 'vp8' },
      { codec: 'h264,scale=1' },
      { preset: 'placebo' },
      { crf: 64 },
      { crf: '-1' },
      { videoBitrate: '1' },
      { videoBitrate: '5 -f null' },
      { resolution: '99999x2' },
      { resolution: '1080p[in]' },
      { fps: 0 },
      { fps: 61 },
      { rotate: 45 },
      { audioSampleRate: 1 },
      { twoPass: 'perhaps' },
    ]
    for (const givenValue of wrongValues)
      assert.equal(options.safeParse(givenValue).success, false, JSON.stringify(givenValue))
  })
})

describe('GIFs from videos', () => {
  after(removeRuns)
  const convertToGif = (options: Record<string, unknown>) =>
    convert(ffmpeg, fixture('video.mp4'), 'gif', { options })
  const readFrames = async (run: Run) => (await probeStreams(run, 'video'))[0]?.nb_read_packets

  test('a GIF made from a video has the requested width, frame rate and range', async () => {
    const run = await convertToGif({ width: 32, fps: 10, start: '00:00:00.2', end: '0.7' })
    assert.deepEqual(await readImageSize(run.path, 'gif'), { width: 32, height: 24 })
    assert.equal(await readFrames(run), 5)
  })

  test('a GIF made from a video ends with the last frame before the requested end', async () => {
    // The gray level of each frame is twice its number.
    const source = join(scratchFolder('numbered'), 'numbered.mkv')
    const grayFilter = "geq=r='2*N':g='2*N':b='2*N'"
    const generatedSource = `color=black:s=64x48:r=25:d=4,format=rgb24,${grayFilter}`
    await readStdout(
      'ffmpeg',
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      generatedSource,
      '-c:v',
      'libx264rgb',
      '-qp',
      '0',
      source,
    )
    const options = { start: 1, end: 3, palette: 'full', dither: 'none' }
    const { path } = await convert(ffmpeg, source, 'gif', { options })
    const { pages, delay } = await sharp(path).metadata()
    assert.equal(pages, 20)
    assert.equal(
      delay?.reduce((sum, ms) => sum + ms),
      2000,
    )
    const lastGray = (await sharp(path, { page: 19 }).raw().toBuffer())[0] ?? 0
    assert.ok(Math.abs(lastGray / 2 - 72) <= 1, `frame ${lastGray / 2} instead of 72`)
  })

  test('a GIF made from a video can play forward and backward', async () => {
    assert.equal(await readFrames(await convertToGif({ boomerang: 'true' })), 19)
  })

  test('a GIF made from a video repeats the requested number of times', async () => {
    const readLoopCount = async (loop: number) => {
      const bytes = await readFile((await convertToGif({ loop })).path)
      const at = bytes.indexOf('NETSCAPE2.0')
      return at < 0 ? undefined : bytes.readUInt16LE(at + 13)
    }
    assert.deepEqual(
      [await readLoopCount(0), await readLoopCount(1), await readLoopCount(3)],
      [0, undefined, 2],
    )
  })

  test('a GIF made from a video supports every dither method and palette', async () => {
    for (const palette of ['optimized', 'full']) {
      for (const dither of ['none', 'floyd_steinberg', 'bayer:bayer_scale=5', 'sierra2']) {
        assert.equal(await readFrames(await convertToGif({ dither, palette })), 10, `${dither} ${palette}`)
      }
    }
  })

  test('a GIF made from a video fits into the requested file size', async () => {
    const wholeBytes = (await stat((await convertToGif({ width: 400 })).path)).size
    const maxFileSize = Math.ceil(wholeBytes / 2)
    const run = await convertToGif({ width: 400, maxFileSize })
    const { size } = await stat(run.path)
    assert.ok(size <= maxFileSize, `${size} bytes instead of ${maxFileSize}`)
  })

  test('making a GIF from an empty range of a video is refused', async () => {
    for (const options of [{ start: 5 }, { start: 0.5, end: 0.2 }]) {
      await assertRefused(convertToGif(options), 'INVALID_INPUT', undefined, JSON.stringify(options))
    }
  })

  test('making a GIF from a video with an invalid option value is refused', () => {
    const { options } = ffmpeg.capabilities.find(({ to }) => to.includes('gif')) ?? assert.fail()
    for (const givenValue of [
      { fps: 4 },
      { fps: 31 },
      { dither: 'bayer:bayer_scale=1,x' },
      { start: '1:2:3:4' },
      { start: 'now' },
      { loop: -1 },
      { maxFileSize: '1' },
    ]) {
      assert.equal(options.safeParse(givenValue).success, false, JSON.stringify(givenValue))
    }
  })
})
