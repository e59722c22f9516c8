import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createEbookArgs, EbookOptions } from '../../../lib/engines/calibre/options.ts'
import { reduceSize } from '../../../lib/engines/ffmpeg/animation.ts'
import { audioContainers } from '../../../lib/engines/ffmpeg/audio-containers.ts'
import { chooseLayout } from '../../../lib/engines/ffmpeg/channel-layouts.ts'
import { buildRecipe } from '../../../lib/engines/ffmpeg/plan.ts'
import { parseProbe, type StreamInput } from '../../../lib/engines/ffmpeg/probe.ts'
import { videoContainers } from '../../../lib/engines/ffmpeg/video-containers.ts'
import { colorSpace } from '../../../lib/engines/shared/image/options.ts'
import { applyOptions } from '../../../lib/plan/options.ts'
import { parseInput } from '../../../lib/validation/parse-input.ts'
import { planRoute } from '../../plan/with-all-engines.ts'

const flac = { maxChannels: 8 }
const alac = { maxChannels: 8, layouts: ['mono', 'stereo', '3.0', '4.0', '5.0', '5.1'] } as const

describe('audio channels in media plans', () => {
  test('audio channels keep their layout if the codec supports it', () => {
    assert.deepEqual(chooseLayout({ count: 4, layout: '4.0' }, flac), { layout: '4.0', channels: 4 })
    assert.deepEqual(chooseLayout({ count: 3, layout: '2.1' }, flac), { layout: '2.1', channels: 3 })
  })

  test('audio channels in an unsupported layout get the smallest supported layout that has all of their speakers', () => {
    assert.deepEqual(chooseLayout({ count: 4, layout: 'quad' }, alac), { layout: '5.0', channels: 5 })
    assert.deepEqual(chooseLayout({ count: 6, layout: '5.1(side)' }, alac), { layout: '5.1', channels: 6 })
    assert.deepEqual(chooseLayout({ count: 3, layout: '2.1' }, alac), { layout: '5.1', channels: 6 })
  })

  test('audio channels without a layout get the default layout for their number', () => {
    assert.deepEqual(chooseLayout({ count: 4, layout: 'unknown' }, flac), {
      layout: 'quad',
      channels: 4,
      assumedLayout: 'quad',
    })
    assert.deepEqual(chooseLayout({ count: 2, layout: '' }, flac), { layout: 'stereo', channels: 2 })
  })

  test('audio channels are mixed to the requested or supported number', () => {
    assert.deepEqual(chooseLayout({ count: 6, layout: '5.1' }, flac, 2), { layout: 'stereo', channels: 2 })
    assert.deepEqual(chooseLayout({ count: 6, layout: '5.1' }, { maxChannels: 2 }), {
      layout: 'stereo',
      channels: 2,
    })
    assert.deepEqual(chooseLayout({ count: 1, layout: 'mono' }, { maxChannels: 2, layouts: ['stereo'] }), {
      layout: 'stereo',
      channels: 2,
    })
  })
})

const createVideoWithAudio = (audio: StreamInput) =>
  parseProbe({
    streams: [
      { index: 0, codec_type: 'video', codec_name: 'h264', width: 64, height: 48, pix_fmt: 'yuv420p' },
      {
        codec_type: 'audio',
        channels: 2,
        channel_layout: 'stereo',
        sample_rate: '48000',
        ...audio,
      },
    ],
    format: { duration: '2', bit_rate: '800000' },
  })

test('the playback duration of a video is that of its video and audio tracks, not of its subtitles', () => {
  const getPlaybackS = (video: object, subtitles: object) =>
    parseProbe({
      streams: [
        { index: 0, codec_type: 'video', codec_name: 'h264', ...video },
        { index: 1, codec_type: 'subtitle', codec_name: 'subrip', ...subtitles },
      ],
      format: { duration: '5', bit_rate: '800000' },
    }).playedS
  assert.equal(getPlaybackS({ duration: '1' }, { duration: '5' }), 1)
  assert.equal(getPlaybackS({ tags: { DURATION: '00:01:01.500000000' } }, {}), 61.5)
  assert.equal(getPlaybackS({}, {}), undefined)
})

test('a video without audio gets a silent track if its container requires audio', () => {
  const silentMedia = parseProbe({
    streams: [{ index: 0, codec_type: 'video', codec_name: 'h264', width: 64, height: 48 }],
    format: { duration: '2', bit_rate: '800000' },
  })
  const { output } = buildRecipe({
    media: silentMedia,
    from: 'mp4',
    to: 'dv',
    container: videoContainers.dv,
    options: { mode: 'auto' },
    mayCopy: true,
    keepSubtitles: true,
  })
  assert.match(output.join(' '), / -map 1:a -shortest -c:a:0 \w+/)
})

