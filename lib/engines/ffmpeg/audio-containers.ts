import type { FormatId } from '../../formats/index.ts'
import { defined } from '../../validation/defined.ts'
import type { AudioCodecId } from './audio-codecs.ts'
import type { Container } from './containers.ts'

function audioContainer(
  muxer: string,
  audio: readonly AudioCodecId[],
  copies: readonly string[],
  cover?: Container['cover'],
): Container {
  return { muxer, video: [], audio, copies, singleAudioTrack: true, ...defined({ cover }) }
}

const littleEndian = ['pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le', 'pcm_f64le']
const bigEndian = ['pcm_s16be', 'pcm_s24be', 'pcm_s32be', 'pcm_f32be', 'pcm_f64be']

/** AIFF's own chunks support little more than a title, so tags are written as ID3v2. */
const aiff: Container = {
  ...audioContainer('aiff', ['pcm-be'], ['pcm_s16be', 'pcm_s24be', 'pcm_s32be'], 'stream'),
  args: ['-write_id3v2', '1'],
}

export const audioContainers = {
  mp3: audioContainer('mp3', ['mp3'], ['mp3'], 'stream'),
  wav: audioContainer('wav', ['pcm'], littleEndian),
  flac: audioContainer('flac', ['flac'], ['flac'], 'stream'),
  aac: audioContainer('adts', ['aac'], ['aac']),
  // Ogg also supports FLAC, but many players of .ogg files only play Vorbis.
  ogg: audioContainer('ogg', ['vorbis', 'opus', 'flac'], ['vorbis', 'opus'], 'text'),
  oga: audioContainer('ogg', ['vorbis', 'opus', 'flac'], ['vorbis', 'opus', 'flac'], 'text'),
  m4a: audioContainer('ipod', ['aac', 'alac'], ['aac', 'alac'], 'stream'),
  m4b: audioContainer('ipod', ['aac'], ['aac'], 'stream'),
  m4r: audioContainer('ipod', ['aac'], ['aac']),
  alac: audioContainer('ipod', ['alac'], ['alac'], 'stream'),
  wma: audioContainer('asf', ['wma'], ['wmav1', 'wmav2', 'wmapro']),
  aiff,
  opus: audioContainer('opus', ['opus'], ['opus'], 'text'),
  weba: audioContainer('webm', ['opus', 'vorbis'], ['opus', 'vorbis']),
  mka: audioContainer(
    'matroska',
    ['aac', 'opus', 'flac', 'mp3'],
    ['aac', 'opus', 'flac', 'mp3', 'vorbis', 'ac3', 'dts', 'alac'],
  ),
  amr: audioContainer('amr', ['amr'], ['amr_nb']),
  awb: audioContainer('amr', ['awb'], ['amr_wb']),
  '3ga': audioContainer('3gp', ['aac', 'amr'], ['aac', 'amr_nb']),
  ac3: audioContainer('ac3', ['ac3'], ['ac3']),
  eac3: audioContainer('eac3', ['eac3'], ['eac3']),
  dts: audioContainer('dts', ['dts'], ['dts']),
  caf: audioContainer('caf', ['pcm', 'aac', 'alac'], [...littleEndian, 'aac', 'alac']),
  au: audioContainer('au', ['pcm-be'], bigEndian),
  spx: audioContainer('ogg', ['speex'], ['speex']),
  wv: audioContainer('wv', ['wavpack'], ['wavpack']),
  tta: audioContainer('tta', ['tta'], ['tta']),
  mp2: audioContainer('mp2', ['mp2'], ['mp2']),
  w64: audioContainer('w64', ['pcm'], littleEndian),
  rf64: {
    ...audioContainer('wav', ['pcm'], littleEndian),
    // Writes RF64 at any size; by default, files below 4 GB would be plain WAV.
    args: ['-rf64', 'always'],
  },
  aif: aiff,
  aifc: { ...aiff, ...audioContainer('aiff', ['pcm', 'pcm-be'], ['pcm_s16le'], 'stream') },
  snd: audioContainer('au', ['pcm-be'], bigEndian),
  ra: audioContainer('rm', ['ac3'], ['ac3']),
  latm: audioContainer('latm', ['aac'], ['aac']),
  voc: { ...audioContainer('voc', ['pcm'], ['pcm_s16le']), maxChannels: 2 },
  sf: audioContainer('ircam', ['pcm'], ['pcm_s16le']),
  ast: audioContainer('ast', ['pcm-planar'], ['pcm_s16be_planar']),
  adx: audioContainer('adx', ['adx'], ['adpcm_adx']),
  mmf: audioContainer('mmf', ['yamaha'], []),
  mlp: audioContainer('mlp', ['mlp'], ['mlp']),
  thd: audioContainer('truehd', ['truehd'], ['truehd']),
  c2: audioContainer('codec2', ['codec2'], ['codec2']),
  sbc: audioContainer('sbc', ['sbc'], ['sbc']),
  gsm: audioContainer('gsm', ['gsm'], ['gsm']),
  g722: audioContainer('g722', ['g722'], ['adpcm_g722']),
  // Formats without a header have a fixed sample rate and channel count, so streams are never copied.
  g726: audioContainer('g726', ['g726'], []),
  al: audioContainer('alaw', ['alaw'], []),
  ul: audioContainer('mulaw', ['mulaw'], []),
  sln: audioContainer('s16le', ['pcm-8k'], []),
  pcm: audioContainer('s16le', ['pcm-cd'], []),
  aptx: audioContainer('aptx', ['aptx'], []),
  dfpwm: audioContainer('dfpwm', ['dfpwm'], []),
} as const satisfies Partial<Record<FormatId, Container>>
