import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createMergeLayoutFilters, createSingleTrackArgs } from '../../../lib/engines/ffmpeg/audio-stream.ts'
import { argAfter, containerFor, createMediaInfo, createRecipe } from '../support/ffmpeg-recipe.ts'

/** Returns ffmpeg's output arguments for these audio tracks, or for one default track if none is given. */
const createEncodeArgs = (to: string, options: object = {}, ...streams: object[]) =>
  createRecipe(to, { mode: 'encode', ...options }, { audio: streams.length > 0 ? streams : [{}] }).output

const listWarningCodes = (to: string, options: object, stream: object = {}) =>
  createRecipe(to, options, { audio: [stream] }).warnings.map(({ code }) => code)

const isCopied = (to: string, options: object = {}, stream: object = {}) =>
  argAfter(createRecipe(to, options, { audio: [stream] }).output, '-c:a:0') === 'copy'

describe('audio tracks', () => {
  test('an audio track is copied if the format supports it and no option requires encoding', () => {
    const copiedRecipe = createRecipe('m4a', {})
    assert.deepEqual(copiedRecipe.output.slice(0, 4), ['-map', '0:1', '-c:a:0', 'copy'])
    assert.deepEqual(
      [copiedRecipe.method, copiedRecipe.allEncoded, copiedRecipe.warnings],
      ['stream-copy', false, []],
    )
    const encodedRecipe = createRecipe('mp3', {})
    assert.deepEqual([encodedRecipe.method, encodedRecipe.allEncoded], ['encode', true])
    assert.equal(isCopied('mp3'), false)
    for (const options of [
      { audioBitrate: 64_000 },
      { audioSampleRate: 48_000 },
      { channels: 2 },
      { volume: 1 },
      { quality: 'high' },
      { audioCodec: 'alac' },
      { mode: 'encode' },
      { start: 0.5 },
    ])
      assert.equal(isCopied('m4a', options), false, JSON.stringify(options))
    for (const options of [{ audioCodec: 'aac' }, { audioCodec: 'copy' }, { start: 0 }, { end: 1 }])
      assert.equal(isCopied('m4a', options), true, JSON.stringify(options))
    assert.equal(isCopied('m4a', { start: 0.5, audioCodec: 'copy' }), true)
    assert.equal(
      isCopied('mp4', { quality: 'high' }),
      true,
      'the quality of a video does not apply to its audio',
    )
    const { output } = createRecipe('m4a', {}, {}, { mayCopy: false })
    assert.equal(argAfter(output, '-c:a:0'), 'aac')
  })

  test('an audio track is re-encoded if it has more channels than the format supports, and copied otherwise', () => {
    const pcm = { codec_name: 'pcm_s16le' }
    assert.equal(isCopied('voc', {}, pcm), true)
    const surround = { ...pcm, channels: 6, channel_layout: '5.1' }
    assert.equal(isCopied('voc', {}, surround), false)
    assert.equal(isCopied('wav', {}, surround), true)
    assert.match(argAfter(createEncodeArgs('voc', {}, surround), '-filter:a:0'), /layouts=stereo$/)
    assert.match(argAfter(createEncodeArgs('wav', {}, surround), '-filter:a:0'), /layouts=5.1$/)
  })

  test('each audio track has its own encoder arguments, and tracks that the format does not support cause a warning', () => {
    const output = createEncodeArgs('mp4', {}, {}, { channels: 1, channel_layout: 'mono' })
    assert.deepEqual(
      ['-c:a:0', '-c:a:1', '-ar:a:1', '-filter:a:1', '-b:a:1'].map((flag) => argAfter(output, flag)),
      ['aac', 'aac', '48000', 'aformat=channel_layouts=mono', '96000'],
    )
    const mapArgs = output.filter((_, at) => output[at - 1] === '-map')
    assert.deepEqual(mapArgs, ['0:0', '0:1', '0:2'])
    const recipeForOneTrack = createRecipe('flv', {}, { audio: [{}, {}] })
    assert.deepEqual(
      [recipeForOneTrack.requiredStreams, recipeForOneTrack.warnings],
      [
        { video: true, audio: 1 },
        [
          {
            code: 'AUDIO_TRACKS_DROPPED',
            message: '1 audio track was dropped: the format supports only one.',
          },
        ],
      ],
    )
    assert.match(
      createRecipe('h264', {}).warnings[0]?.message ?? '',
      /^1 audio track was .* supports no audio\.$/,
    )
  })

  test('an audio track that is re-encoded or mixed down despite audioCodec=copy, or loses precision, causes a warning', () => {
    const deepStream = { codec_name: 'pcm_s32le', bits_per_sample: 32, channels: 6, channel_layout: '5.1' }
    assert.deepEqual(listWarningCodes('mp3', { audioCodec: 'copy' }, deepStream), [
      'STREAM_ENCODED',
      'CHANNELS_MIXED',
    ])
    assert.deepEqual(listWarningCodes('flac', {}, deepStream), ['SAMPLES_ROUNDED'])
    assert.deepEqual(listWarningCodes('mp3', { channels: 2 }, deepStream), [])
    assert.deepEqual(createRecipe('mp3', {}, { audio: [{ channels: 0 }] }).requiredStreams.audio, 0)
    const warningsForTwoTracks = createRecipe(
      'mp4',
      { audioCodec: 'copy' },
      { audio: [deepStream, deepStream] },
    ).warnings
    assert.deepEqual(
      warningsForTwoTracks.map(({ code }) => code),
      ['STREAM_ENCODED'],
    )
    assert.equal(
      warningsForTwoTracks[0]?.message,
      'audioCodec=copy: the pcm_s32le stream cannot be copied because of its format or other options, and was re-encoded as aac.',
    )
  })

  test('an audio track causes a warning if a bit rate is requested for a codec without bit rates', () => {
    assert.deepEqual(listWarningCodes('flac', { mode: 'encode', audioBitrate: 64_000 }), ['OPTION_NOT_USED'])
    assert.deepEqual(listWarningCodes('flac', { mode: 'encode' }), [])
    assert.deepEqual(listWarningCodes('mp3', { audioBitrate: 64_000 }), [])
    assert.deepEqual(listWarningCodes('caf', { quality: 'low' }), ['OPTION_NOT_USED'])
    assert.deepEqual(listWarningCodes('caf', { quality: 'low', audioCodec: 'aac' }), [])
  })

  test('an audio track causes a warning if its codec does not support the requested sample rate or channel count', () => {
    const messages = createRecipe('amr', { audioSampleRate: 44_100, channels: 2 }).warnings.map(
      ({ message }) => message,
    )
    assert.deepEqual(messages, [
      'audioSampleRate is 8000 instead of 44100: the codec does not support the requested value.',
      'channels is 1 instead of 2: the codec does not support the requested value.',
    ])
    assert.deepEqual(listWarningCodes('mp3', { audioSampleRate: 44_100, channels: 2 }), [])
    assert.deepEqual(listWarningCodes('ogg', { audioBitrate: 32_000 }), ['OPTION_NOT_USED'])
    assert.deepEqual(listWarningCodes('ogg', { audioBitrate: 64_000 }), [])
  })

  test('an audio track gets the nearest sample rate that its codec and format support', () => {
    const getSampleRate = (to: string, options: object = {}, stream: object = {}) =>
      argAfter(createEncodeArgs(to, options, stream), '-ar:a:0')
    assert.equal(getSampleRate('mp3', {}, { sample_rate: '96000' }), '48000')
    assert.equal(getSampleRate('mp3', { audioSampleRate: 9000 }), '8000')
    assert.equal(getSampleRate('mp3', { audioSampleRate: 10_000 }), '11025')
    assert.equal(
      getSampleRate('mp3', { audioSampleRate: 14_000 }),
      '12000',
      'the lower of two equally near rates',
    )
    assert.equal(getSampleRate('flv'), '44100')
    assert.equal(getSampleRate('flv', { audioSampleRate: 8000 }), '11025')
    assert.equal(getSampleRate('flac', {}, { sample_rate: '12345' }), '12345')
    assert.equal(getSampleRate('mp3', {}, { sample_rate: undefined }), '44100')
    assert.equal(getSampleRate('amr'), '8000')
  })

  test('an audio track gets the requested bit rate, or the nearest that its codec supports', () => {
    const getBitrate = (to: string, options: object, stream: object = {}) =>
      argAfter(createEncodeArgs(to, options, stream), '-b:a:0')
    assert.equal(getBitrate('aac', { audioBitrate: 64_001 }), '64001')
    assert.equal(getBitrate('aac', { audioBitrate: 900_000, audioSampleRate: 48_000 }), '576000')
    assert.equal(getBitrate('mp3', { audioBitrate: 110_000 }), '112000')
    assert.equal(getBitrate('mp3', { audioBitrate: 110_000, audioSampleRate: 8000 }), '64000')
    assert.equal(getBitrate('mp2', { audioBitrate: 63_000 }), '64000')
    assert.equal(getBitrate('mp2', { audioBitrate: 390_000 }), '384000')
    assert.equal(getBitrate('mp2', { audioBitrate: 9000, audioSampleRate: 16_000 }), '8000')
    assert.equal(getBitrate('mp2', { audioBitrate: 9000, audioSampleRate: 32_000 }), '32000')
    assert.equal(getBitrate('mp3', {}, { channels: 1, channel_layout: 'mono' }), '96000')
    assert.equal(getBitrate('opus', {}, { channels: 6, channel_layout: '5.1' }), '384000')
    // The encoders of Vorbis, Opus, Dolby Digital and WMA refuse bit rates outside their range.
    const surround = { channels: 6, channel_layout: '5.1' }
    assert.equal(getBitrate('ac3', { audioBitrate: 12_000, channels: 1 }), '32000')
    assert.equal(getBitrate('ac3', { audioBitrate: 12_000 }, surround), '80000')
    assert.equal(getBitrate('ac3', { audioBitrate: 900_000 }), '640000')
    assert.equal(getBitrate('eac3', { audioBitrate: 12_000 }), '40000')
    assert.equal(getBitrate('wma', { audioBitrate: 12_000 }), '24000')
    assert.equal(getBitrate('ogg', { quality: 'highest' }, { sample_rate: '8000' }), '64000')
    assert.equal(getBitrate('ogg', { audioBitrate: 32_000 }), '45000')
    assert.equal(getBitrate('opus', { audioBitrate: 900_000 }), '512000')
    assert.equal(getBitrate('mp3', { quality: 'highest' }, { sample_rate: '8000' }), '64000')
    assert.equal(getBitrate('amr', {}), '-')
  })

  test('the audio filters of a track are ordered: volume, channel map, channel layout', () => {
    const filter = (to: string, options: object, stream: object) =>
      argAfter(createEncodeArgs(to, options, stream), '-filter:a:0')
    const nameless = { channels: 4, channel_layout: '' }
    assert.equal(
      filter('flac', { volume: 0.5 }, nameless),
      'volume=0.5,channelmap=0|1|2|3:quad,aformat=channel_layouts=quad',
    )
    assert.equal(filter('flac', {}, {}), 'aformat=channel_layouts=stereo')
    for (const to of ['mlp', 'thd']) {
      assert.match(filter(to, {}, { sample_fmt: 'u8' }), /^volume=0\.999:precision=float,aformat/, to)
      assert.match(filter(to, {}, { sample_fmt: 's16' }), /^aformat/, to)
    }
    assert.match(filter('flac', {}, { sample_fmt: 'u8p' }), /^aformat/)
  })

  test('an audio track is padded with silence and ends with the video if the format requires audio', () => {
    for (const to of ['dv', 'amv']) {
      const output = createEncodeArgs(to)
      assert.match(argAfter(output, '-filter:a:0'), /,aresample=async=1000:first_pts=0,apad$/, to)
      assert.ok(output.includes('-shortest'), to)
    }
    assert.equal(createEncodeArgs('mp4').includes('-shortest'), false)
  })

  test('a silent audio track has the channels and sample rate that its codec supports', () => {
    const dv = createRecipe('dv', {}, { audio: [] }).output.join(' ')
    assert.match(dv, / -map 1:a -shortest -c:a:0 pcm_s16le -ac:a:0 2 -ar:a:0 48000 -map_/)
    const amv = createRecipe('amv', {}, { audio: [] }).output.join(' ')
    assert.match(
      amv,
      / -map 1:a -shortest -c:a:0 adpcm_ima_amv -ac:a:0 1 -ar:a:0 22050 -block_size 882 -map_/,
    )
    assert.deepEqual(createRecipe('amv', {}, { audio: [] }).requiredStreams, { video: true, audio: 1 })
    const overlay = { path: 'mark.png', left: 0, top: 0 }
    const markedArgs = createRecipe('dv', {}, { audio: [] }, { overlay }).output.join(' ')
    assert.match(markedArgs, /^-f png_pipe -i mark\.png -f lavfi -i anullsrc\S+ .* -map 2:a -shortest /)
  })

  test('an audio track keeps its bits per sample, up to the maximum of the format', () => {
    const getEncoderAndRounding = (to: string, stream: object) => {
      const { output, warnings } = createRecipe(to, { mode: 'encode' }, { audio: [stream] })
      const roundingMessage = warnings.find(({ code }) => code === 'SAMPLES_ROUNDED')?.message
      return [
        argAfter(output, '-c:a:0'),
        /^The (\d+)-bit samples were rounded to (\d+) bits/
          .exec(roundingMessage ?? '')
          ?.slice(1)
          .join(),
      ]
    }
    const createPcmStream = (kind: string, bits: number) => ({
      codec_name: `pcm_${kind}`,
      bits_per_sample: bits,
    })
    for (const [to, stream, encoder, rounded] of [
      ['wav', createPcmStream('s16le', 16), 'pcm_s16le'],
      ['wav', createPcmStream('u8', 8), 'pcm_s16le'],
      ['wav', createPcmStream('s24le', 24), 'pcm_s24le'],
      ['wav', createPcmStream('s32le', 32), 'pcm_s32le'],
      ['wav', createPcmStream('f32le', 32), 'pcm_f32le'],
      ['wav', createPcmStream('f64le', 64), 'pcm_f64le'],
      ['aiff', createPcmStream('f64le', 64), 'pcm_s32be', '64,32'],
      ['aiff', createPcmStream('f32le', 32), 'pcm_s32be'],
      ['au', createPcmStream('f32le', 32), 'pcm_f32be'],
      ['mov', { ...createPcmStream('s32le', 32), audioCodec: 'pcm' }, 'aac'],
      ['voc', createPcmStream('s24le', 24), 'pcm_s16le', '24,16'],
      ['flac', createPcmStream('s32le', 32), 'flac', '32,24'],
      ['flac', createPcmStream('s24le', 24), 'flac'],
      ['wv', createPcmStream('s32le', 32), 'wavpack'],
      ['wv', createPcmStream('f64le', 64), 'wavpack', '64,32'],
      ['wav', { codec_name: 'flac', bits_per_raw_sample: 20, bits_per_sample: 0 }, 'pcm_s24le'],
      ['wav', { codec_name: 'wavpack', sample_fmt: 'fltp', bits_per_raw_sample: 32 }, 'pcm_f32le'],
      ['wav', { codec_name: 'wavpack', sample_fmt: 's32p', bits_per_raw_sample: 32 }, 'pcm_s32le'],
      ['wav', { codec_name: 'aac', sample_fmt: 'fltp', bits_per_sample: 0 }, 'pcm_s16le'],
      ['tta', { codec_name: 'aac', sample_fmt: 'fltp' }, 'tta'],
    ] as const)
      assert.deepEqual(
        getEncoderAndRounding(to, stream),
        [encoder, rounded],
        `${to} of ${JSON.stringify(stream)}`,
      )
    const getMovEncoder = (stream: object) =>
      argAfter(createEncodeArgs('mov', { audioCodec: 'pcm' }, stream), '-c:a:0')
    assert.deepEqual(
      [getMovEncoder(createPcmStream('s24le', 24)), getMovEncoder(createPcmStream('s32le', 32))],
      ['pcm_s24le', 'pcm_s24le'],
    )
  })
})

