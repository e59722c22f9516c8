import { defined } from '../../validation/defined.ts'
import { type AudioCodec, audioCodecs } from './audio-codecs.ts'
import type { Container } from './containers.ts'
import type { CompressOptions, MediaOptions } from './options.ts'
import { selectAudioTracks } from './plan.ts'
import type { MediaInfo } from './probe.ts'

interface BudgetRequest {
  readonly media: MediaInfo
  readonly container: Container
}

/** Bits per second of an audio track below which speech is unintelligible. */
const minAudioBitrate = 8_000
/** Minimum bits per second of an audio track of a video, where a lower bit rate would save little. */
const minVideoAudioBitrate = 2 * minAudioBitrate
const minVideoBitrate = 10_000
/** Below this number of bits per pixel and frame, a lower resolution looks better. */
const minBitsPerPixel = 0.03
const smallerResolutions = ['1080p', '720p', '480p', '360p', '240p'] as const

/** Returns the lowest total bit rate, in bits per second, for which a budget can be planned. */
export function computeMinBitrate({ media, container }: BudgetRequest): number {
  const trackCount = selectAudioTracks(media, container).length
  return hasVideo({ media, container })
    ? minVideoBitrate + trackCount * minVideoAudioBitrate
    : trackCount * minAudioBitrate
}

export const hasVideo = ({ media, container }: BudgetRequest) =>
  media.video !== undefined && container.video.length > 0

/** Returns the encoder options for audio with this bit rate, or undefined if the bit rate is too low. */
export function planAudioBudget(bitrate: number, request: BudgetRequest): MediaOptions | undefined {
  const { media } = request
  const audioBitrate = Math.floor(Math.min(bitrate, media.audio[0]?.bit_rate ?? bitrate, 320_000))
  if (audioBitrate < minAudioBitrate) return undefined
  return { mode: 'encode', audioBitrate, ...reduceAudio(audioBitrate, request) }
}

/** Reduces channels and sample rate for low bit rates, which encoders refuse otherwise. */
function reduceAudio(bitrate: number, { media, container }: BudgetRequest) {
  const [stream] = media.audio
  const [defaultCodec] = container.audio
  const codec: AudioCodec | undefined = defaultCodec && audioCodecs[defaultCodec]
  const maxSampleRate =
    bitrate < 16_000 ? (codec?.lowBitrateSampleRate ?? 16_000) : bitrate < 48_000 ? 24_000 : 48_000
  return {
    ...(bitrate < 48_000 && { channels: 1 }),
    ...((stream?.sample_rate ?? 44_100) > maxSampleRate && { audioSampleRate: maxSampleRate }),
  }
}

/**
 * Returns the encoder options for a video, or undefined if the bit rate is too low. Audio gets at most a fifth of the
 * bit rate, and the resolution is reduced if the remaining bit rate is too low for it.
 */
export function planVideoBudget(
  bitrate: number,
  { media, container }: BudgetRequest,
  { resolution, fps }: CompressOptions,
): MediaOptions | undefined {
  const trackCount = selectAudioTracks(media, container).length
  const bitratePerTrack =
    trackCount === 0 ? 0 : Math.min(128_000, Math.max(minVideoAudioBitrate, (bitrate * 0.2) / trackCount))
  const videoBitrate = Math.floor(bitrate - bitratePerTrack * trackCount)
  if (videoBitrate < minVideoBitrate) return undefined
  const outputResolution = resolution ?? findAffordableResolution(videoBitrate, media)
  return {
    mode: 'encode',
    videoBitrate,
    twoPass: true,
    ...(trackCount > 0 && {
      audioBitrate: Math.floor(bitratePerTrack),
      ...reduceAudio(bitratePerTrack, { media, container }),
    }),
    ...defined({ resolution: outputResolution, fps }),
  }
}

function findAffordableResolution(videoBitrate: number, { video }: MediaInfo): string | undefined {
  const { width = 0, height = 0 } = video ?? {}
  const pixels = width * height
  if (pixels === 0) return undefined
  // Assumes 25 frames per second, which is close enough for most videos.
  const affordablePixels = videoBitrate / 25 / minBitsPerPixel
  if (pixels <= affordablePixels) return undefined
  const shortSide = Math.min(width, height)
  const resolutions = smallerResolutions.filter((side) => Number.parseInt(side, 10) < shortSide)
  return (
    resolutions.find((side) => pixels * (Number.parseInt(side, 10) / shortSide) ** 2 <= affordablePixels) ??
    resolutions.at(-1)
  )
}
