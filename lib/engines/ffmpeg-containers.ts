import type { FormatId } from '../formats/index.ts'
import type { AudioCodecId, VideoCodecId } from './ffmpeg-codecs.ts'

export interface Container {
  readonly muxer: string
  readonly args?: readonly string[]
  /** Codecs that it can be asked for, the usual first; none for a format of sound only. */
  readonly video: readonly VideoCodecId[]
  readonly audio: readonly AudioCodecId[]
  /** ffprobe's names of codecs that are copied into it as they are. */
  readonly copies: readonly string[]
  /** Holds one sound track only. */
  readonly oneAudio?: true
  /** Encoder for subtitles that are text. */
  readonly subtitles?: 'mov_text' | 'srt' | 'webvtt'
  /** Holds subtitles that are pictures. */
  readonly pictureSubtitles?: true
  /** Holds a cover picture. */
  readonly cover?: true
  /** Tells players to turn the picture, so that a turned one can be copied. */
  readonly rotation?: true
  /** Holds alpha as its codecs have it. */
  readonly alpha?: true
  /** FourCC of the video. */
  readonly videoTag?: string
  /** Sample rates, where the container takes fewer than the codec. */
  readonly rates?: readonly number[]
}

const faststart = ['-movflags', '+faststart']
const mp4Copies = ['h264', 'hevc', 'av1', 'vp9', 'mpeg4', 'aac', 'mp3', 'ac3', 'eac3', 'opus', 'alac']
const tsCopies = ['h264', 'hevc', 'mpeg2video', 'aac', 'mp3', 'mp2', 'ac3', 'eac3']
const asfCopies = ['wmv1', 'wmv2', 'wmv3', 'vc1', 'msmpeg4v3', 'wmav1', 'wmav2', 'wmapro']
const mpegAudio = { audio: ['mp2', 'ac3'] } as const

export const videoContainers = {
  mp4: {
    muxer: 'mp4',
    args: faststart,
    video: ['h264', 'h265', 'av1', 'vp9', 'mpeg4'],
    audio: ['aac', 'mp3', 'ac3', 'opus', 'alac'],
    copies: mp4Copies,
    subtitles: 'mov_text',
    rotation: true,
  },
  m4v: {
    muxer: 'mp4',
    args: faststart,
    video: ['h264', 'h265', 'mpeg4'],
    audio: ['aac', 'ac3', 'alac'],
    copies: ['h264', 'hevc', 'mpeg4', 'aac', 'ac3', 'eac3', 'alac'],
    subtitles: 'mov_text',
    rotation: true,
  },
  mov: {
    muxer: 'mov',
    args: faststart,
    video: ['h264', 'h265', 'prores', 'mpeg4'],
    audio: ['aac', 'mp3', 'ac3', 'alac', 'pcm'],
    copies: [
      'h264',
      'hevc',
      'prores',
      'mpeg4',
      'mjpeg',
      'dvvideo',
      'qtrle',
      'aac',
      'mp3',
      'ac3',
      'alac',
      'pcm_s16le',
      'pcm_s24le',
      'pcm_s16be',
    ],
    subtitles: 'mov_text',
    alpha: true,
    rotation: true,
  },
  mkv: {
    muxer: 'matroska',
    video: ['h264', 'h265', 'vp9', 'vp8', 'av1', 'mpeg4', 'mpeg2', 'theora', 'prores'],
    audio: ['aac', 'mp3', 'opus', 'vorbis', 'flac', 'ac3', 'eac3', 'dts', 'pcm', 'alac'],
    copies: [
      ...mp4Copies,
      ...[
        'vp8',
        'theora',
        'mpeg1video',
        'mpeg2video',
        'prores',
        'mjpeg',
        'wmv2',
        'wmv3',
        'msmpeg4v3',
        'h263',
      ],
      ...[
        'vorbis',
        'flac',
        'dts',
        'truehd',
        'mp2',
        'wavpack',
        'tta',
        'pcm_s16le',
        'pcm_s24le',
        'wmav2',
        'amr_nb',
      ],
    ],
    subtitles: 'srt',
    pictureSubtitles: true,
    alpha: true,
  },
  webm: {
    muxer: 'webm',
    video: ['vp9', 'vp8', 'av1'],
    audio: ['opus', 'vorbis'],
    copies: ['vp8', 'vp9', 'av1', 'opus', 'vorbis'],
    subtitles: 'webvtt',
    alpha: true,
  },
  avi: {
    muxer: 'avi',
    video: ['mpeg4', 'xvid'],
    audio: ['mp3', 'ac3', 'pcm'],
    copies: ['mpeg4', 'msmpeg4v3', 'mjpeg', 'mp3', 'ac3', 'mp2', 'pcm_s16le'],
    videoTag: 'XVID',
  },
  divx: {
    muxer: 'avi',
    video: ['mpeg4'],
    audio: ['mp3', 'ac3'],
    copies: ['mpeg4', 'mp3', 'ac3'],
    oneAudio: true,
    videoTag: 'DIVX',
  },
  xvid: {
    muxer: 'avi',
    video: ['xvid'],
    audio: ['mp3', 'ac3'],
    copies: ['mpeg4', 'mp3', 'ac3'],
    oneAudio: true,
    videoTag: 'XVID',
  },
  wmv: { muxer: 'asf', video: ['wmv'], audio: ['wma'], copies: asfCopies },
  asf: { muxer: 'asf', video: ['wmv'], audio: ['wma'], copies: asfCopies },
  flv: {
    muxer: 'flv',
    video: ['h264', 'flv'],
    audio: ['aac', 'mp3'],
    copies: ['h264', 'flv1', 'vp6f', 'aac', 'mp3'],
    oneAudio: true,
    rates: [11025, 22050, 44100],
  },
  f4v: {
    muxer: 'f4v',
    args: faststart,
    video: ['h264'],
    audio: ['aac', 'mp3'],
    copies: ['h264', 'aac', 'mp3'],
    oneAudio: true,
  },
  swf: {
    muxer: 'swf',
    video: ['flv'],
    audio: ['mp3'],
    copies: ['flv1'],
    oneAudio: true,
    rates: [11025, 22050, 44100],
  },
  '3gp': {
    muxer: '3gp',
    video: ['h264', 'mpeg4'],
    audio: ['aac', 'amr'],
    copies: ['h264', 'h263', 'mpeg4', 'aac', 'amr_nb', 'amr_wb'],
    rotation: true,
  },
  '3g2': {
    muxer: '3g2',
    video: ['h264', 'mpeg4'],
    audio: ['aac', 'amr'],
    copies: ['h264', 'h263', 'mpeg4', 'aac', 'amr_nb', 'amr_wb'],
    rotation: true,
  },
  mpeg: { muxer: 'vob', video: ['mpeg2'], ...mpegAudio, copies: ['mpeg2video', 'mp2', 'ac3'] },
  mpg: { muxer: 'mpeg', video: ['mpeg1'], audio: ['mp2'], copies: ['mpeg1video', 'mp2'] },
  vob: {
    muxer: 'vob',
    video: ['mpeg2'],
    audio: ['ac3', 'mp2'],
    copies: ['mpeg2video', 'mp2', 'ac3'],
    rates: [48000],
  },
  ts: { muxer: 'mpegts', video: ['h264', 'h265', 'mpeg2'], audio: ['aac', 'mp2', 'ac3'], copies: tsCopies },
  mts: {
    muxer: 'mpegts',
    args: ['-mpegts_m2ts_mode', '1'],
    video: ['h264'],
    audio: ['ac3', 'aac'],
    copies: ['h264', 'ac3', 'aac'],
  },
  m2ts: {
    muxer: 'mpegts',
    args: ['-mpegts_m2ts_mode', '1'],
    video: ['h264', 'h265', 'mpeg2'],
    audio: ['ac3', 'aac'],
    copies: tsCopies,
  },
  ogv: {
    muxer: 'ogg',
    video: ['theora'],
    audio: ['vorbis', 'opus', 'flac'],
    copies: ['theora', 'vorbis', 'opus', 'flac'],
  },
  mxf: {
    muxer: 'mxf',
    video: ['mpeg2'],
    audio: ['pcm'],
    copies: ['mpeg2video', 'pcm_s16le'],
    rates: [48000],
  },
} as const satisfies Partial<Record<FormatId, Container>>