describe('merged audio', () => {
  const streamWith = (properties: object) => {
    const [stream] = createMediaInfo({ audio: [properties] }).audio
    assert.ok(stream)
    return stream
  }
  const createTarget = (to: string, options: object = {}) => ({
    container: containerFor(to),
    options: { mode: 'encode' as const, ...options },
  })

  test('merged audio gets the channel layout of the first file, and unnamed channels keep their order', () => {
    const firstStream = streamWith({ channels: 6, channel_layout: '5.1' })
    assert.deepEqual(createMergeLayoutFilters(firstStream, streamWith({}), createTarget('flac')), [
      'aformat=channel_layouts=5.1',
    ])
    assert.deepEqual(createMergeLayoutFilters(streamWith({}), firstStream, createTarget('flac')), [
      'aformat=channel_layouts=stereo',
    ])
    assert.deepEqual(
      createMergeLayoutFilters(
        firstStream,
        streamWith({ channels: 3, channel_layout: '' }),
        createTarget('flac'),
      ),
      ['channelmap=0|1|2:3.0', 'aformat=channel_layouts=5.1'],
    )
  })

  test('merged audio becomes one track in the default codec of the format', () => {
    assert.deepEqual(createSingleTrackArgs(streamWith({}), createTarget('mp3')), [
      '-c:a',
      'libmp3lame',
      '-ar',
      '48000',
      '-b:a',
      '192000',
    ])
    assert.deepEqual(
      createSingleTrackArgs(streamWith({}), createTarget('mp3', { quality: 'low', audioBitrate: 64_000 })),
      [...['-c:a', 'libmp3lame', '-ar', '48000', '-b:a', '64000']],
    )
    assert.deepEqual(
      createSingleTrackArgs(streamWith({ channels: 6, channel_layout: '5.1' }), createTarget('opus')),
      [...['-c:a', 'libopus', '-ar', '48000', '-b:a', '384000', '-mapping_family', '1']],
    )
    assert.deepEqual(createSingleTrackArgs(streamWith({}), createTarget('amr')), [
      ...['-c:a', 'libopencore_amrnb', '-ar', '8000', '-b:a', '12.2k'],
    ])
    const deepStream = streamWith({ codec_name: 'pcm_s24le', bits_per_sample: 24 })
    assert.deepEqual(createSingleTrackArgs(deepStream, createTarget('wav')), [
      '-c:a',
      'pcm_s24le',
      '-ar',
      '48000',
    ])
  })
})
