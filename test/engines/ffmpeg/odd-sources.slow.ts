// Run by `npm run test:slow`: tests that the results of unusual sources are playable. Without precautions, ffmpeg would
// convert these sources to unplayable files without reporting an error.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout, runFfprobe } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'

const folder = scratchFolder('odd-sources')

/** Decodes a file with ffmpeg, and fails at the first packet that cannot be decoded. */
const decodeAll = (path: string) =>
  readStdout('ffmpeg', '-v', 'error', '-xerror', '-i', path, '-f', 'null', '-')

test('8-bit audio is playable after conversion to MLP or TrueHD', async () => {
  const noise = 'anoisesrc=d=1:c=pink:r=48000:seed=7'
  const source = join(folder, 'noise.wav')
  await readStdout('ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', noise, '-ac', '2', '-c:a', 'pcm_u8', source)
  for (const to of ['mlp', 'thd'] as const) await decodeAll((await convert(ffmpeg, source, to)).path)
})

test('audio with a low sample rate is converted to MPEG layer II at a supported bit rate', async () => {
  const source = join(folder, 'low.wav')
  await readStdout('ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'sine=r=22050:d=1', '-ac', '2', source)
  const { path } = await convert(ffmpeg, source, 'mp2')
  assert.equal((await runFfprobe(path)).streams[0]?.bit_rate, '160000')
  const { path: lowQualityPath } = await convert(ffmpeg, source, 'mp2', { options: { quality: 33 } })
  assert.equal((await runFfprobe(lowQualityPath)).streams[0]?.bit_rate, '128000')
})

test('an animated PNG, which has no frame rate, can be converted to formats that require one', async () => {
  for (const to of ['swf', 'rm', 'obu', 'avi'] as const) {
    const { path } = await convert(ffmpeg, fixture('animated.apng'), to)
    await decodeAll(path)
    const rate = String((await runFfprobe(path)).streams[0]?.avg_frame_rate)
    const [numerator = 0, denominator = 1] = rate.split('/').map(Number)
    assert.ok(numerator / denominator <= 60, `${to}: ${rate}`)
  }
})

test('an animation with one frame can be converted to video', async () => {
  const source = join(folder, 'still.apng')
  await sharp(fixture('corners.png')).png().toFile(source)
  const { path } = await convert(ffmpeg, source, 'mp4')
  assert.equal((await runFfprobe(path)).streams[0]?.codec_name, 'h264')
  await decodeAll(path)
})

test('an animation with one frame can be converted to WebP and GIF', async () => {
  const source = join(folder, 'one.apng')
  await readStdout('ffmpeg', '-v', 'error', '-i', fixture('alpha.png'), '-f', 'apng', source)
  const { path } = await convert(ffmpeg, source, 'webp')
  const { width, height, hasAlpha } = await sharp(path).metadata()
  assert.deepEqual({ width, height, hasAlpha }, { width: 40, height: 30, hasAlpha: true })
  const gif = await convert(ffmpeg, source, 'gif')
  assert.equal((await sharp(gif.path).metadata()).width, 40)
})

test('a RealMedia video converted to RealMedia is playable', async () => {
  const source = (await convert(ffmpeg, fixture('video.mp4'), 'rm')).path
  await decodeAll((await convert(ffmpeg, source, 'rm')).path)
})

test('a video with a gap of two seconds between frames keeps its duration when it is encoded in two passes', async () => {
  const source = join(folder, 'still-for-a-while.webm')
  const videoInput = ['-f', 'lavfi', '-i', 'testsrc=d=4:r=25:s=160x120']
  const gap = ['-vf', "select='lt(t,1)+gt(t,3)'", '-vsync', 'vfr']
  await readStdout('ffmpeg', '-v', 'error', ...videoInput, ...gap, '-c:v', 'libvpx', source)
  const { path } = await convert(ffmpeg, source, 'h264', { options: { twoPass: true, videoBitrate: '200k' } })
  const { streams } = await runFfprobe(path)
  assert.equal(Number(streams[0]?.nb_read_packets), 100)
})
