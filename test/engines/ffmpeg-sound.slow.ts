// Run by `npm run test:slow`: what is kept of sounds.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { codecs, output, streams } from './judge.ts'
import { convert, fixture, removeRuns } from './run-engine.ts'

describe('sound', () => {
  after(removeRuns)

  test('of six channels keeps them where the codec can and is mixed down where it cannot', async () => {
    for (const [to, channels] of [
      ['opus', 6],
      ['ac3', 6],
      ['aac', 6],
      ['wav', 6],
      ['mp3', 2],
      ['amr', 1],
    ] as const) {
      const [stream] = await streams(await convert(ffmpeg, fixture('surround.flac'), to), 'audio')
      assert.equal(stream?.channels, channels, to)
    }
  })

  test('keeps its title and its cover where the target holds one', async () => {
    for (const to of ['mp3', 'm4a', 'flac'] as const) {
      const run = await convert(ffmpeg, fixture('cover.mp3'), to, { options: { quality: 'low' } })
      assert.equal((await streams(run, 'video')).length, 1, to)
      assert.match(
        await output('ffprobe', '-v', 'error', '-show_entries', 'format_tags', run.path),
        /=Grüße/,
        to,
      )
    }
    assert.deepEqual(await codecs(await convert(ffmpeg, fixture('cover.mp3'), 'wav')), ['pcm_s16le'])
  })

  test('is copied into its own format, and encoded when a bit rate is asked for', async () => {
    assert.equal((await convert(ffmpeg, fixture('tone.mp3'), 'mp3')).result.method, 'stream-copy')
    const run = await convert(ffmpeg, fixture('tone.mp3'), 'mp3', { options: { audioBitrate: '64k' } })
    assert.equal(run.result.method, 'encode')
  })

  test('without loss is the same samples', async () => {
    const samples = (path: string) =>
      output('ffmpeg', '-v', 'error', '-i', path, '-f', 'md5', '-c:a', 'pcm_s16le', '-')
    const source = await samples(fixture('tone.wav'))
    for (const to of ['flac', 'alac', 'wv', 'tta', 'aiff', 'au', 'caf', 'w64'] as const) {
      assert.equal(await samples((await convert(ffmpeg, fixture('tone.wav'), to)).path), source, to)
    }
  })
})
