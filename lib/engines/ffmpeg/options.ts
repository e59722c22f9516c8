import * as z from 'zod'
import { decimal, flag, integer, lenientOption, numberFromText, quality } from '../options.ts'
import { colorOption } from '../shared/image/options.ts'
import { watermarkOptionShape } from '../shared/image/watermark-options.ts'
import { audioCodecs } from './audio-codecs.ts'
import { codecAliases, encoderPresets } from './codecs.ts'
import type { Container } from './containers.ts'

const thousandsSuffixes = ['', 'k', 'm']

/** Parses numbers such as `2M` or `800k` (k is 1000), optionally with a unit. The schema handles other values. */
function createAmountParser(unitPattern: RegExp) {
  const pattern = new RegExp(`^(\\d{1,12}(?:\\.\\d{1,3})?)\\s*([kKmM]?)(?:${unitPattern.source})?$`)
  return (value: unknown) => {
    const match = typeof value === 'string' ? pattern.exec(value.trim()) : null
    if (!match) return value
    const [, amount, prefix = ''] = match
    return Math.round(Number(amount) * 1000 ** thousandsSuffixes.indexOf(prefix.toLowerCase()))
  }
}

function createBitRateOption(min: number, max: number) {
  const expectedMessage = `Expected ${min} to ${max} bits per second, such as 128k or 2M`
  return z.preprocess(createAmountParser(/bps/), z.int(expectedMessage).min(min).max(max))
}

function createByteSizeOption(min: number, max: number) {
  const expectedMessage = `Expected ${min} to ${max} bytes, such as 500k or 2M`
  return z.preprocess(createAmountParser(/[bB]/), z.int(expectedMessage).min(min).max(max))
}

function createCodecOption(names: readonly string[]) {
  const resolveAlias = (value: unknown) => {
    if (typeof value !== 'string') return value
    const name = value.trim().toLowerCase()
    return codecAliases[name] ?? name
  }
  return z.preprocess(resolveAlias, z.enum([...names, 'copy']))
}

const shortSidesByName = {
  '240p': 240,
  '360p': 360,
  '480p': 480,
  '720p': 720,
  '1080p': 1080,
  '1440p': 1440,
  '4k': 2160,
} as const

/** Resolution: the length of the shorter side, or a box into which the video is fitted. */
type Resolution = { readonly shortSide: number } | { readonly width: number; readonly height: number }

const resolutionPattern = /^(240p|360p|480p|720p|1080p|1440p|4k|[1-9]\d{1,3}x[1-9]\d{1,3})$/

/** Parses a resolution. @param text a value that matches `resolutionPattern` */
export function readResolution(text: string): Resolution {
  const namedResolution = Object.entries(shortSidesByName).find(([name]) => name === text)
  if (namedResolution) return { shortSide: namedResolution[1] }
  const [width = 2, height = 2] = text.split('x').map(Number)
  return { width, height }
}

/** Parses `HH:MM:SS.ms`, `MM:SS` or seconds to seconds. */
export const timestampOption = z.preprocess((value) => {
  const match =
    typeof value === 'string'
      ? /^(?:(?:(\d{1,2}):)?([0-5]?\d):)?(\d{1,5}(?:\.\d{1,6})?)$/.exec(value.trim())
      : null
  return match ? Number(match[1] ?? 0) * 3600 + Number(match[2] ?? 0) * 60 + Number(match[3]) : value
}, z.number('Expected a time up to 24 hours, as HH:MM:SS.ms, MM:SS or seconds').min(0).max(86_400))

const audioOptionShape = {
  audioBitrate: createBitRateOption(6_000, 1_536_000)
    .optional()
    .describe(
      'Bits per second of each audio track, such as 128k, if the codec supports different bit rates.',
    ),
  audioSampleRate: integer(8000, 192_000)
    .optional()
    .describe('Samples per second; the nearest rate that the codec supports is used.'),
}

const trimOptionShape = {
  start: timestampOption.optional().describe('Start time, as HH:MM:SS.ms or seconds.'),
  end: timestampOption.optional().describe('End time, as HH:MM:SS.ms or seconds.'),
}

