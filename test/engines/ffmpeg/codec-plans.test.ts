import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { audioCodecs } from '../../../lib/engines/ffmpeg/audio-codecs.ts'
import { audioContainers } from '../../../lib/engines/ffmpeg/audio-containers.ts'
import { silenceInput } from '../../../lib/engines/ffmpeg/audio-stream.ts'
import { codecAliases, findCodecIdByName, videoCodecs } from '../../../lib/engines/ffmpeg/codecs.ts'
import type { Container } from '../../../lib/engines/ffmpeg/containers.ts'
import { createAudioOptions, createVideoOptions } from '../../../lib/engines/ffmpeg/options.ts'
import { videoContainers } from '../../../lib/engines/ffmpeg/video-containers.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { argAfter, createRecipe } from '../support/ffmpeg-recipe.ts'

/** Returns ffmpeg's output arguments for a video with one audio track, both of which are encoded. */
const createEncodeArgs = (to: string, options: object, video: object = {}, audio: object = {}) =>
  createRecipe(to, { mode: 'encode', ...options }, { video, audio: [audio] }).output

/** The quality flag of each codec, with its worst and its best value from the manual of the encoder. */
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

describe('video quality', () => {
  for (const [to, codec, flag, worst, best] of scales)
    test(`each higher quality level of a video in ${codec} sets ${flag} further from ${worst} and closer to ${best}`, () => {
      const getLevel = (options: object) =>
        Number(argAfter(createEncodeArgs(to, { codec, ...options }), flag))
      const qualityLevels = ['low', 'medium', 'high', 'highest'].map((quality) => getLevel({ quality }))
      const sign = Math.sign(best - worst)
      for (const [at, one] of qualityLevels.entries()) {
        const previousLevel = qualityLevels[at - 1] ?? worst
        assert.ok(sign * (one - previousLevel) > 0 && sign * (best - one) >= 0, `${qualityLevels}`)
      }
      assert.equal(getLevel({}), qualityLevels[2], 'high is the default')
      assert.equal(getLevel({ crf: 63 }), worst)
      assert.equal(getLevel({ crf: 0 }), best)
      // A quality of 1 % may be one step away from the worst value.
      assert.ok(Math.abs(getLevel({ quality: 1 }) - worst) <= 1)
      assert.ok(sign * (getLevel({ quality: 90 }) - getLevel({ quality: 50 })) > 0)
    })

  test('a video gets no quality argument if the codec has no quality setting', () => {
    for (const flag of ['-crf', '-q:v'])
      assert.equal(argAfter(createEncodeArgs('mj2', { quality: 'low' }), flag), '-')
  })
})

test('options that a video codec does not support cause a warning', () => {
  const listMessages = (to: string, options: object) =>
    createRecipe(to, { mode: 'encode', ...options }, {}).warnings.flatMap(({ code, message }) =>
      code === 'OPTION_NOT_USED' ? message : [],
    )
  const describeIgnored = (option: string) => `${option} was ignored because the codec does not support it.`
  assert.deepEqual(listMessages('mov', { codec: 'prores', videoBitrate: 90_000 }), [
    describeIgnored('videoBitrate'),
  ])
  assert.deepEqual(listMessages('dv', { bitrate: 90_000, resolution: '360p' }), [
    describeIgnored('bitrate'),
    describeIgnored('resolution'),
  ])
  assert.deepEqual(listMessages('mpg', { fps: 12 }), [
    'fps is 23.976 instead of 12: the codec does not support the requested value.',
  ])
  assert.deepEqual(listMessages('mpg', { fps: 29.97 }), [])
  assert.deepEqual(listMessages('mp4', { fps: 12, videoBitrate: 90_000, resolution: '360p' }), [])
})

