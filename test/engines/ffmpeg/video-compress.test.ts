import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { probeStreams, readStdout, runFfprobe } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

describe('compressed videos and audio', () => {
  const folder = scratchFolder('video-compress')
  const video = `${folder}/source.mp4`
  before(async () => {
    const sources = ['testsrc2=s=320x240:r=25:d=2', 'anoisesrc=seed=7:d=2:a=0.3:r=48000']
    const inputs = sources.flatMap((source) => ['-f', 'lavfi', '-i', source])
    const encodeArgs = [
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-crf',
      '10',
      '-c:a',
      'aac',
      '-b:a',
      '256k',
    ]
    await readStdout('ffmpeg', '-v', 'error', ...inputs, ...encodeArgs, '-ac', '2', video)
  })
  after(removeRuns)

  const compress = (options: Readonly<Record<string, unknown>>, source = video) =>
    convert(ffmpeg, source, 'mp4', { operation: 'compress', options })
  const readSize = async (path: string) => (await stat(path)).size

  test('a compressed video has lower bit rates for a lower quality, and keeps its dimensions and duration', async () => {
    const low = await compress({ quality: 'low' })
    const high = await compress({ quality: 'high' })
    assert.ok((await readSize(low.path)) < (await readSize(high.path)) * 0.8)
    assert.ok((await readSize(high.path)) < (await readSize(video)))
    const rates = await Promise.all(
      [low, high].map(async (run) => Number((await probeStreams(run, 'audio'))[0]?.bit_rate)),
    )
    for (const [at, expectedBitrate] of [64_000, 128_000].entries())
      assert.ok(Math.abs((rates[at] ?? 0) / expectedBitrate - 1) < 0.15, `${rates}`)
    const [stream] = await probeStreams(low, 'video')
    assert.deepEqual([stream?.codec_name, stream?.width, stream?.height], ['h264', 320, 240])
    assert.ok(Math.abs(Number((await runFfprobe(low.path)).format.duration) - 2) < 0.1)
    assert.deepEqual([low.warnings, low.result.method], [[], 'encode'])
  })

  test('a compressed video stays below the target size but uses most of it', async () => {
    const run = await compress({ targetSize: 60_000, resolution: '240p', fps: 20 })
    const size = await readSize(run.path)
    assert.ok(size <= 60_000 && size > 45_000, `${size} bytes`)
    const [video] = await probeStreams(run, 'video')
    assert.equal(video?.avg_frame_rate, '20/1')
  })

  test('compressed audio causes no warnings about the bit rate that its target size requires', async () => {
    const tone = `${folder}/tone.mp3`
    await readStdout('ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'sine=d=2', '-b:a', '320k', tone)
    const options = { targetSize: 30_000 }
    const run = await convert(ffmpeg, tone, 'mp3', { operation: 'compress', options })
    assert.deepEqual(run.warnings, [])
  })

  test('compressing a video that is already small enough leaves the video unchanged, with a warning', async () => {
    for (const [options, source] of [
      [{ targetSize: 10_000_000 }, fixture('video.mp4')],
      [{ targetSize: await readSize(video) }, video],
      [{ quality: 100 }, fixture('video.mp4')],
    ] as const) {
      const { path, warnings, result, progress } = await compress(options, source)
      assert.deepEqual(await readFile(path), await readFile(source))
      assert.deepEqual([warnings, result.method, progress.at(-1)], [['NOT_SMALLER'], 'stream-copy', 1])
    }
  })

  test('compressing a video to a size too small for its duration is refused, and the error names the required size', async () => {
    const longPath = `${folder}/long.mp4`
    await readStdout('ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=1:d=60', longPath)
    // The minimum video bit rate is 10,000 bits per second, and a quarter of the file is overhead.
    await assertRefused(
      compress({ targetSize: 10_000 }, longPath),
      'CONVERSION_FAILED',
      /^targetSize: 10000 bytes .* about 100000 are needed/,
    )
  })
})
