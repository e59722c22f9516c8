import { keysOf } from '../../validation/keys-of.ts'
import type { QualityScale } from '../options.ts'
import type { AudioCodecId } from './audio-codecs.ts'

export interface FixedFrame {
  readonly width: number
  readonly height: number
  readonly displayWidth: number
}

/** Encoder settings of a video codec. `ffmpeg -h encoder=NAME` lists what an encoder supports. */
export interface VideoCodec {
  readonly encoder: string
  /** Name of the codec in ffprobe. */
  readonly name: string
  /**
   * Constant quality: the flag, its maximum and the values of the quality levels. Lower values mean better quality,
   * except for Theora.
   */
  readonly crf?: { readonly flag: string; readonly max: number; readonly levels: QualityScale }
  /** Returns the flags of a preset. */
  readonly preset?: (preset: EncoderPreset) => readonly string[]
  readonly args?: readonly string[]
  readonly alpha?: true
  /** Arguments for HDR videos; set if the codec preserves HDR. */
  readonly hdrArgs?: readonly string[]
  /** Whether the encoder supports two passes with `-pass`. */
  readonly twoPass?: true
  /** Supported frame rates in ffmpeg's notation; any if omitted. */
  readonly frameRates?: readonly string[]
  /** The only supported frame size, in pixels. The display width differs because the pixels are not square. */
  readonly fixedFrame?: FixedFrame
  /** Width and height must be multiples of this; 2 if omitted. */
  readonly sizeStep?: number
  /** Alternative settings for frames with a side shorter than the encoder supports. */
  readonly smallFrames?: {
    readonly minSide: number
    readonly encoder: string
    readonly preset: readonly string[]
  }
}

const tvFrameRates = ['24000/1001', '24', '25', '30000/1001', '30', '50', '60000/1001', '60'] as const

/** Presets of x264, the fastest first. They are mapped to the nearest settings of other encoders. */
export const encoderPresets = [
  'ultrafast',
  'superfast',
  'veryfast',
  'faster',
  'fast',
  'medium',
  'slow',
  'slower',
  'veryslow',
] as const
export type EncoderPreset = (typeof encoderPresets)[number]

const getPresetIndex = (preset: EncoderPreset) => encoderPresets.indexOf(preset)
const createPresetArgs = (preset: EncoderPreset) => ['-preset', preset]
const yuv420Args = ['-pix_fmt', 'yuv420p']
/** Quantizers of MPEG, which many older codecs use too. */
const quantizer = { flag: '-q:v', max: 31, levels: { low: 10, medium: 6, high: 4, highest: 2 } }