function sound(
  muxer: string,
  audio: readonly AudioCodecId[],
  copies: readonly string[],
  cover?: true,
): Container {
  return { muxer, video: [], audio, copies, oneAudio: true, ...(cover && { cover }) }
}

export const audioContainers = {
  mp3: sound('mp3', ['mp3'], ['mp3'], true),
  wav: sound('wav', ['pcm'], ['pcm_s16le', 'pcm_s24le', 'pcm_f32le']),
  flac: sound('flac', ['flac'], ['flac'], true),
  aac: sound('adts', ['aac'], ['aac']),
  // Ogg can hold FLAC, but who asks for .ogg means Vorbis: many players take no other.
  ogg: sound('ogg', ['vorbis', 'opus', 'flac'], ['vorbis', 'opus']),
  oga: sound('ogg', ['vorbis', 'opus', 'flac'], ['vorbis', 'opus', 'flac']),
  m4a: sound('ipod', ['aac', 'alac'], ['aac', 'alac'], true),
  m4b: sound('ipod', ['aac'], ['aac'], true),
  m4r: sound('ipod', ['aac'], ['aac']),
  alac: sound('ipod', ['alac'], ['alac'], true),
  wma: sound('asf', ['wma'], ['wmav1', 'wmav2', 'wmapro']),
  aiff: sound('aiff', ['pcm-be'], ['pcm_s16be', 'pcm_s24be']),
  opus: sound('opus', ['opus'], ['opus']),
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
  caf: sound('caf', ['pcm', 'aac', 'alac'], ['pcm_s16le', 'aac', 'alac']),
  au: sound('au', ['pcm-be'], ['pcm_s16be']),
  spx: sound('ogg', ['speex'], ['speex']),
  wv: sound('wv', ['wavpack'], ['wavpack']),
  tta: sound('tta', ['tta'], ['tta']),
  mp2: sound('mp2', ['mp2'], ['mp2']),
  w64: sound('w64', ['pcm'], ['pcm_s16le', 'pcm_s24le']),
} as const satisfies Partial<Record<FormatId, Container>>

export type VideoTargetId = keyof typeof videoContainers
export type AudioTargetId = keyof typeof audioContainers