const mixOptionShape = {
  channels: integer(1, 8)
    .optional()
    .describe('Channels of each audio track: 1 for mono, 2 for stereo, 6 for 5.1; limited by the codec.'),
  volume: decimal(0, 10).optional().describe('Volume factor: 0.5 halves the volume, 2 doubles it.'),
}

const mode = z
  .enum(['auto', 'remux-if-possible', 'encode'])
  .default('auto')
  .describe(
    'auto (or remux-if-possible) copies the streams if possible and re-encodes them otherwise; encode always re-encodes.',
  )
  .meta(lenientOption)

/**
 * Creates the options for an audio container. Lossless formats have no quality options, and formats whose streams are
 * never copied have no mode.
 */
export function createAudioOptions({ audio, copyableCodecs }: Container) {
  const { audioBitrate, audioSampleRate } = audioOptionShape
  const rateOptions = { audioBitrate, quality: videoOptionShape.quality }
  const schema = z.object({
    audioSampleRate,
    audioCodec: createCodecOption(audio)
      .optional()
      .describe('Audio codec; copy keeps the audio stream unchanged if possible.'),
    mode,
    ...mixOptionShape,
    ...trimOptionShape,
    ...rateOptions,
  })
  const rateSchema = audio.some((id) => 'kbits' in audioCodecs[id])
    ? schema
    : schema.omit({ audioBitrate: true, quality: true })
  return copyableCodecs.length > 0 ? rateSchema : rateSchema.omit({ mode: true })
}

export function createVideoOptions(container: Container) {
  const fullSchema = createFullVideoOptions(container)
  const schema = container.copyableCodecs.length > 0 ? fullSchema : fullSchema.omit({ mode: true })
  if (container.audio.length > 0) return schema
  return schema.omit({
    audioCodec: true,
    audioBitrate: true,
    audioSampleRate: true,
    channels: true,
    volume: true,
  })
}

/**
 * Option schemas that all containers share, because each schema takes a few kilobytes and there are dozens of
 * containers.
 */
const videoOptionShape = {
  preset: z
    .enum(encoderPresets)
    .optional()
    .describe('Slower presets make smaller files of the same quality.'),
  crf: integer(0, 63)
    .optional()
    .describe('Constant quality: lower is better. The maximum for h264 and h265 is 51.'),
  quality: quality.optional(),
  videoBitrate: createBitRateOption(10_000, 200_000_000)
    .optional()
    .describe('Bits per second of the video track, such as 2M.'),
  bitrate: createBitRateOption(10_000, 200_000_000)
    .optional()
    .meta({ description: 'Deprecated name of `videoBitrate`.', deprecated: true }),
  twoPass: flag()
    .optional()
    .describe('Encodes in two passes: meets the bit rate more precisely but takes twice as long.'),
  resolution: z
    .string()
    .toLowerCase()
    .regex(resolutionPattern, 'Expected 240p, 360p, 480p, 720p, 1080p, 1440p, 4k or a box such as 1280x720.')
    .optional()
    .describe(
      '240p to 4k set the shorter side; a size such as 1280x720 is a box that the video is fitted into. The aspect ratio is kept.',
    ),
  fps: decimal(1, 60).optional().describe('Frames per second.'),
  rotate: z
    .preprocess(numberFromText, z.literal([0, 90, 180, 270]))
    .optional()
    .describe('Rotates the video clockwise by this many degrees.'),
  background: colorOption
    .optional()
    .describe(
      'Color behind transparent parts, such as #ff8800 or white. By default, transparency is kept if the codec supports it; otherwise transparent parts become white in animations and black in videos.',
    ),
}

function createFullVideoOptions({ video, audio }: Container) {
  return z.object({
    ...audioOptionShape,
    ...mixOptionShape,
    ...trimOptionShape,
    codec: createCodecOption(video)
      .optional()
      .describe('Video codec; copy keeps the video stream unchanged if possible.'),
    ...videoOptionShape,
    audioCodec: createCodecOption(audio)
      .optional()
      .describe('Audio codec; copy keeps the audio stream unchanged if possible.'),
    mode,
  })
}