export const videoCodecs = {
  h264: {
    encoder: 'libx264',
    name: 'h264',
    crf: { flag: '-crf', max: 51, levels: { low: 30, medium: 26, high: 22, highest: 18 } },
    preset: createPresetArgs,
    args: yuv420Args,
    twoPass: true,
  },
  h265: {
    encoder: 'libx265',
    name: 'hevc',
    crf: { flag: '-crf', max: 51, levels: { low: 34, medium: 30, high: 26, highest: 21 } },
    preset: createPresetArgs,
    args: [...yuv420Args, '-x265-params', 'log-level=error:pools=2'],
    hdrArgs: ['-pix_fmt', 'yuv420p10le'],
  },
  vp9: {
    encoder: 'libvpx-vp9',
    name: 'vp9',
    crf: { flag: '-crf', max: 63, levels: { low: 42, medium: 37, high: 32, highest: 24 } },
    // Uses values of `-cpu-used` from 1 to 5: above 5, the quality suffers, and at 0, a minute of video takes more than
    // an hour.
    preset: (preset) => [
      '-deadline',
      'good',
      '-cpu-used',
      String(Math.max(1, 5 - Math.floor(getPresetIndex(preset) / 2))),
    ],
    args: ['-row-mt', '1'],
    alpha: true,
    twoPass: true,
  },
  vp8: {
    encoder: 'libvpx',
    name: 'vp8',
    crf: { flag: '-crf', max: 63, levels: { low: 30, medium: 20, high: 10, highest: 4 } },
    preset: (preset) => [
      '-deadline',
      'good',
      '-cpu-used',
      String(Math.max(0, 5 - Math.floor(getPresetIndex(preset) / 2))),
    ],
    alpha: true,
    twoPass: true,
  },
  av1: {
    encoder: 'libsvtav1',
    name: 'av1',
    crf: { flag: '-crf', max: 63, levels: { low: 48, medium: 42, high: 35, highest: 26 } },
    preset: (preset) => ['-preset', String(12 - getPresetIndex(preset))],
    args: yuv420Args,
    smallFrames: { minSide: 64, encoder: 'libaom-av1', preset: ['-cpu-used', '8'] },
  },
  mpeg4: { encoder: 'mpeg4', name: 'mpeg4', crf: quantizer, args: yuv420Args, twoPass: true },
  xvid: { encoder: 'libxvid', name: 'mpeg4', crf: quantizer, args: yuv420Args },
  // Profile 3 is ProRes 422 HQ.
  prores: { encoder: 'prores_ks', name: 'prores', args: ['-profile:v', '3', '-pix_fmt', 'yuv422p10le'] },
  mpeg2: {
    encoder: 'mpeg2video',
    name: 'mpeg2video',
    crf: quantizer,
    args: yuv420Args,
    twoPass: true,
    frameRates: tvFrameRates,
  },
  mpeg1: {
    encoder: 'mpeg1video',
    name: 'mpeg1video',
    crf: quantizer,
    args: yuv420Args,
    twoPass: true,
    frameRates: tvFrameRates,
  },
  wmv: { encoder: 'wmv2', name: 'wmv2', crf: quantizer, args: yuv420Args },
  flv: { encoder: 'flv', name: 'flv1', crf: quantizer, args: yuv420Args },
  theora: {
    encoder: 'libtheora',
    name: 'theora',
    // Unlike with all other codecs, a higher value means better quality.
    crf: { flag: '-q:v', max: 10, levels: { low: 4, medium: 6, high: 7, highest: 9 } },
    args: yuv420Args,
  },
  mjpeg: { encoder: 'mjpeg', name: 'mjpeg', crf: quantizer, args: ['-pix_fmt', 'yuvj420p'] },
  jpeg2000: {
    encoder: 'libopenjpeg',
    name: 'jpeg2000',
    args: yuv420Args,
    // By default, the encoder halves each frame five times, which requires sides of 32 pixels.
    smallFrames: { minSide: 32, encoder: 'libopenjpeg', preset: ['-numresolution', '1'] },
  },
  realvideo: { encoder: 'rv20', name: 'rv20', crf: quantizer, args: yuv420Args, sizeStep: 4 },
  // DV for 625 lines, whose pixels are slightly wide (IEC 61834).
  dv: {
    encoder: 'dvvideo',
    name: 'dvvideo',
    args: yuv420Args,
    frameRates: ['25'],
    fixedFrame: { width: 720, height: 576, displayWidth: 768 },
  },
  amv: {
    encoder: 'amv',
    name: 'amv',
    args: ['-pix_fmt', 'yuvj420p', '-strict', '-1'],
    frameRates: ['25'],
    fixedFrame: { width: 160, height: 120, displayWidth: 160 },
  },
  raw: { encoder: 'wrapped_avframe', name: 'rawvideo', args: yuv420Args },
} as const satisfies Record<string, VideoCodec>

export type VideoCodecId = keyof typeof videoCodecs

/** Returns the codec that creates streams with this ffprobe name. */
export function findCodecIdByName(name: string): VideoCodecId | undefined {
  const ids = keysOf(videoCodecs)
  return ids.find((id) => videoCodecs[id].name === name)
}

/** Encoder names and other spellings that clients may send. */
export const codecAliases: Readonly<Record<string, VideoCodecId | AudioCodecId>> = {
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
  libmp3lame: 'mp3',
  libopus: 'opus',
  libvorbis: 'vorbis',
  libspeex: 'speex',
  wmav2: 'wma',
  pcm_s16le: 'pcm',
}