describe('codec=copy', () => {
  const createRecipe = (codec_name: string, options: object) =>
    buildRecipe({
      media: createVideoWithAudio({ index: 1, codec_name }),
      from: 'mkv',
      to: 'mp4',
      container: videoContainers.mp4,
      options: { mode: 'auto', ...options },
      mayCopy: true,
      keepSubtitles: true,
    })
  const listMessages = (codec_name: string, options: object) =>
    createRecipe(codec_name, options).warnings.map(({ message }) => message)

  test('codec=copy causes a warning if a stream cannot be copied', () => {
    assert.deepEqual(listMessages('aac', { audioCodec: 'copy', codec: 'copy' }), [])
    assert.match(
      listMessages('vorbis', { audioCodec: 'copy' }).join(),
      /^audioCodec=copy: the vorbis stream .* re-encoded as aac/,
    )
    assert.match(listMessages('aac', { audioCodec: 'copy', volume: 2 }).join(), /^audioCodec=copy/)
    assert.match(listMessages('aac', { codec: 'copy', fps: 5 }).join(), /^codec=copy: the h264 stream/)
  })
})

test('a two-pass encoding without a bit rate warns that the quality option is ignored', () => {
  const listWarnings = (options: object) =>
    buildRecipe({
      media: createVideoWithAudio({ index: 1, codec_name: 'aac' }),
      from: 'mkv',
      to: 'mp4',
      container: videoContainers.mp4,
      options: { mode: 'auto', twoPass: true, ...options },
      mayCopy: true,
      keepSubtitles: true,
    }).warnings.map(({ code, message }) => `${code} ${message.split(':')[0]}`)
  assert.deepEqual(listWarnings({ crf: 20 }), ['OPTION_IGNORED crf was ignored'])
  assert.deepEqual(listWarnings({ quality: 'low' }), ['OPTION_IGNORED quality was ignored'])
  assert.deepEqual(listWarnings({}), [])
  assert.deepEqual(listWarnings({ crf: 20, videoBitrate: 900_000 }), [])
  assert.deepEqual(listWarnings({ crf: 20, codec: 'h265' }), [
    'OPTION_NOT_USED twoPass was ignored because the codec does not support it.',
  ])
})

describe('audio with many channels', () => {
  test('more audio channels than the format supports cause a warning, unless fewer were requested', () => {
    const listMessages = (to: 'mp3' | 'flac', options: object) =>
      buildRecipe({
        media: createVideoWithAudio({ index: 1, codec_name: 'ac3', channels: 6, channel_layout: '5.1' }),
        from: 'mkv',
        to,
        container: audioContainers[to],
        options: { mode: 'auto', ...options },
        mayCopy: true,
        keepSubtitles: true,
      }).warnings.filter(({ code }) => code === 'CHANNELS_MIXED')
    assert.deepEqual(listMessages('mp3', {}), [
      {
        code: 'CHANNELS_MIXED',
        message: 'The 6 channels were mixed down to 2: the format does not support more.',
      },
    ])
    assert.deepEqual(listMessages('mp3', { channels: 1 }), [])
    assert.deepEqual(listMessages('flac', {}), [])
  })
})

test('audio keeps its bits per sample if the format supports them, and a rounding warning names both bit depths', () => {
  const getEncoderAndWarning = (audio: StreamInput, to: 'wav' | 'flac' | 'aiff' | 'caf') => {
    const { output, warnings } = buildRecipe({
      media: createVideoWithAudio(audio),
      from: 'mkv',
      to,
      container: audioContainers[to],
      options: { mode: 'auto', channels: 1 },
      mayCopy: true,
      keepSubtitles: true,
    })
    const roundingMessage = warnings.find(({ code }) => code === 'SAMPLES_ROUNDED')?.message
    return [output[output.findIndex((flag) => flag.startsWith('-c:a')) + 1], roundingMessage]
  }
  const createPcmStream = (kind: string, bits: number) => ({
    index: 1,
    codec_name: `pcm_${kind}`,
    bits_per_sample: bits,
  })
  assert.deepEqual(getEncoderAndWarning(createPcmStream('s16le', 16), 'wav'), ['pcm_s16le', undefined])
  assert.deepEqual(
    getEncoderAndWarning({ ...createPcmStream('s24le', 24), bits_per_raw_sample: 20 }, 'wav'),
    ['pcm_s24le', undefined],
  )
  assert.deepEqual(getEncoderAndWarning(createPcmStream('s32le', 32), 'wav'), ['pcm_s32le', undefined])
  assert.deepEqual(getEncoderAndWarning(createPcmStream('f32le', 32), 'wav'), ['pcm_f32le', undefined])
  assert.deepEqual(getEncoderAndWarning(createPcmStream('f64le', 64), 'wav'), ['pcm_f64le', undefined])
  const messages = 'The 32-bit samples were rounded to 24 bits: the format does not support more.'
  assert.deepEqual(getEncoderAndWarning(createPcmStream('s32le', 32), 'flac'), ['flac', messages])
})