type VideoOptions = z.output<ReturnType<typeof createFullVideoOptions>>
type AudioOptions = Partial<
  Pick<
    VideoOptions,
    | ('audioBitrate' | 'audioSampleRate' | 'audioCodec' | 'quality')
    | ('channels' | 'volume' | 'start' | 'end' | 'mode')
  >
>
/** Options of audio and video conversions. */
export type MediaOptions = AudioOptions & Partial<VideoOptions>

const ditherMethods = ['none', 'floyd_steinberg', 'bayer:bayer_scale=5', 'sierra2'] as const

const animationOptionShape = {
  width: integer(16, 4096)
    .optional()
    .describe('Width in pixels; by default at most 480. The aspect ratio is kept.'),
  fps: decimal(5, 30).default(10).describe('Frames per second.'),
  start: timestampOption.optional().describe('Start time, as HH:MM:SS.ms.'),
  end: timestampOption.optional().describe('End time, as HH:MM:SS.ms.'),
  loop: integer(0, 65_535).default(0).describe('How many times the animation plays; 0 means forever.'),
}

export const gifOptions = z.object({
  ...animationOptionShape,
  dither: z
    .enum(ditherMethods)
    .default('bayer:bayer_scale=5')
    .describe('Dithering method for colors that are not in the palette.'),
  palette: z
    .enum(['optimized', 'full'])
    .default('optimized')
    .describe('optimized favors the colors of moving parts; full treats all parts of the image equally.'),
  boomerang: flag().default(false).describe('Plays the animation forward, then backward.'),
  maxFileSize: createByteSizeOption(10_000, 1_000_000_000)
    .optional()
    .describe(
      'Maximum size in bytes, or a size such as 500k or 2M: first the frame rate and then the dimensions are reduced until the file fits.',
    ),
})

export const animatedWebpOptions = z.object({ ...animationOptionShape, quality: quality.optional() })

export const animatedPngOptions = z.object(animationOptionShape)

const targetSize = createByteSizeOption(10_000, 20_000_000_000)
  .optional()
  .describe('Maximum size of the result in bytes, or a size such as 500k or 8M. Use it instead of quality.')

/** Creates the options for making a file smaller without changing its format. */
export function createCompressOptions(container: Container) {
  const { quality, resolution, fps } = videoOptionShape
  const schema = z.object({ quality, targetSize, resolution, fps })
  return container.video.length > 0 ? schema : schema.omit({ resolution: true, fps: true })
}

export type CompressOptions = Partial<z.output<ReturnType<typeof createCompressOptions>>> & {
  readonly resolution?: string | undefined
  readonly fps?: number | undefined
}

/** Options for a watermark on a video, which must be re-encoded for it. */
export const videoWatermarkOptions = z.object({
  ...watermarkOptionShape,
  quality: quality.optional(),
  preset: z
    .enum(encoderPresets)
    .optional()
    .describe('Slower presets make smaller files of the same quality.'),
})

export const mergeVideoOptions = z.object({
  mode: z
    .enum(['auto', 'encode'])
    .default('auto')
    .describe(
      'auto copies the streams if all videos have the same format and neither quality nor preset is set; encode always re-encodes.',
    )
    .meta(lenientOption),
  quality: quality.optional(),
  preset: z
    .enum(encoderPresets)
    .optional()
    .describe('Slower presets make smaller files of the same quality.'),
})

export const mergeAudioOptions = z.object({
  gap: decimal(0, 10).default(0).describe('Seconds of silence between two files.'),
  quality: quality.optional(),
  audioBitrate: audioOptionShape.audioBitrate,
})

export type MergeVideoOptions = z.output<typeof mergeVideoOptions>
export type MergeAudioOptions = z.output<typeof mergeAudioOptions>
export type GifOptions = z.output<typeof gifOptions>
export type ClipOptions = z.output<typeof animatedWebpOptions>