describe('video codecs', () => {
  /** For each codec, a format that supports it, and the encoder arguments expected for the default quality. */
  const allCases: readonly (readonly [to: string, codec: string, expectedArgs: string])[] = [
    ['mp4', 'h264', 'libx264 -preset medium -crf 22 -pix_fmt yuv420p'],
    ['mkv', 'h265', 'libx265 -preset medium -crf 26 -pix_fmt yuv420p -x265-params log-level=error:pools=2'],
    ['webm', 'vp9', 'libvpx-vp9 -deadline good -cpu-used 3 -crf 32 -b:v 0 -row-mt 1 -pix_fmt yuv420p'],
    ['webm', 'vp8', 'libvpx -deadline good -cpu-used 3 -crf 10 -b:v 20M -pix_fmt yuv420p'],
    ['webm', 'av1', 'libsvtav1 -preset 7 -crf 35 -pix_fmt yuv420p'],
    ['mkv', 'mpeg4', 'mpeg4 -q:v 4 -pix_fmt yuv420p'],
    ['xvid', 'xvid', 'libxvid -q:v 4 -pix_fmt yuv420p -tag:v:0 XVID'],
    ['mov', 'prores', 'prores_ks -profile:v 3 -pix_fmt yuv422p10le'],
    ['mpeg', 'mpeg2', 'mpeg2video -q:v 4 -pix_fmt yuv420p'],
    ['mpg', 'mpeg1', 'mpeg1video -q:v 4 -pix_fmt yuv420p'],
    ['wmv', 'wmv', 'wmv2 -q:v 4 -pix_fmt yuv420p'],
    ['flv', 'flv', 'flv -q:v 4 -pix_fmt yuv420p'],
    ['ogv', 'theora', 'libtheora -q:v 7 -pix_fmt yuv420p'],
    ['mjpeg', 'mjpeg', 'mjpeg -q:v 4 -pix_fmt yuvj420p'],
    ['mj2', 'jpeg2000', 'libopenjpeg -pix_fmt yuv420p'],
    ['rm', 'realvideo', 'rv20 -q:v 4 -pix_fmt yuv420p'],
    ['dv', 'dv', 'dvvideo -pix_fmt yuv420p'],
    ['amv', 'amv', 'amv -pix_fmt yuvj420p -strict -1'],
    ['y4m', 'raw', 'wrapped_avframe -pix_fmt yuv420p'],
  ]

  test('each video codec is passed to ffmpeg with the expected encoder arguments', () => {
    for (const [to, codec, expectedArgs] of allCases) {
      const output = createEncodeArgs(to, { codec, preset: 'medium' })
      const nextMapIndex = output.findIndex((flag, at) => at > 2 && /^-map/.test(flag))
      assert.equal(output.slice(output.indexOf('-c:v:0') + 1, nextMapIndex).join(' '), expectedArgs, codec)
    }
    assert.deepEqual(allCases.map(([, codec]) => codec).toSorted(), Object.keys(videoCodecs).toSorted())
  })

  test('a video codec is found by its ffprobe name', () => {
    const names = Object.entries(videoCodecs).map(([id, { name }]) => [id, name])
    const otherNames = names.filter(([id, name]) => id !== name).map(([id, name]) => `${id}:${name}`)
    assert.equal(
      otherNames.join(' '),
      'h265:hevc xvid:mpeg4 mpeg2:mpeg2video mpeg1:mpeg1video wmv:wmv2 flv:flv1 realvideo:rv20 dv:dvvideo raw:rawvideo',
    )
    assert.deepEqual(
      [findCodecIdByName('mpeg4'), findCodecIdByName('flv1'), findCodecIdByName('h265')],
      ['mpeg4', 'flv', undefined],
    )
  })

  test('a video is encoded in two passes only if the encoder supports it', () => {
    const supportingCodecs = allCases.flatMap(([to, codec]) =>
      createRecipe(to, { mode: 'encode', codec, twoPass: true }).twoPass ? [codec] : [],
    )
    assert.equal(supportingCodecs.join(' '), 'h264 vp9 vp8 mpeg4 mpeg2 mpeg1')
    assert.equal(createRecipe('mp4', { mode: 'encode' }).twoPass, false)
  })

  test('a video codec keeps transparency if it can, and causes a warning otherwise', () => {
    const transparent = { video: { codec_name: 'vp9', pix_fmt: 'yuva420p', tags: { alpha_mode: '1' } } }
    const supportingCodecs = allCases.flatMap(([to, codec]) => {
      const { output } = createRecipe(to, { mode: 'encode', codec }, transparent)
      return output.includes('yuva420p') && argAfter(output, '-auto-alt-ref') === '0' ? [codec] : []
    })
    assert.equal(supportingCodecs.join(' '), 'vp9 vp8')
    for (const [to, codec] of allCases) {
      const listCodes = (options: object) =>
        createRecipe(to, { codec, ...options }, transparent).warnings.map(({ code }) => code)
      assert.equal(
        listCodes({ mode: 'encode' }).includes('TRANSPARENCY_DROPPED'),
        !supportingCodecs.includes(codec),
        codec,
      )
      assert.ok(!listCodes({ mode: 'encode', background: '#ff0000' }).includes('TRANSPARENCY_DROPPED'), codec)
    }
  })

  test('a video codec can also be selected by the names of its encoders', () => {
    const videoContainer = {
      ...videoContainers.mkv,
      video: Object.keys(videoCodecs) as (keyof typeof videoCodecs)[],
    }
    const audioContainer = {
      ...audioContainers.mka,
      audio: Object.keys(audioCodecs) as (keyof typeof audioCodecs)[],
    }
    const videoAliases: Readonly<Record<string, string>> = {
      libx264: 'h264',
      avc: 'h264',
      libx265: 'h265',
      hevc: 'h265',
      'libvpx-vp9': 'vp9',
      libvpx: 'vp8',
      libsvtav1: 'av1',
      'libaom-av1': 'av1',
      libxvid: 'xvid',
      libtheora: 'theora',
    }
    const audioAliases: Readonly<Record<string, string>> = {
      libmp3lame: 'mp3',
      libopus: 'opus',
      libvorbis: 'vorbis',
      libspeex: 'speex',
      wmav2: 'wma',
      pcm_s16le: 'pcm',
    }
    for (const [name, id] of Object.entries(videoAliases))
      assert.deepEqual(
        createVideoOptions(videoContainer).parse({ codec: ` ${name.toUpperCase()} ` }).codec,
        id,
      )
    for (const [name, id] of Object.entries(audioAliases))
      assert.equal(createAudioOptions(audioContainer).parse({ audioCodec: name }).audioCodec, id)
    assert.equal(Object.keys(codecAliases).length, Object.keys({ ...videoAliases, ...audioAliases }).length)
  })
})

