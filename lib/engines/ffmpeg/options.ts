import * as z from 'zod'
import { colorOption } from '../image/options.ts'
import { watermarkShape } from '../image/watermark-options.ts'
import { decimal, flag, integer, lenientOption, numberFromText, quality } from '../options.ts'
import { audioCodecs } from './audio-codecs.ts'
import { codecAliases, encoderPresets } from './codecs.ts'
import type { Container } from './containers.ts'

const thousands = ['', 'k', 'm']

/** `2M` or `800k` as a number: k is 1000, and `unit` may stand behind it. All else is left for the schema to refuse. */
function amountParser(unit: RegExp) {
  const pattern = new RegExp(`^(\\d{1,12}(?:\\.\\d{1,3})?)\\s*([kKmM]?)(?:${unit.source})?$`)
  return (value: unknown) => {
    const match = typeof value === 'string' ? pattern.exec(value.trim()) : null
    if (!match) return value
    const [, amount, prefix = ''] = match
    return Math.round(Number(amount) * 1000 ** thousands.indexOf(prefix.toLowerCase()))
  }
}

function bitRate(min: number, max: number) {
  const expected = `Expected ${min} to ${max} bits per second, as 128k or 2M`
  return z.preprocess(amountParser(/bps/), z.int(expected).min(min).max(max))
}

function byteSize(min: number, max: number) {
  const expected = `Expected ${min} to ${max} bytes, as 500k or 2M`
  return z.preprocess(amountParser(/[bB]/), z.int(expected).min(min).max(max))
}

function codec(names: readonly string[]) {
  const fromAlias = (value: unknown) => {
    if (typeof value !== 'string') return value
    const name = value.trim().toLowerCase()
    return codecAliases[name] ?? name
  }
  return z.preprocess(fromAlias, z.enum([...names, 'copy']))
}

const resolutionNames = {
  '240p': 240,
  '360p': 360,
  '480p': 480,
  '720p': 720,
  '1080p': 1080,
  '1440p': 1440,
  '4k': 2160,
} as const

/** Length of the shorter side, or a box to fit into. */
export type Resolution = { readonly shortSide: number } | { readonly width: number; readonly height: number }

const resolutionPattern = /^(240p|360p|480p|720p|1080p|1440p|4k|[1-9]\d{1,3}x[1-9]\d{1,3})$/

/** Only for text that `resolutionPattern` lets pass. */
export function readResolution(text: string): Resolution {
  const named = Object.entries(resolutionNames).find(([name]) => name === text)
  if (named) return { shortSide: named[1] }
  const [width = 2, height = 2] = text.split('x').map(Number)
  return { width, height }
}

/** `HH:MM:SS.ms`, `MM:SS` or seconds, as seconds. */
export const timestampOption = z.preprocess((value) => {
  const match =
    typeof value === 'string'
      ? /^(?:(?:(\d{1,2}):)?([0-5]?\d):)?(\d{1,5}(?:\.\d{1,6})?)$/.exec(value.trim())
      : null
  return match ? Number(match[1] ?? 0) * 3600 + Number(match[2] ?? 0) * 60 + Number(match[3]) : value
}, z.number('Expected a time up to 24 hours, as HH:MM:SS.ms, MM:SS or seconds').min(0).max(86_400))

const audioShape = {
  audioBitrate: bitRate(6_000, 1_536_000)
    .optional()
    .describe('Bits per second of each sound track, as 128k; where the codec has a choice.'),
  audioSampleRate: integer(8000, 192_000)
    .optional()
    .describe('Samples per second; the nearest that the codec knows is taken.'),
}

const trimShape = {
  start: timestampOption.optional().describe('Where to begin, as HH:MM:SS.ms or seconds.'),
  end: timestampOption.optional().describe('Where to end, as HH:MM:SS.ms or seconds.'),
}

const mixShape = {
  channels: integer(1, 8)
    .optional()
    .describe('Channels of each sound track: 1 mono, 2 stereo, 6 for 5.1; at most what the codec holds.'),
  volume: decimal(0, 10).optional().describe('Loudness: 0.5 halves, 2 doubles it.'),
}

const mode = z
  .enum(['auto', 'remux-if-possible', 'encode'])
  .default('auto')
  .describe(
    'auto, or remux-if-possible, copies the streams where they fit and encodes otherwise; encode always encodes.',
  )
  .meta(lenientOption)

/** Where nothing can be lost, there is nothing to choose. */
export function audioOptions({ audio }: Container) {
  const { audioBitrate, audioSampleRate } = audioShape
  const rates = { audioBitrate, quality: videoShape.quality }
  const schema = z.object({
    audioSampleRate,
    audioCodec: codec(audio).optional().describe('Codec of the sound; copy keeps it where it fits.'),
    mode,
    ...mixShape,
    ...trimShape,
    ...rates,
  })
  return audio.some((id) => 'kbits' in audioCodecs[id])
    ? schema
    : schema.omit({ audioBitrate: true, quality: true })
}

export function videoOptions(container: Container) {
  const schema = fullVideoOptions(container)
  if (container.audio.length > 0) return schema
  return schema.omit({
    audioCodec: true,
    audioBitrate: true,
    audioSampleRate: true,
    channels: true,
    volume: true,
  })
}

