import { each, type Variant } from './variant.ts'

const createAudioVariant = (name: string, channels: number, rate: number, ...args: string[]): Variant => {
  // A different tone in each channel, so that lost or duplicated channels are noticed.
  const tones = Array.from({ length: channels }, (_, at) => `0.4*sin(${300 + 110 * at}*2*PI*t)`).join('|')
  const input = ['-f', 'lavfi', '-i', `aevalsrc=${tones}:s=${rate}:d=1.3`]
  return {
    area: 'audio',
    name,
    commands: [['ffmpeg', '-nostdin', '-v', 'error', ...input, ...args, '-fflags', '+bitexact', '{out}']],
  }
}
const codec = (name: string, ...args: string[]) => ['-c:a', name, ...args]

const layouts = {
  mono: 1,
  stereo: 2,
  '2.1': 3,
  '3.0': 3,
  '4.0': 4,
  quad: 4,
  '5.0': 5,
  '5.1': 6,
  '6.1': 7,
  '7.1': 8,
} as const
const createLayoutArgs = (layout: string) => ['-af', `aformat=channel_layouts=${layout}`]

const extensions = 'wav flac ogg opus m4a aiff w64 caf wv mka ac3 eac3 dts aac'.split(' ')

const rates = [8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000] as const
const sampleFormats = ['u8', 's16le', 's24le', 's32le', 'f32le', 'f64le', 'alaw', 'mulaw'] as const
const bigEndianSampleFormats = ['s8', 's16be', 's24be', 's32be', 'f32be', 'f64be', 'alaw', 'mulaw'] as const

export const audioVariants: readonly Variant[] = [
  ...Object.entries(layouts).flatMap(([layout, channels], at) =>
    extensions
      .filter((extension, index) => (index + at) % 2 === 0 && !(extension === 'opus' && /^[24]/.test(layout)))
      .map((extension) =>
        createAudioVariant(
          `${layout}.${extension}`,
          channels,
          48_000,
          ...createLayoutArgs(layout),
          '-strict',
          '-2',
        ),
      ),
  ),
  ...rates.flatMap((rate) =>
    (rate > 48_000 ? ['wav', 'flac', 'aac'] : ['wav', 'flac', 'mp3', 'aac', 'wma']).map((extension) =>
      createAudioVariant(`${rate}.${extension}`, 2, rate),
    ),
  ),
  ...each(Object.fromEntries(sampleFormats.map((sampleFormat) => [sampleFormat, sampleFormat])), {
    wav: 'wav',
    w64: 'w64',
    caf: 'caf',
    mka: 'mka',
  }).map(([, sampleFormat, extension]) =>
    createAudioVariant(`${sampleFormat}.${extension}`, 2, 44_100, ...codec(`pcm_${sampleFormat}`)),
  ),
  ...each(Object.fromEntries(bigEndianSampleFormats.map((sampleFormat) => [sampleFormat, sampleFormat])), {
    aiff: 'aiff',
    au: 'au',
    caf: 'caf',
  }).map(([, sampleFormat, extension]) =>
    createAudioVariant(`${sampleFormat}-big.${extension}`, 2, 44_100, ...codec(`pcm_${sampleFormat}`)),
  ),
  ...[
    'adpcm_ms',
    'adpcm_ima_wav',
    'adpcm_yamaha',
    'libgsm_ms',
    'g726',
    'mp2',
    'libmp3lame',
    'ac3',
    'wmav2',
  ].map((name) =>
    createAudioVariant(
      `${name}.wav`,
      1,
      8000,
      ...(/mp2|mp3|ac3|wma/.test(name) ? ['-ar', '44100'] : []),
      ...codec(name),
    ),
  ),
  createAudioVariant('24.flac', 2, 96_000, '-sample_fmt', 's32', '-bits_per_raw_sample', '24'),
  createAudioVariant('alac-24.m4a', 2, 48_000, '-sample_fmt', 's32p', ...codec('alac')),
  createAudioVariant('alac-16.m4a', 2, 44_100, '-sample_fmt', 's16p', ...codec('alac')),
  createAudioVariant('24.tta', 2, 44_100, '-sample_fmt', 's32', ...codec('tta')),
  createAudioVariant('float.wv', 2, 44_100, '-sample_fmt', 'fltp', ...codec('wavpack')),
  createAudioVariant('two.mp2', 2, 44_100),
  createAudioVariant('slow.mp3', 1, 8000, '-b:a', '8k'),
  createAudioVariant('joint.mp3', 2, 44_100, '-q:a', '9'),
  createAudioVariant('no-header.mp3', 2, 44_100, '-write_xing', '0', '-id3v2_version', '0'),
  createAudioVariant(
    'tagged.mp3',
    2,
    44_100,
    '-id3v2_version',
    '4',
    '-metadata',
    'title=Grüße',
    '-write_id3v1',
    '1',
  ),
  createAudioVariant('narrow.amr', 1, 8000),
  createAudioVariant('wide.amr', 1, 16_000, ...codec('libvo_amrwbenc')),
  createAudioVariant('speech.spx', 1, 16_000),
  createAudioVariant('speech.gsm', 1, 8000),
  createAudioVariant('band.g722', 1, 16_000),
  createAudioVariant('silk.opus', 1, 8000, '-application', 'voip', '-b:a', '8k'),
  createAudioVariant('flac.ogg', 2, 44_100, ...codec('flac')),
  createAudioVariant('speex.ogg', 1, 16_000, ...codec('libspeex')),
  createAudioVariant('opus.webm', 2, 48_000, ...codec('libopus')),
  createAudioVariant('mp3.m4a', 2, 44_100, ...codec('libmp3lame'), '-f', 'mp4'),
  createAudioVariant('one.wma', 2, 44_100, ...codec('wmav1')),
  createAudioVariant('rf64.wav', 2, 44_100, '-rf64', 'always'),
  createAudioVariant('plain-wide.wav', 6, 48_000, '-write_bext', '1', '-af', 'aformat=channel_layouts=6c'),
  createAudioVariant('latm.aac', 2, 44_100, ...codec('aac'), '-f', 'latm'),
  createAudioVariant('mlp.thd', 2, 48_000, ...codec('truehd'), '-strict', '-2'),
  createAudioVariant('short.wav', 1, 8000, '-t', '0.01'),
  createAudioVariant('silence.wav', 1, 8000, '-af', 'volume=0'),
]
