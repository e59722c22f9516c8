import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { layoutFilters, singleTrackArgs } from '../../lib/engines/ffmpeg/audio-stream.ts'
import { channelsIn, chooseLayout, type LayoutName } from '../../lib/engines/ffmpeg/channel-layouts.ts'
import { after, containerOf, mediaWith, recipe } from './ffmpeg-recipe.ts'

/** What is told of the first track, or of tracks of several. */
const told = (to: string, options: object = {}, ...sounds: object[]) =>
  recipe(to, { mode: 'encode', ...options }, { sounds: sounds.length > 0 ? sounds : [{}] }).output
const codes = (to: string, options: object, sound: object = {}) =>
  recipe(to, options, { sounds: [sound] }).warnings.map(({ code }) => code)
const isCopied = (to: string, options: object = {}, sound: object = {}) =>
  after(recipe(to, options, { sounds: [sound] }).output, '-c:a:0') === 'copy'

describe('a sound track', () => {
  test('is copied where it fits and nothing is asked of it', () => {
    const copied = recipe('m4a', {})
    assert.deepEqual(copied.output.slice(0, 4), ['-map', '0:1', '-c:a:0', 'copy'])
    assert.deepEqual([copied.method, copied.allEncoded, copied.warnings], ['stream-copy', false, []])
    const encoded = recipe('mp3', {})
    assert.deepEqual([encoded.method, encoded.allEncoded], ['encode', true])
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
    assert.equal(isCopied('mp4', { quality: 'high' }), true, 'of a film it is that of the picture')
    const { output } = recipe('m4a', {}, {}, { mayCopy: false })
    assert.equal(after(output, '-c:a:0'), 'aac')
  })

  test('of more channels than the format counts is encoded, one of as many is not', () => {
    const pcm = { codec_name: 'pcm_s16le' }
    assert.equal(isCopied('voc', {}, pcm), true)
    const surround = { ...pcm, channels: 6, channel_layout: '5.1' }
    assert.equal(isCopied('voc', {}, surround), false)
    assert.equal(isCopied('wav', {}, surround), true)
    assert.match(after(told('voc', {}, surround), '-filter:a:0'), /layouts=stereo$/)
    assert.match(after(told('wav', {}, surround), '-filter:a:0'), /layouts=5.1$/)
  })

  test('is counted among those that stay', () => {
    const output = told('mp4', {}, {}, { channels: 1, channel_layout: 'mono' })
    assert.deepEqual(
      ['-c:a:0', '-c:a:1', '-ar:a:1', '-filter:a:1', '-b:a:1'].map((flag) => after(output, flag)),
      ['aac', 'aac', '48000', 'aformat=channel_layouts=mono', '96000'],
    )
    const maps = output.filter((_, at) => output[at - 1] === '-map')
    assert.deepEqual(maps, ['0:0', '0:1', '0:2'])
    const single = recipe('flv', {}, { sounds: [{}, {}] })
    assert.deepEqual(
      [single.requiredStreams, single.warnings],
      [
        { video: true, audio: 1 },
        [{ code: 'AUDIO_TRACKS_DROPPED', message: '1 sound track was dropped: the format holds one.' }],
      ],
    )
    assert.match(recipe('h264', {}).warnings[0]?.message ?? '', /^1 sound track was .* holds no sound\.$/)
  })

  test('that was to be copied, rounded or mixed says so once, whatever it is told', () => {
    const deep = { codec_name: 'pcm_s32le', bits_per_sample: 32, channels: 6, channel_layout: '5.1' }
    assert.deepEqual(codes('mp3', { audioCodec: 'copy' }, deep), ['STREAM_ENCODED', 'CHANNELS_MIXED'])
    assert.deepEqual(codes('flac', {}, deep), ['SAMPLES_ROUNDED'])
    assert.deepEqual(codes('mp3', { channels: 2 }, deep), [])
    assert.deepEqual(recipe('mp3', {}, { sounds: [{ channels: 0 }] }).requiredStreams.audio, 0)
    const two = recipe('mp4', { audioCodec: 'copy' }, { sounds: [deep, deep] }).warnings
    assert.deepEqual(
      two.map(({ code }) => code),
      ['STREAM_ENCODED'],
    )
    assert.equal(
      two[0]?.message,
      'audioCodec=copy: the pcm_s32le stream cannot be copied as it is, by its format or by other options, and was encoded as aac.',
    )
  })

  test('says of a bit rate that it has no meaning where the codec has none', () => {
    assert.deepEqual(codes('flac', { mode: 'encode', audioBitrate: 64_000 }), ['OPTION_NOT_USED'])
    assert.deepEqual(codes('flac', { mode: 'encode' }), [])
    assert.deepEqual(codes('mp3', { audioBitrate: 64_000 }), [])
  })

  test('gets the nearest of the rates that its codec and format know', () => {
    const rate = (to: string, options: object = {}, sound: object = {}) =>
      after(told(to, options, sound), '-ar:a:0')
    assert.equal(rate('mp3', {}, { sample_rate: '96000' }), '48000')
    assert.equal(rate('mp3', { audioSampleRate: 9000 }), '8000')
    assert.equal(rate('mp3', { audioSampleRate: 10_000 }), '11025')
    assert.equal(rate('mp3', { audioSampleRate: 14_000 }), '12000', 'between two the first of them')
    assert.equal(rate('flv'), '44100')
    assert.equal(rate('flv', { audioSampleRate: 8000 }), '11025')
    assert.equal(rate('flac', {}, { sample_rate: '12345' }), '12345')
    assert.equal(rate('mp3', {}, { sample_rate: undefined }), '44100')
    assert.equal(rate('amr'), '8000')
  })

  test('gets the bits that are asked for, or the nearest that its codec knows', () => {
    const bits = (to: string, options: object, sound: object = {}) =>
      after(told(to, options, sound), '-b:a:0')
    assert.equal(bits('mp3', { audioBitrate: 64_001 }), '64001')
    assert.equal(bits('mp2', { audioBitrate: 63_000 }), '64000')
    assert.equal(bits('mp2', { audioBitrate: 390_000 }), '384000')
    assert.equal(bits('mp2', { audioBitrate: 9000, audioSampleRate: 16_000 }), '8000')
    assert.equal(bits('mp2', { audioBitrate: 9000, audioSampleRate: 32_000 }), '32000')
    assert.equal(bits('mp3', {}, { channels: 1, channel_layout: 'mono' }), '96000')
    assert.equal(bits('opus', {}, { channels: 6, channel_layout: '5.1' }), '384000')
    assert.equal(bits('ogg', { quality: 'highest' }, { sample_rate: '8000' }), '32000')
    assert.equal(bits('mp3', { quality: 'highest' }, { sample_rate: '8000' }), '320000')
    assert.equal(bits('amr', {}), '-')
  })

  test('has its filters in this order', () => {
    const filter = (to: string, options: object, sound: object) =>
      after(told(to, options, sound), '-filter:a:0')
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

  test('of a format that must have sound is filled, and ends with the picture', () => {
    for (const to of ['dv', 'amv']) {
      const output = told(to)
      assert.match(after(output, '-filter:a:0'), /,aresample=async=1000:first_pts=0,apad$/, to)
      assert.ok(output.includes('-shortest'), to)
    }
    assert.equal(told('mp4').includes('-shortest'), false)
  })

  test('of nothing has the shape that its codec takes', () => {
    const dv = recipe('dv', {}, { sounds: [] }).output.join(' ')
    assert.match(dv, / -map 1:a -shortest -c:a:0 pcm_s16le -ac:a:0 2 -ar:a:0 48000 -map_/)
    const amv = recipe('amv', {}, { sounds: [] }).output.join(' ')
    assert.match(
      amv,
      / -map 1:a -shortest -c:a:0 adpcm_ima_amv -ac:a:0 1 -ar:a:0 22050 -block_size 882 -map_/,
    )
    assert.deepEqual(recipe('amv', {}, { sounds: [] }).requiredStreams, { video: true, audio: 1 })
    const overlay = { path: 'mark.png', left: 0, top: 0 }
    const marked = recipe('dv', {}, { sounds: [] }, { overlay }).output.join(' ')
    assert.match(marked, /^-f png_pipe -i mark\.png -f lavfi -i anullsrc\S+ .* -map 2:a -shortest /)
  })

  test('keeps samples as deep as its format has room for', () => {
    const kept = (to: string, sound: object) => {
      const { output, warnings } = recipe(to, { mode: 'encode' }, { sounds: [sound] })
      const rounded = warnings.find(({ code }) => code === 'SAMPLES_ROUNDED')?.message
      return [
        after(output, '-c:a:0'),
        /of (\d+) bits were rounded to (\d+)/
          .exec(rounded ?? '')
          ?.slice(1)
          .join(),
      ]
    }
    const pcm = (kind: string, bits: number) => ({ codec_name: `pcm_${kind}`, bits_per_sample: bits })
    for (const [to, sound, encoder, rounded] of [
      ['wav', pcm('s16le', 16), 'pcm_s16le'],
      ['wav', pcm('u8', 8), 'pcm_s16le'],
      ['wav', pcm('s24le', 24), 'pcm_s24le'],
      ['wav', pcm('s32le', 32), 'pcm_s32le'],
      ['wav', pcm('f32le', 32), 'pcm_f32le'],
      ['wav', pcm('f64le', 64), 'pcm_f64le'],
      ['aiff', pcm('f64le', 64), 'pcm_s32be', '64,32'],
      ['aiff', pcm('f32le', 32), 'pcm_s32be'],
      ['au', pcm('f32le', 32), 'pcm_f32be'],
      ['mov', { ...pcm('s32le', 32), audioCodec: 'pcm' }, 'aac'],
      ['voc', pcm('s24le', 24), 'pcm_s16le', '24,16'],
      ['flac', pcm('s32le', 32), 'flac', '32,24'],
      ['flac', pcm('s24le', 24), 'flac'],
      ['wv', pcm('s32le', 32), 'wavpack'],
      ['wv', pcm('f64le', 64), 'wavpack', '64,32'],
      ['wav', { codec_name: 'flac', bits_per_raw_sample: 20, bits_per_sample: 0 }, 'pcm_s24le'],
      ['wav', { codec_name: 'wavpack', sample_fmt: 'fltp', bits_per_raw_sample: 32 }, 'pcm_f32le'],
      ['wav', { codec_name: 'wavpack', sample_fmt: 's32p', bits_per_raw_sample: 32 }, 'pcm_s32le'],
      ['wav', { codec_name: 'aac', sample_fmt: 'fltp', bits_per_sample: 0 }, 'pcm_s16le'],
      ['tta', { codec_name: 'aac', sample_fmt: 'fltp' }, 'tta'],
    ] as const)
      assert.deepEqual(kept(to, sound), [encoder, rounded], `${to} of ${JSON.stringify(sound)}`)
    const film = (sound: object) => after(told('mov', { audioCodec: 'pcm' }, sound), '-c:a:0')
    assert.deepEqual([film(pcm('s24le', 24)), film(pcm('s32le', 32))], ['pcm_s24le', 'pcm_s24le'])
  })
})

describe('parts of a sound that come together', () => {
  const of = (sound: object) => {
    const [stream] = mediaWith({ sounds: [sound] }).audio
    assert.ok(stream)
    return stream
  }
  const plain = (to: string, options: object = {}) => ({
    container: containerOf(to),
    options: { mode: 'encode' as const, ...options },
  })

  test('take the layout of the first, those without names in their order', () => {
    const first = of({ channels: 6, channel_layout: '5.1' })
    assert.deepEqual(layoutFilters(first, of({}), plain('flac')), ['aformat=channel_layouts=5.1'])
    assert.deepEqual(layoutFilters(of({}), first, plain('flac')), ['aformat=channel_layouts=stereo'])
    assert.deepEqual(layoutFilters(first, of({ channels: 3, channel_layout: '' }), plain('flac')), [
      'channelmap=0|1|2:3.0',
      'aformat=channel_layouts=5.1',
    ])
  })

  test('become one track in the usual codec of the format', () => {
    assert.deepEqual(singleTrackArgs(of({}), plain('mp3')), [
      '-c:a',
      'libmp3lame',
      '-ar',
      '48000',
      '-b:a',
      '192000',
    ])
    assert.deepEqual(singleTrackArgs(of({}), plain('mp3', { quality: 'low', audioBitrate: 64_000 })), [
      ...['-c:a', 'libmp3lame', '-ar', '48000', '-b:a', '64000'],
    ])
    assert.deepEqual(singleTrackArgs(of({ channels: 6, channel_layout: '5.1' }), plain('opus')), [
      ...['-c:a', 'libopus', '-ar', '48000', '-b:a', '384000', '-mapping_family', '1'],
    ])
    assert.deepEqual(singleTrackArgs(of({}), plain('amr')), [
      ...['-c:a', 'libopencore_amrnb', '-ar', '8000', '-b:a', '12.2k'],
    ])
    const deep = of({ codec_name: 'pcm_s24le', bits_per_sample: 24 })
    assert.deepEqual(singleTrackArgs(deep, plain('wav')), ['-c:a', 'pcm_s24le', '-ar', '48000'])
  })
})

describe('a layout of speakers', () => {
  /** Where each goes that its codec does not take, which takes all others. */
  const others: Readonly<Record<LayoutName, LayoutName>> = {
    ...{ mono: '3.0', stereo: '2.1', '2.1': '3.1', '3.0': '3.1', '3.0(back)': '4.0', '3.1': '4.1' },
    ...{ '4.0': '4.1', quad: 'quad(side)', 'quad(side)': 'quad', '4.1': '6.1' },
    ...{ '5.0': '5.0(side)', '5.0(side)': '5.0', '5.1': '5.1(side)', '5.1(side)': '5.1' },
    ...{ '6.0': 'hexagonal', hexagonal: '6.0', '6.1': '6.1(back)', '6.1(back)': '6.1' },
    ...{ '7.0': '7.1', '7.1': '7.1(wide)', '7.1(wide)': '7.1', octagonal: '7.1' },
  }
  const names = Object.keys(others) as LayoutName[] // Object.keys forgets the names.
  const from = (layout: LayoutName) => ({ count: channelsIn(layout), layout })

  test('goes into the smallest other that has a place for each of them', () => {
    for (const name of names) {
      const layouts = names.filter((other) => other !== name)
      const layout = others[name]
      assert.deepEqual(
        chooseLayout(from(name), { maxChannels: 8, layouts }),
        { layout, channels: channelsIn(layout) },
        name,
      )
    }
  })

  test('goes into no more channels than there is room for', () => {
    const layouts = ['stereo', '3.0', '4.0', '5.1', '7.1'] as const
    const into = (name: LayoutName, maxChannels: number) =>
      chooseLayout(from(name), { maxChannels, layouts }).layout
    assert.deepEqual([into('2.1', 6), into('2.1', 5)], ['5.1', '3.0'])
    assert.deepEqual([into('7.0', 8), into('7.0', 6), into('7.0', 2)], ['7.1', '5.1', 'stereo'])
    assert.equal(into('3.0(back)', 4), '4.0')
    assert.equal(chooseLayout(from('quad'), { maxChannels: 8, layouts: ['7.1', '5.0', '5.1'] }).layout, '5.0')
  })

  test('without a name is that of as many channels, or a count where there is no name for so many', () => {
    const nameless = (count: number, layouts?: readonly LayoutName[]) =>
      chooseLayout({ count, layout: 'unknown' }, { maxChannels: 255, layouts })
    const usual = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1'] as const
    for (const [at, layout] of usual.entries()) {
      const named = at < 2 ? {} : { assumedLayout: layout }
      assert.deepEqual(nameless(at + 1), { layout, channels: at + 1, ...named })
    }
    assert.deepEqual(nameless(9), { layout: '9c', channels: 9 })
    assert.deepEqual(nameless(9, ['stereo', '5.1']), { layout: '5.1', channels: 6 })
    assert.deepEqual(nameless(4, ['mono', 'stereo']), { layout: 'stereo', channels: 2, assumedLayout: 'quad' })
  })

  test('of as many as are asked for is the usual one, or the fullest below, or the least there is', () => {
    const asked = (count: number, layouts: readonly LayoutName[]) =>
      chooseLayout({ count: 8, layout: '7.1' }, { maxChannels: 8, layouts }, count).layout
    assert.equal(asked(4, ['4.0', 'quad']), 'quad')
    assert.equal(asked(4, ['stereo', '4.0', '5.0']), '4.0')
    assert.equal(asked(1, ['stereo', '5.1']), 'stereo')
    assert.equal(asked(2, ['5.1', '7.1']), '5.1')
    assert.equal(chooseLayout({ count: 8, layout: '7.1' }, { maxChannels: 8 }, 6).layout, '5.1')
    assert.deepEqual(chooseLayout({ count: 2, layout: 'stereo' }, { maxChannels: 8 }, 6), {
      layout: '5.1',
      channels: 6,
    })
  })
})
