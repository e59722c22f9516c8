import type { FormatId } from '../../formats/index.ts'
import type { AudioCodecId } from './audio-codecs.ts'
import type { Container } from './containers.ts'

function sound(
  muxer: string,
  audio: readonly AudioCodecId[],
  copies: readonly string[],
  cover?: Container['cover'],
): Container {
  return { muxer, video: [], audio, copies, oneAudio: true, ...(cover && { cover }) }
}

const littleEndian = ['pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le', 'pcm_f64le']
const bigEndian = ['pcm_s16be', 'pcm_s24be', 'pcm_s32be', 'pcm_f32be', 'pcm_f64be']

/** Its own chunks hold a title and little else. */
const aiff: Container = {
  ...sound('aiff', ['pcm-be'], ['pcm_s16be', 'pcm_s24be', 'pcm_s32be'], 'stream'),
  args: ['-write_id3v2', '1'],
}

export const audioContainers = {
  mp3: sound('mp3', ['mp3'], ['mp3'], 'stream'),
  wav: sound('wav', ['pcm'], littleEndian),
  flac: sound('flac', ['flac'], ['flac'], 'stream'),
  aac: sound('adts', ['aac'], ['aac']),
  // Ogg can hold FLAC, but who asks for .ogg means Vorbis: many players take no other.
  ogg: sound('ogg', ['vorbis', 'opus', 'flac'], ['vorbis', 'opus'], 'text'),
  oga: sound('ogg', ['vorbis', 'opus', 'flac'], ['vorbis', 'opus', 'flac'], 'text'),
  m4a: sound('ipod', ['aac', 'alac'], ['aac', 'alac'], 'stream'),
  m4b: sound('ipod', ['aac'], ['aac'], 'stream'),
  m4r: sound('ipod', ['aac'], ['aac']),
  alac: sound('ipod', ['alac'], ['alac'], 'stream'),
  wma: sound('asf', ['wma'], ['wmav1', 'wmav2', 'wmapro']),
  aiff,
  opus: sound('opus', ['opus'], ['opus'], 'text'),
  weba: sound('webm', ['opus', 'vorbis'], ['opus', 'vorbis']),
  mka: sound(
    'matroska',
    ['aac', 'opus', 'flac', 'mp3'],
    ['aac', 'opus', 'flac', 'mp3', 'vorbis', 'ac3', 'dts', 'alac'],
  ),
  amr: sound('amr', ['amr'], ['amr_nb']),
  awb: sound('amr', ['awb'], ['amr_wb']),
  '3ga': sound('3gp', ['aac', 'amr'], ['aac', 'amr_nb']),
  ac3: sound('ac3', ['ac3'], ['ac3']),
  eac3: sound('eac3', ['eac3'], ['eac3']),
  dts: sound('dts', ['dts'], ['dts']),
  caf: sound('caf', ['pcm', 'aac', 'alac'], [...littleEndian, 'aac', 'alac']),
  au: sound('au', ['pcm-be'], bigEndian),
  spx: sound('ogg', ['speex'], ['speex']),
  wv: sound('wv', ['wavpack'], ['wavpack']),
  tta: sound('tta', ['tta'], ['tta']),
  mp2: sound('mp2', ['mp2'], ['mp2']),
  w64: sound('w64', ['pcm'], littleEndian),
  rf64: {
    ...sound('wav', ['pcm'], littleEndian),
    // Otherwise files below 4 GB would be plain WAV.
    args: ['-rf64', 'always'],
  },
  aif: aiff,
  aifc: { ...aiff, ...sound('aiff', ['pcm', 'pcm-be'], ['pcm_s16le'], 'stream') },
  snd: sound('au', ['pcm-be'], bigEndian),
  ra: sound('rm', ['ac3'], ['ac3']),
  latm: sound('latm', ['aac'], ['aac']),
  voc: { ...sound('voc', ['pcm'], ['pcm_s16le']), mostChannels: 2 },
  sf: sound('ircam', ['pcm'], ['pcm_s16le']),
  ast: sound('ast', ['pcm-planar'], ['pcm_s16be_planar']),
  adx: sound('adx', ['adx'], ['adpcm_adx']),
  mmf: sound('mmf', ['yamaha'], []),
  mlp: sound('mlp', ['mlp'], ['mlp']),
  thd: sound('truehd', ['truehd'], ['truehd']),
  c2: sound('codec2', ['codec2'], ['codec2']),
  sbc: sound('sbc', ['sbc'], ['sbc']),
  gsm: sound('gsm', ['gsm'], ['gsm']),
  g722: sound('g722', ['g722'], ['adpcm_g722']),
  // Without a header there is one rate and one number of channels, so that nothing is copied.
  g726: sound('g726', ['g726'], []),
  al: sound('alaw', ['alaw'], []),
  ul: sound('mulaw', ['mulaw'], []),
  sln: sound('s16le', ['pcm-8k'], []),
  pcm: sound('s16le', ['pcm-cd'], []),
  aptx: sound('aptx', ['aptx'], []),
  dfpwm: sound('dfpwm', ['dfpwm'], []),
} as const satisfies Partial<Record<FormatId, Container>>
