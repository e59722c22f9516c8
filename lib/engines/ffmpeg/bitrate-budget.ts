import { type AudioCodec, audioCodecs } from './audio-codecs.ts'
import type { Container } from './containers.ts'
import type { CompressOptions, MediaOptions } from './options.ts'
import { keptAudioTracks } from './plan.ts'
import type { MediaInfo } from './probe.ts'

interface BudgetRequest {
  readonly media: MediaInfo
  readonly container: Container
}

/** Bits per second of a sound track below which nothing can be understood. */
const minAudioRate = 8_000
/** The same beside a picture, where half as many would save little. */
const minVideoAudioRate = 2 * minAudioRate
const minVideoRate = 10_000
/** Fewer bits for a dot of one picture look worse than fewer dots. */
const minBitsPerPixel = 0.03
const smallerResolutions = ['1080p', '720p', '480p', '360p', '240p'] as const

/** Bits per second of all streams below which there is no budget. */
export function minBitrate({ media, container }: BudgetRequest): number {
  const tracks = keptAudioTracks(media, container).length
  return hasVideo({ media, container }) ? minVideoRate + tracks * minVideoAudioRate : tracks * minAudioRate
}

export const hasVideo = ({ media, container }: BudgetRequest) =>
  media.video !== undefined && container.video.length > 0

/** How to spend so many bits per second on sound; undefined when they are too few. */
export function audioBudget(bits: number, request: BudgetRequest): MediaOptions | undefined {
  const { media } = request
  const audioBitrate = Math.floor(Math.min(bits, media.audio[0]?.bit_rate ?? bits, 320_000))
  if (audioBitrate < minAudioRate) return undefined
  return { mode: 'encode', audioBitrate, ...reduceAudio(audioBitrate, request) }
}

/** Encoders refuse few bits for many samples. */
function reduceAudio(bits: number, { media, container }: BudgetRequest) {
  const [stream] = media.audio
  const [defaultCodec] = container.audio
  const codec: AudioCodec | undefined = defaultCodec && audioCodecs[defaultCodec]
  const maxSampleRate =
    bits < 16_000 ? (codec?.lowBitrateSampleRate ?? 16_000) : bits < 48_000 ? 24_000 : 48_000
  return {
    ...(bits < 48_000 && { channels: 1 }),
    ...((stream?.sample_rate ?? 44_100) > maxSampleRate && { audioSampleRate: maxSampleRate }),
  }
}

/** The same for a film: sound first, at most a fifth, and fewer dots where they would be starved. */
export function videoBudget(
  bits: number,
  { media, container }: BudgetRequest,
  { resolution, fps }: CompressOptions,
): MediaOptions | undefined {
  const tracks = keptAudioTracks(media, container).length
  const perTrack = tracks === 0 ? 0 : Math.min(128_000, Math.max(minVideoAudioRate, (bits * 0.2) / tracks))
  const videoBitrate = Math.floor(bits - perTrack * tracks)
  if (videoBitrate < minVideoRate) return undefined
  const outputResolution = resolution ?? affordableResolution(videoBitrate, media)
  return {
    mode: 'encode',
    videoBitrate,
    twoPass: true,
    ...(tracks > 0 && { audioBitrate: Math.floor(perTrack), ...reduceAudio(perTrack, { media, container }) }),
    ...(outputResolution !== undefined && { resolution: outputResolution }),
    ...(fps !== undefined && { fps }),
  }
}

function affordableResolution(videoBitrate: number, { video }: MediaInfo): string | undefined {
  const { width = 0, height = 0 } = video ?? {}
  const pixels = width * height
  if (pixels === 0) return undefined
  // As if it had 25 pictures per second, as most films about have.
  const affordablePixels = videoBitrate / 25 / minBitsPerPixel
  if (pixels <= affordablePixels) return undefined
  const shortSide = Math.min(width, height)
  const resolutions = smallerResolutions.filter((side) => Number.parseInt(side, 10) < shortSide)
  return (
    resolutions.find((side) => pixels * (Number.parseInt(side, 10) / shortSide) ** 2 <= affordablePixels) ??
    resolutions.at(-1)
  )
}
