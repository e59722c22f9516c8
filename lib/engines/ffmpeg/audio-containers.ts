import type { FormatId } from '../../formats/index.ts'
import { defined } from '../../validation/defined.ts'
import type { AudioCodecId } from './audio-codecs.ts'
import type { Container } from './containers.ts'

function createAudioContainer(
  muxer: string,
  audio: readonly AudioCodecId[],
  copyableCodecs: readonly string[],
  cover?: Container['cover'],
): Container {
  return { muxer, video: [], audio, copyableCodecs, singleAudioTrack: true, ...defined({ cover }) }
}

const littleEndianPcmCodecs = ['pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le', 'pcm_f64le']
const bigEndianPcmCodecs = ['pcm_s16be', 'pcm_s24be', 'pcm_s32be', 'pcm_f32be', 'pcm_f64be']

/** AIFF's own chunks support little more than a title, so tags are written as ID3v2. */
const aiff: Container = {
  ...createAudioContainer('aiff', ['pcm-be'], ['pcm_s16be', 'pcm_s24be', 'pcm_s32be'], 'stream'),
  args: ['-write_id3v2', '1'],
}

export const audioContainers = {
  mp3: createAudioContainer('mp3', ['mp3'], ['mp3'], 'stream'),
  wav: createAudioContainer('wav', ['pcm'], littleEndianPcmCodecs),
  flac: createAudioContainer('flac', ['flac'], ['flac'], 'stream'),
  aac: createAudioContainer('adts', ['aac'], ['aac']),
  // Ogg also supports FLAC, but many players of .ogg files only play Vorbis.
  ogg: createAudioContainer('ogg', ['vorbis', 'opus', 'flac'], ['vorbis', 'opus'], 'text'),
  oga: createAudioContainer('ogg', ['vorbis', 'opus', 'flac'], ['vorbis', 'opus', 'flac'], 'text'),
  m4a: createAudioContainer('ipod', ['aac', 'alac'], ['aac', 'alac'], 'stream'),
  m4b: createAudioContainer('ipod', ['aac'], ['aac'], 'stream'),
  m4r: createAudioContainer('ipod', ['aac'], ['aac']),
  alac: createAudioContainer('ipod', ['alac'], ['alac'], 'stream'),
  wma: createAudioContainer('asf', ['wma'], ['wmav1', 'wmav2', 'wmapro']),
  aiff,
  opus: createAudioContainer('opus', ['opus'], ['opus'], 'text'),
  weba: createAudioContainer('webm', ['opus', 'vorbis'], ['opus', 'vorbis']),
  mka: createAudioContainer(
    'matroska',
    ['aac', 'opus', 'flac', 'mp3'],
    ['aac', 'opus', 'flac', 'mp3', 'vorbis', 'ac3', 'dts', 'alac'],
  ),
  amr: createAudioContainer('amr', ['amr'], ['amr_nb']),
  awb: createAudioContainer('amr', ['awb'], ['amr_wb']),
  '3ga': createAudioContainer('3gp', ['aac', 'amr'], ['aac', 'amr_nb']),
  ac3: createAudioContainer('ac3', ['ac3'], ['ac3']),
  eac3: createAudioContainer('eac3', ['eac3'], ['eac3']),
  dts: createAudioContainer('dts', ['dts'], ['dts']),
  caf: createAudioContainer('caf', ['pcm', 'aac', 'alac'], [...littleEndianPcmCodecs, 'aac', 'alac']),
  au: createAudioContainer('au', ['pcm-be'], bigEndianPcmCodecs),
  spx: createAudioContainer('ogg', ['speex'], ['speex']),
  wv: createAudioContainer('wv', ['wavpack'], ['wavpack']),
  tta: createAudioContainer('tta', ['tta'], ['tta']),
  mp2: createAudioContainer('mp2', ['mp2'], ['mp2']),
  w64: createAudioContainer('w64', ['pcm'], littleEndianPcmCodecs),
  rf64: {
    ...createAudioContainer('wav', ['pcm'], littleEndianPcmCodecs),
    // Writes RF64 at any size; by default, files below 4 GB would be plain WAV.
    args: ['-rf64', 'always'],
  },
  aif: aiff,
  aifc: { ...aiff, ...createAudioContainer('aiff', ['pcm', 'pcm-be'], ['pcm_s16le'], 'stream') },
  snd: createAudioContainer('au', ['pcm-be'], bigEndianPcmCodecs),
  ra: createAudioContainer('rm', ['ac3'], ['ac3']),
  latm: createAudioContainer('latm', ['aac'], ['aac']),
  voc: { ...createAudioContainer('voc', ['pcm'], ['pcm_s16le']), maxChannels: 2 },
  sf: createAudioContainer('ircam', ['pcm'], ['pcm_s16le']),
  ast: createAudioContainer('ast', ['pcm-planar'], ['pcm_s16be_planar']),
  adx: createAudioContainer('adx', ['adx'], ['adpcm_adx']),
  mmf: createAudioContainer('mmf', ['yamaha'], []),
  mlp: createAudioContainer('mlp', ['mlp'], ['mlp']),
  thd: createAudioContainer('truehd', ['truehd'], ['truehd']),
  c2: createAudioContainer('codec2', ['codec2'], ['codec2']),
  sbc: createAudioContainer('sbc', ['sbc'], ['sbc']),
  gsm: createAudioContainer('gsm', ['gsm'], ['gsm']),
  g722: createAudioContainer('g722', ['g722'], ['adpcm_g722']),
  // Formats without a header have a fixed sample rate and channel count, so streams are never copied.
  g726: createAudioContainer('g726', ['g726'], []),
  al: createAudioContainer('alaw', ['alaw'], []),
  ul: createAudioContainer('mulaw', ['mulaw'], []),
  sln: createAudioContainer('s16le', ['pcm-8k'], []),
  pcm: createAudioContainer('s16le', ['pcm-cd'], []),
  aptx: createAudioContainer('aptx', ['aptx'], []),
  dfpwm: createAudioContainer('dfpwm', ['dfpwm'], []),
} as const satisfies Partial<Record<FormatId, Container>>