test('an encoding preset is mapped to the nearest setting of the encoder', () => {
  const presetCases: [to: string, codec: string, flag: string, values: string][] = [
    ['mp4', 'h264', '-preset', 'ultrafast fast veryslow'],
    ['mp4', 'h265', '-preset', 'ultrafast fast veryslow'],
    ['mp4', 'vp9', '-cpu-used', '5 3 1'],
    ['mkv', 'vp8', '-cpu-used', '5 3 1'],
    ['mp4', 'av1', '-preset', '12 8 4'],
    ['mp4', 'mpeg4', '-preset', '- - -'],
    ['mkv', 'theora', '-preset', '- - -'],
  ]
  for (const [to, codec, flag, values] of presetCases) {
    const getFlagValue = (preset: string) => argAfter(createEncodeArgs(to, { codec, preset }), flag)
    assert.equal(['ultrafast', 'fast', 'veryslow'].map(getFlagValue).join(' '), values, codec)
  }
})

test('the Opus encoder gets a channel mapping family only for more than two channels', () => {
  const getMappingFamily = (audio: object) =>
    argAfter(createEncodeArgs('opus', {}, {}, audio), '-mapping_family:a:0')
  assert.equal(getMappingFamily({ channels: 6, channel_layout: '5.1' }), '1')
  assert.equal(getMappingFamily({}), '-')
})

test('the audio quality option sets a bit rate per channel pair, up to the maximum of the codec', () => {
  const getKilobitsPerS = (to: string, options: object) =>
    Number(argAfter(createEncodeArgs(to, options), '-b:a:0')) / 1000
  for (const [to, low, high, highestBitrate] of [
    ['mp3', 96, 192, 320],
    ['aac', 96, 192, 256],
    ['ogg', 96, 160, 256],
    ['opus', 64, 128, 192],
    ['wma', 96, 160, 192],
    ['ac3', 128, 192, 320],
  ] as const) {
    const bitrates = ['low', 'high', 'highest'].map((quality) => getKilobitsPerS(to, { quality }))
    assert.deepEqual(bitrates, [low, high, highestBitrate], to)
    assert.equal(getKilobitsPerS(to, {}), high, to)
    assert.equal(getKilobitsPerS(to, { quality: 100 }), highestBitrate, to)
  }
  assert.deepEqual(
    [getKilobitsPerS('mp3', { quality: 1 }), getKilobitsPerS('mp3', { quality: 50 })],
    [32, 160],
  )
  assert.equal(getKilobitsPerS('mp3', { quality: 'high', channels: 1 }), 96)
  assert.equal(
    getKilobitsPerS('ogg', { quality: 'highest', audioSampleRate: 8000 }),
    64,
    'limited by the sample rate',
  )
  assert.equal(argAfter(createEncodeArgs('flac', { quality: 'low' }), '-b:a:0'), '-')
  assert.equal(
    getKilobitsPerS('mp4', { quality: 'low' }),
    192,
    'the quality of a video does not apply to its audio',
  )
})

test('in a codec without transparency, transparent parts of a video are drawn over black or the requested color', () => {
  const transparent = { codec_name: 'vp9', pix_fmt: 'yuva420p', tags: { alpha_mode: '1' } }
  const getVideoFilter = (background?: string) =>
    argAfter(createEncodeArgs('mp4', { ...defined({ background }) }, transparent), '-filter:v:0')
  assert.match(String(getVideoFilter()), /^format=gbrap,premultiply=inplace=1,format=gbrp,scale=/)
  assert.equal(getVideoFilter('#000000'), getVideoFilter())
  assert.match(
    String(getVideoFilter('#ff8800')),
    /^format=gbrap,split.*lutrgb=r=255:g=136:b=0:a=255.*overlay=format=gbrp,format=gbrp,scale=/,
  )
  assert.doesNotMatch(String(argAfter(createEncodeArgs('mp4', {}), '-filter:v:0')), /gbr/)
})

test('ffmpeg gets silence as a separate mono input', () => {
  assert.equal(argAfter(silenceInput, '-f'), 'lavfi')
  assert.match(String(argAfter(silenceInput, '-i')), /^anullsrc=.*cl=mono$/)
})

test('only formats whose streams may be copied have the option mode', () => {
  const hasMode = (container: Container) => {
    const create = container.video.length > 0 ? createVideoOptions : createAudioOptions
    return Object.hasOwn(create(container).shape, 'mode')
  }
  const { mp4, amv } = videoContainers
  const { mp3, flac, pcm } = audioContainers
  assert.deepEqual([mp4, amv, mp3, flac, pcm].map(hasMode), [true, false, true, true, false])
})
