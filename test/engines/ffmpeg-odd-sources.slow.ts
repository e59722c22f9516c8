// Run by `npm run test:slow`: sources that ffmpeg takes in its stride, and makes something of that nobody can play.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { output, probed } from './judge.ts'
import { convert, fixture } from './run-engine.ts'

const folder = scratchFolder('odd-sources')

/** Fails at the first packet that cannot be decoded. */
const decodeAll = (path: string) => output('ffmpeg', '-v', 'error', '-xerror', '-i', path, '-f', 'null', '-')

test('sound of 8 bits can be heard after it became MLP or TrueHD', async () => {
  const noise = 'anoisesrc=d=1:c=pink:r=48000:seed=7'
  const source = join(folder, 'noise.wav')
  await output('ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', noise, '-ac', '2', '-c:a', 'pcm_u8', source)
  for (const to of ['mlp', 'thd'] as const) await decodeAll((await convert(ffmpeg, source, to)).path)
})

test('sound of a low sample rate becomes MPEG layer II, at a bit rate that it knows', async () => {
  const source = join(folder, 'low.wav')
  await output('ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'sine=r=22050:d=1', '-ac', '2', source)
  const { path } = await convert(ffmpeg, source, 'mp2')
  assert.equal((await probed(path)).streams[0]?.bit_rate, '160000')
  const { path: tuned } = await convert(ffmpeg, source, 'mp2', { options: { quality: 33 } })
  assert.equal((await probed(tuned)).streams[0]?.bit_rate, '128000')
})

test('an animated PNG, which tells no rate, becomes a film of formats that need one', async () => {
  for (const to of ['swf', 'rm', 'obu', 'avi'] as const) {
    const { path } = await convert(ffmpeg, fixture('animated.apng'), to)
    await decodeAll(path)
    const rate = String((await probed(path)).streams[0]?.avg_frame_rate)
    const [over = 0, under = 1] = rate.split('/').map(Number)
    assert.ok(over / under <= 60, `${to}: ${rate}`)
  }
})

test('an animation of one picture becomes a film of it', async () => {
  const source = join(folder, 'still.apng')
  await sharp(fixture('corners.png')).png().toFile(source)
  const { path } = await convert(ffmpeg, source, 'mp4')
  assert.equal((await probed(path)).streams[0]?.codec_name, 'h264')
  await decodeAll(path)
})

test('an animation of one picture becomes a WebP and a GIF of it', async () => {
  const source = join(folder, 'one.apng')
  await output('ffmpeg', '-v', 'error', '-i', fixture('alpha.png'), '-f', 'apng', source)
  const { path } = await convert(ffmpeg, source, 'webp')
  const { width, height, hasAlpha } = await sharp(path).metadata()
  assert.deepEqual({ width, height, hasAlpha }, { width: 40, height: 30, hasAlpha: true })
  const gif = await convert(ffmpeg, source, 'gif')
  assert.equal((await sharp(gif.path).metadata()).width, 40)
})

test('a RealMedia film made of another can still be seen', async () => {
  const source = (await convert(ffmpeg, fixture('film.mp4'), 'rm')).path
  await decodeAll((await convert(ffmpeg, source, 'rm')).path)
})

test('a film that stands still for a while lasts as long as before in two passes', async () => {
  const source = join(folder, 'still-for-a-while.webm')
  const pictures = ['-f', 'lavfi', '-i', 'testsrc=d=4:r=25:s=160x120']
  const gap = ['-vf', "select='lt(t,1)+gt(t,3)'", '-vsync', 'vfr']
  await output('ffmpeg', '-v', 'error', ...pictures, ...gap, '-c:v', 'libvpx', source)
  const { path } = await convert(ffmpeg, source, 'h264', { options: { twoPass: true, videoBitrate: '200k' } })
  const { streams } = await probed(path)
  assert.equal(Number(streams[0]?.nb_read_packets), 100)
})
