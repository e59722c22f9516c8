import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Container } from '../../lib/engines/ffmpeg/containers.ts'
import { recipeFor } from '../../lib/engines/ffmpeg/plan.ts'
import { mediaOf } from '../../lib/engines/ffmpeg/probe.ts'
import { silence } from '../../lib/engines/ffmpeg/sound.ts'
import { audioContainers } from '../../lib/engines/ffmpeg/sound-containers.ts'
import { videoContainers } from '../../lib/engines/ffmpeg/video-containers.ts'

/** What ffmpeg is told about a film of two streams, which is encoded whole. */
function told(to: string, options: object, picture: object = {}, sound: object = {}) {
  const containers: Readonly<Record<string, Container>> = { ...videoContainers, ...audioContainers }
  const container = containers[to]
  assert.ok(container, to)
  const media = mediaOf({
    streams: [
      {
        ...{ index: 0, codec_type: 'video', codec_name: 'h264', width: 640, height: 480, pix_fmt: 'yuv420p' },
        ...{ avg_frame_rate: '25/1', r_frame_rate: '25/1', ...picture },
      },
      {
        ...{ index: 1, codec_type: 'audio', codec_name: 'aac', channels: 2, channel_layout: 'stereo' },
        sample_rate: '48000',
        ...sound,
      },
    ],
    format: { duration: '2', bit_rate: '800000' },
  } as unknown as Parameters<typeof mediaOf>[0]) // as ffprobe writes numbers
  const { output } = recipeFor({
    ...{ media, from: 'mkv', to, container, mayCopy: true, keepSubtitles: true },
    options: { mode: 'encode', ...options },
  } as unknown as Parameters<typeof recipeFor>[0]) // the format is one of the table's
  return output
}

/** The value behind a flag. */
const after = (args: readonly string[], flag: string) =>
  args.includes(flag) ? args[args.indexOf(flag) + 1] : '-'

/** By the manuals of the encoders: what the flag is, its worst value and its best. */
const scales: [to: string, codec: string, flag: string, worst: number, best: number][] = [
  ['mp4', 'h264', '-crf', 51, 0],
  ['mp4', 'h265', '-crf', 51, 0],
  ['mp4', 'vp9', '-crf', 63, 0],
  ['mkv', 'vp8', '-crf', 63, 0],
  ['mp4', 'av1', '-crf', 63, 0],
  ['mp4', 'mpeg4', '-q:v', 31, 1],
  ['mkv', 'mpeg2', '-q:v', 31, 1],
  ['ogv', 'theora', '-q:v', 0, 10],
  ['mjpeg', 'mjpeg', '-q:v', 31, 1],
]

describe('the quality of a film', () => {
  for (const [to, codec, flag, worst, best] of scales)
    test(`in ${codec} is a ${flag} from ${worst} to ${best}, better with each word`, () => {
      const level = (options: object) => Number(after(told(to, { codec, ...options }), flag))
      const words = ['low', 'medium', 'high', 'highest'].map((quality) => level({ quality }))
      const sign = Math.sign(best - worst)
      for (const [at, one] of words.entries()) {
        const before = words[at - 1] ?? worst
        assert.ok(sign * (one - before) > 0 && sign * (best - one) >= 0, `${words}`)
      }
      assert.equal(level({}), words[2], 'high where nobody says anything')
      assert.equal(level({ crf: 63 }), worst)
      assert.equal(level({ crf: 0 }), best)
      // One per cent may be a step of the scale away from its end.
      assert.ok(Math.abs(level({ quality: 1 }) - worst) <= 1)
      assert.ok(sign * (level({ quality: 90 }) - level({ quality: 50 })) > 0)
    })

  test('is left out where the codec has none', () => {
    for (const flag of ['-crf', '-q:v']) assert.equal(after(told('mj2', { quality: 'low' }), flag), '-')
  })
})

test('a preset is the nearest that the encoder has', () => {
  const speeds: [to: string, codec: string, flag: string, values: string][] = [
    ['mp4', 'h264', '-preset', 'ultrafast fast veryslow'],
    ['mp4', 'h265', '-preset', 'ultrafast fast veryslow'],
    ['mp4', 'vp9', '-cpu-used', '5 3 1'],
    ['mkv', 'vp8', '-cpu-used', '5 3 1'],
    ['mp4', 'av1', '-preset', '12 8 4'],
    ['mp4', 'mpeg4', '-preset', '- - -'],
  ]
  for (const [to, codec, flag, values] of speeds) {
    const of = (preset: string) => after(told(to, { codec, preset }), flag)
    assert.equal(['ultrafast', 'fast', 'veryslow'].map(of).join(' '), values, codec)
  }
})

test('Opus of more than two channels is told in which order they are, one of two is not', () => {
  const order = (sound: object) => after(told('opus', {}, {}, sound), '-mapping_family:a:0')
  assert.equal(order({ channels: 6, channel_layout: '5.1' }), '1')
  assert.equal(order({}), '-')
})

test('the quality of a sound is bits for each pair of channels, up to what its codec takes', () => {
  const bits = (to: string, options: object) => Number(after(told(to, options), '-b:a:0')) / 1000
  for (const [to, low, high, highest] of [
    ['mp3', 96, 192, 320],
    ['aac', 96, 192, 256],
    ['ogg', 96, 160, 192],
    ['opus', 64, 128, 192],
    ['wma', 96, 160, 192],
    ['ac3', 128, 192, 320],
  ] as const) {
    const seen = ['low', 'high', 'highest'].map((quality) => bits(to, { quality }))
    assert.deepEqual(seen, [low, high, highest], to)
    assert.equal(bits(to, {}), high, to)
    assert.equal(bits(to, { quality: 100 }), highest, to)
  }
  assert.deepEqual([bits('mp3', { quality: 1 }), bits('mp3', { quality: 50 })], [34.88, 176])
  assert.equal(bits('mp3', { quality: 'high', channels: 1 }), 96)
  assert.equal(
    bits('ogg', { quality: 'highest', audioSampleRate: 8000 }),
    32,
    'no more than the rate can use',
  )
  assert.equal(after(told('flac', { quality: 'low' }), '-b:a:0'), '-')
  assert.equal(bits('mp4', { quality: 'low' }), 192, 'of a film it is that of the picture')
})

test('what is transparent lies over the color that is asked for, black where the codec has no transparency', () => {
  const clear = { codec_name: 'vp9', pix_fmt: 'yuva420p', tags: { alpha_mode: '1' } }
  const filter = (background?: string) =>
    after(told('mp4', { ...(background !== undefined && { background }) }, clear), '-filter:v:0')
  assert.match(String(filter()), /^format=gbrap,premultiply=inplace=1,format=gbrp,scale=/)
  assert.equal(filter('#000000'), filter())
  assert.match(
    String(filter('#ff8800')),
    /^format=gbrap,split.*lutrgb=r=255:g=136:b=0:a=255.*overlay=format=gbrp,format=gbrp,scale=/,
  )
  assert.doesNotMatch(String(after(told('mp4', {}), '-filter:v:0')), /gbr/)
})

test('silence is an input of its own, of one channel', () => {
  assert.equal(after(silence, '-f'), 'lavfi')
  assert.match(String(after(silence, '-i')), /^anullsrc=.*cl=mono$/)
})