/** Made once: a schema takes some kilobytes, and there are dozens of containers. */
const videoShape = {
  preset: z.enum(encoderPresets).optional().describe('Slower makes smaller files of the same quality.'),
  crf: integer(0, 63).optional().describe('Constant quality: lower is better. h264 and h265 end at 51.'),
  quality: quality.optional(),
  videoBitrate: bitRate(10_000, 200_000_000).optional().describe('Bits per second of the picture, as 2M.'),
  bitrate: bitRate(10_000, 200_000_000)
    .optional()
    .meta({ description: 'Older name of videoBitrate.', deprecated: true }),
  twoPass: flag().optional().describe('Meets the bit rate better, in twice the time.'),
  resolution: z
    .string()
    .toLowerCase()
    .regex(resolutionPattern, 'Expected 240p, 360p, 480p, 720p, 1080p, 1440p, 4k or a box such as 1280x720.')
    .optional()
    .describe('240p to 4k is the shorter side; a box such as 1280x720 is fitted into. The shape is kept.'),
  fps: decimal(1, 60).optional().describe('Pictures per second.'),
  rotate: z
    .preprocess(numberFromText, z.literal([0, 90, 180, 270]))
    .optional()
    .describe('Degrees to turn the picture clockwise.'),
  background: colorOption
    .optional()
    .describe(
      'Color behind transparent parts, as #ff8800 or white. Left out, they stay where the codec has transparency, and become white for animations, black for films.',
    ),
}

function fullVideoOptions({ video, audio }: Container) {
  return z.object({
    ...audioShape,
    ...mixShape,
    ...trimShape,
    codec: codec(video).optional().describe('Codec of the picture; copy keeps it where it fits.'),
    ...videoShape,
    audioCodec: codec(audio).optional().describe('Codec of the sound; copy keeps it where it fits.'),
    mode,
  })
}

export type VideoOptions = z.output<ReturnType<typeof fullVideoOptions>>
export type AudioOptions = Partial<
  Pick<
    VideoOptions,
    | ('audioBitrate' | 'audioSampleRate' | 'audioCodec' | 'quality')
    | ('channels' | 'volume' | 'start' | 'end')
  >
> &
  Pick<VideoOptions, 'mode'>
/** Of sound and film alike. */
export type MediaOptions = AudioOptions & Partial<VideoOptions>

const dithers = ['none', 'floyd_steinberg', 'bayer:bayer_scale=5', 'sierra2'] as const

const animationShape = {
  width: integer(16, 4096)
    .optional()
    .describe('Width in pixels, at most 480 when left out; the height follows.'),
  fps: decimal(5, 30).default(10).describe('Pictures per second.'),
  start: timestampOption.optional().describe('Where to begin, as HH:MM:SS.ms.'),
  end: timestampOption.optional().describe('Where to end, as HH:MM:SS.ms.'),
  loop: integer(0, 65_535).default(0).describe('How often it plays; 0 is for ever.'),
}

export const gifOptions = z.object({
  ...animationShape,
  dither: z.enum(dithers).default('bayer:bayer_scale=5').describe('How missing colors are mixed.'),
  palette: z
    .enum(['optimized', 'full'])
    .default('optimized')
    .describe('optimized favors the colors of what moves, full those of the whole picture.'),
  boomerang: flag().default(false).describe('Plays forward, then backward.'),
  maxFileSize: byteSize(10_000, 1_000_000_000)
    .optional()
    .describe('Bytes, or as 500k, 2M: the frame rate is lowered until it fits, then the size.'),
})

export const animatedWebpOptions = z.object({ ...animationShape, quality: quality.optional() })

export const animatedPngOptions = z.object(animationShape)

const targetSize = byteSize(10_000, 20_000_000_000)
  .optional()
  .describe('Bytes that the result may have at most, as 500k, 8M or a number; instead of quality.')

/** The same file in fewer bytes. */
export function compressOptions(container: Container) {
  const { quality, resolution, fps } = videoShape
  const schema = z.object({ quality, targetSize, resolution, fps })
  return container.video.length > 0 ? schema : schema.omit({ resolution: true, fps: true })
}

export type CompressOptions = Partial<z.output<ReturnType<typeof compressOptions>>> & {
  readonly resolution?: string | undefined
  readonly fps?: number | undefined
}

/** A film with something laid over it, which has to be encoded for that. */
export const videoWatermarkOptions = z.object({
  ...watermarkShape,
  quality: quality.optional(),
  preset: z.enum(encoderPresets).optional().describe('Slower makes smaller files of the same quality.'),
})

export const mergeVideoOptions = z.object({
  mode: z
    .enum(['auto', 'encode'])
    .default('auto')
    .describe('auto copies where all films are alike; encode always encodes.')
    .meta(lenientOption),
  quality: quality.optional(),
  preset: z.enum(encoderPresets).optional().describe('Slower makes smaller files of the same quality.'),
})

export const mergeAudioOptions = z.object({
  gap: decimal(0, 10).default(0).describe('Seconds of silence between two pieces.'),
  quality: quality.optional(),
  audioBitrate: audioShape.audioBitrate,
})

export type MergeVideoOptions = z.output<typeof mergeVideoOptions>
export type MergeAudioOptions = z.output<typeof mergeAudioOptions>
export type GifOptions = z.output<typeof gifOptions>
export type ClipOptions = z.output<typeof animatedWebpOptions>
