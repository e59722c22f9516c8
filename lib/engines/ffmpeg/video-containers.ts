import type { FormatId } from '../../formats/index.ts'
import type { VideoCodecId } from './codecs.ts'
import type { Container } from './containers.ts'

// Moves the index to the beginning, so that players can start before the whole file is loaded.
const faststartArgs = ['-movflags', '+faststart']

const mp4CopyableCodecs = ['h264', 'hevc', 'av1', 'vp9', 'mpeg4', 'aac', 'mp3', 'ac3', 'eac3', 'opus', 'alac']
const tsCopyableCodecs = ['h264', 'hevc', 'mpeg2video', 'aac', 'mp3', 'mp2', 'ac3', 'eac3']
const asfCopyableCodecs = ['wmv1', 'wmv2', 'wmv3', 'vc1', 'msmpeg4v3', 'wmav1', 'wmav2', 'wmapro']
const mpegAudio = { audio: ['mp2', 'ac3'] } as const

/** Creates the container of a raw video format, which supports only one codec. */
function createRawVideoContainer(muxer: string, codec: VideoCodecId, copiedCodec: string): Container {
  return { muxer, video: [codec], audio: [], copyableCodecs: [copiedCodec], constantFrameRate: true }
}

const matroska = {
  muxer: 'matroska',
  video: ['h264', 'h265', 'vp9', 'vp8', 'av1', 'mpeg4', 'mpeg2', 'theora', 'prores'],
  audio: ['aac', 'mp3', 'opus', 'vorbis', 'flac', 'ac3', 'eac3', 'dts', 'pcm', 'alac'],
  copyableCodecs: [
    ...mp4CopyableCodecs,
    ...['vp8', 'theora', 'mpeg1video', 'mpeg2video', 'prores', 'mjpeg', 'wmv2', 'wmv3', 'msmpeg4v3', 'h263'],
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
  imageSubtitles: true,
  alpha: true,
} as const satisfies Container

export const videoContainers = {
  mp4: {
    muxer: 'mp4',
    args: faststartArgs,
    video: ['h264', 'h265', 'av1', 'vp9', 'mpeg4'],
    audio: ['aac', 'mp3', 'ac3', 'opus', 'alac'],
    copyableCodecs: mp4CopyableCodecs,
    subtitles: 'mov_text',
    cover: 'stream',
    rotation: true,
  },
  m4v: {
    muxer: 'mp4',
    args: faststartArgs,
    video: ['h264', 'h265', 'mpeg4'],
    audio: ['aac', 'ac3', 'alac'],
    copyableCodecs: ['h264', 'hevc', 'mpeg4', 'aac', 'ac3', 'eac3', 'alac'],
    subtitles: 'mov_text',
    cover: 'stream',
    rotation: true,
  },
  mov: {
    muxer: 'mov',
    args: faststartArgs,
    video: ['h264', 'h265', 'prores', 'mpeg4'],
    audio: ['aac', 'mp3', 'ac3', 'alac', 'pcm'],
    copyableCodecs: [
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
  mkv: matroska,
  webm: {
    muxer: 'webm',
    video: ['vp9', 'vp8', 'av1'],
    audio: ['opus', 'vorbis'],
    copyableCodecs: ['vp8', 'vp9', 'av1', 'opus', 'vorbis'],
    subtitles: 'webvtt',
    alpha: true,
  },
  avi: {
    muxer: 'avi',
    video: ['mpeg4', 'xvid'],
    audio: ['mp3', 'ac3', 'pcm'],
    copyableCodecs: ['mpeg4', 'msmpeg4v3', 'mjpeg', 'mp3', 'ac3', 'mp2', 'pcm_s16le', 'pcm_s24le'],
    videoTag: 'XVID',
    constantFrameRate: true,
  },
  divx: {
    muxer: 'avi',
    video: ['mpeg4'],
    audio: ['mp3', 'ac3'],
    copyableCodecs: ['mpeg4', 'mp3', 'ac3'],
    singleAudioTrack: true,
    videoTag: 'DIVX',
    constantFrameRate: true,
  },
  xvid: {
    muxer: 'avi',
    video: ['xvid'],
    audio: ['mp3', 'ac3'],
    copyableCodecs: ['mpeg4', 'mp3', 'ac3'],
    singleAudioTrack: true,
    videoTag: 'XVID',
    constantFrameRate: true,
  },
  wmv: { muxer: 'asf', video: ['wmv'], audio: ['wma'], copyableCodecs: asfCopyableCodecs },
  asf: { muxer: 'asf', video: ['wmv'], audio: ['wma'], copyableCodecs: asfCopyableCodecs },
  flv: {
    muxer: 'flv',
    video: ['h264', 'flv'],
    audio: ['aac', 'mp3'],
    copyableCodecs: ['h264', 'flv1', 'vp6f', 'aac', 'mp3'],
    singleAudioTrack: true,
    // All rates that the two-bit field supports (Video File Format 10.1, E.4.2.1).
    sampleRates: [11025, 22050, 44100],
  },
  f4v: {
    muxer: 'f4v',
    args: faststartArgs,
    video: ['h264'],
    audio: ['aac', 'mp3'],
    copyableCodecs: ['h264', 'aac', 'mp3'],
    singleAudioTrack: true,
  },
  swf: {
    muxer: 'swf',
    video: ['flv'],
    audio: ['mp3'],
    copyableCodecs: ['flv1'],
    singleAudioTrack: true,
    constantFrameRate: true,
    sampleRates: [11025, 22050, 44100],
  },
  '3gp': {
    muxer: '3gp',
    video: ['h264', 'mpeg4'],
    audio: ['aac', 'amr'],
    copyableCodecs: ['h264', 'h263', 'mpeg4', 'aac', 'amr_nb', 'amr_wb'],
    rotation: true,
  },
  '3g2': {
    muxer: '3g2',
    video: ['h264', 'mpeg4'],
    audio: ['aac', 'amr'],
    copyableCodecs: ['h264', 'h263', 'mpeg4', 'aac', 'amr_nb', 'amr_wb'],
    rotation: true,
  },
  // The muxer `vob` writes MPEG-2 program streams, and the muxer `mpeg` those of MPEG-1.
  mpeg: { muxer: 'vob', video: ['mpeg2'], ...mpegAudio, copyableCodecs: ['mpeg2video', 'mp2', 'ac3'] },
  mpg: { muxer: 'mpeg', video: ['mpeg1'], audio: ['mp2'], copyableCodecs: ['mpeg1video', 'mp2'] },
  vob: {
    muxer: 'vob',
    video: ['mpeg2'],
    audio: ['ac3', 'mp2'],
    copyableCodecs: ['mpeg2video', 'mp2', 'ac3'],
    sampleRates: [48000],
  },
  ts: {
    muxer: 'mpegts',
    video: ['h264', 'h265', 'mpeg2'],
    audio: ['aac', 'mp2', 'ac3'],
    copyableCodecs: tsCopyableCodecs,
  },
  mts: {
    muxer: 'mpegts',
    // Packets of 192 bytes, as used by cameras and Blu-ray.
    args: ['-mpegts_m2ts_mode', '1'],
    video: ['h264'],
    audio: ['ac3', 'aac'],
    copyableCodecs: ['h264', 'ac3', 'aac'],
  },
  m2ts: {
    muxer: 'mpegts',
    args: ['-mpegts_m2ts_mode', '1'],
    video: ['h264', 'h265', 'mpeg2'],
    audio: ['ac3', 'aac'],
    copyableCodecs: tsCopyableCodecs,
  },
  ogv: {
    muxer: 'ogg',
    video: ['theora'],
    audio: ['vorbis', 'opus', 'flac'],
    copyableCodecs: ['theora', 'vorbis', 'opus', 'flac'],
  },
  mxf: {
    muxer: 'mxf',
    video: ['mpeg2'],
    audio: ['pcm'],
    copyableCodecs: ['mpeg2video', 'pcm_s16le', 'pcm_s24le'],
    sampleRates: [48000],
  },
  mk3d: matroska,
  m2t: {
    muxer: 'mpegts',
    video: ['mpeg2', 'h264', 'h265'],
    audio: ['mp2', 'aac', 'ac3'],
    copyableCodecs: tsCopyableCodecs,
  },
  ogm: {
    muxer: 'ogg',
    video: ['theora'],
    audio: ['vorbis', 'opus', 'flac'],
    copyableCodecs: ['theora', 'vorbis', 'opus', 'flac'],
  },
  ismv: { muxer: 'ismv', video: ['h264'], audio: ['aac'], copyableCodecs: ['h264', 'aac'] },
  nut: {
    muxer: 'nut',
    video: ['h264', 'mpeg4', 'mpeg2'],
    audio: ['aac', 'mp3', 'flac', 'opus', 'pcm'],
    copyableCodecs: ['h264', 'mpeg4', 'mpeg2video', 'ffv1', 'aac', 'mp3', 'flac', 'opus', 'pcm_s16le'],
  },
  wtv: {
    muxer: 'wtv',
    video: ['mpeg2'],
    audio: ['mp2', 'ac3'],
    copyableCodecs: ['mpeg2video', 'mp2', 'ac3'],
  },
  rm: {
    muxer: 'rm',
    video: ['realvideo'],
    audio: ['ac3'],
    // Only audio can be copied, because a copied video stream could not be decoded.
    copyableCodecs: ['ac3'],
    singleAudioTrack: true,
    constantFrameRate: true,
  },
  dv: {
    muxer: 'dv',
    video: ['dv'],
    audio: ['pcm-stereo'],
    copyableCodecs: ['dvvideo'],
    singleAudioTrack: true,
    requiresAudio: true,
    sampleRates: [48000],
  },
  amv: {
    muxer: 'amv',
    video: ['amv'],
    audio: ['amv'],
    copyableCodecs: [],
    singleAudioTrack: true,
    requiresAudio: true,
  },
  h264: createRawVideoContainer('h264', 'h264', 'h264'),
  hevc: createRawVideoContainer('hevc', 'h265', 'hevc'),
  obu: createRawVideoContainer('obu', 'av1', 'av1'),
  ivf: {
    ...createRawVideoContainer('ivf', 'vp8', 'vp8'),
    video: ['vp8', 'vp9', 'av1'],
    copyableCodecs: ['vp8', 'vp9', 'av1'],
  },
  m1v: createRawVideoContainer('mpeg1video', 'mpeg1', 'mpeg1video'),
  m2v: createRawVideoContainer('mpeg2video', 'mpeg2', 'mpeg2video'),
  mjpeg: createRawVideoContainer('mjpeg', 'mjpeg', 'mjpeg'),
  mj2: createRawVideoContainer('mov', 'jpeg2000', 'jpeg2000'),
  y4m: createRawVideoContainer('yuv4mpegpipe', 'raw', 'rawvideo'),
} as const satisfies Partial<Record<FormatId, Container>>