describe('GIF size limits', () => {
  test('a GIF that exceeds its size limit gets a lower frame rate before smaller dimensions', () => {
    assert.deepEqual(reduceSize({ width: 400, fps: 20 }, 0.5), { width: 400, fps: 9 })
    assert.deepEqual(reduceSize({ width: 400, fps: 10 }, 0.9), { width: 400, fps: 8 })
    const smallestSize = reduceSize({ width: 400, fps: 20 }, 0.05)
    assert.ok(smallestSize.fps === 5 && smallestSize.width < 200, JSON.stringify(smallestSize))
    const reducedSlowAnimation = reduceSize({ width: 400, fps: 5 }, 0.9)
    assert.ok(
      reducedSlowAnimation.fps === 5 && reducedSlowAnimation.width < 400,
      JSON.stringify(reducedSlowAnimation),
    )
  })
})

describe('option values of other services', () => {
  const route = planRoute({ from: 'webm', to: 'mp4' })

  test('an unknown value of the video mode option is ignored with a warning', () => {
    const { steps, warnings } = applyOptions(route, { mode: 'bogus', crf: '20' })
    assert.deepEqual(
      warnings.map(({ code, field }) => [code, field]),
      [['OPTION_NOT_USED', 'mode']],
    )
    assert.match(
      warnings[0]?.message ?? '',
      /^mode: "bogus" has no effect here and was ignored\. auto \(or remux/,
    )
    assert.equal(steps[0]?.options['mode'], 'auto')
    assert.deepEqual(applyOptions(route, { mode: 'remux-if-possible' }).warnings, [])
  })

  test('an unknown value of the video preset option is refused', () => {
    assert.throws(() => applyOptions(route, { preset: 'bogus' }), { code: 'INVALID_INPUT' })
  })

  test('color space names that other services use are accepted', () => {
    const names = ['grayscale', 'Greyscale', 'gray', 'Adobe RGB', 'adobe_rgb', 'adobe-rgb', 'sRGB']
    assert.deepEqual(
      names.map((name) => colorSpace.parse(name)),
      ['gray', 'gray', 'gray', 'adobe-rgb', 'adobe-rgb', 'adobe-rgb', 'srgb'],
    )
  })
})

describe('ebook margins', () => {
  const getArgs = (ebookMargin: unknown) => createEbookArgs(EbookOptions.parse({ ebookMargin }), 'epub')

  test('the ebookMargin option sets all sides at once, the four sides in order, or single sides by name', () => {
    assert.equal(getArgs('7').length, 4)
    for (const inOrder of ['1,2,3,4', '1/2/3/4', '1 / 2 / 3 / 4'])
      assert.deepEqual(getArgs(inOrder), [
        '--margin-top=1',
        '--margin-bottom=2',
        '--margin-left=3',
        '--margin-right=4',
      ])
    assert.deepEqual(getArgs('top=1/left=3'), ['--margin-top=1', '--margin-left=3'])
    for (const sides of [
      'top=10, left=20.5',
      'Top:10;left:20.5',
      '{"top":10,"left":20.5}',
      { top: 10, left: 20.5 },
    ])
      assert.deepEqual(getArgs(sides), ['--margin-top=10', '--margin-left=20.5'], JSON.stringify(sides))
  })

  test('invalid ebook margins are refused, and the error lists the accepted notations', () => {
    for (const ebookMargin of ['1,2', '1/2', 'wide', 'top=wide', '201', 'up=3'])
      assert.throws(
        () => parseInput(EbookOptions, { ebookMargin }, 'options'),
        {
          code: 'INVALID_INPUT',
          message:
            /^ebookMargin: expected pt from 0 to 200: one number .* by side such as "top=10,left=20", got /,
        },
        JSON.stringify(ebookMargin),
      )
  })
})
