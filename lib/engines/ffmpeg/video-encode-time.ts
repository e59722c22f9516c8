import { availableParallelism } from 'node:os'
import { type EncoderPreset, encoderPresets, type VideoCodecId } from './codecs.ts'
import type { MediaStream } from './probe.ts'
import type { VideoSize } from './video-filters.ts'

/**
 * Processor seconds per megapixel with the default preset (veryfast), including decoding, and the factor for the
 * slowest preset. Measured at 2.3 GHz with 720p.
 */
const encodeTimeByCodec: Partial<
  Readonly<Record<VideoCodecId, { readonly defaultPreset: number; readonly slowdown: number }>>
> = {
  h264: { defaultPreset: 0.03, slowdown: 12 },
  h265: { defaultPreset: 0.075, slowdown: 12 },
  vp9: { defaultPreset: 0.15, slowdown: 3 },
  vp8: { defaultPreset: 0.1, slowdown: 5 },
}

/** Whether separately encoded segments can be joined: they are independent and have the same header. */
export const canJoinSegments = (codec: VideoCodecId) => encodeTimeByCodec[codec] !== undefined

const defaultPreset: EncoderPreset = 'veryfast'

/**
 * Estimates the seconds that this machine needs to encode a video. Returns undefined for codecs that were not measured.
 */
export function estimateEncodeTimeS(
  source: { readonly video: MediaStream; readonly durationS: number; readonly size: VideoSize },
  codec: VideoCodecId,
  {
    preset = defaultPreset,
    twoPass = false,
  }: { readonly preset?: EncoderPreset | undefined; readonly twoPass?: boolean | undefined },
): number | undefined {
  const encodeTime = encodeTimeByCodec[codec]
  if (!encodeTime) return undefined
  const { video, durationS, size } = source
  const [numerator = 0, denominator = 0] = video.avg_frame_rate.split('/').map(Number)
  const fps = numerator / denominator
  const sourcePixels = (video.width ?? size.width) * (video.height ?? size.height)
  const megapixels =
    (Math.max(sourcePixels, size.width * size.height) * (fps > 0 && fps < 240 ? fps : 25) * durationS) / 1e6
  const steps = encoderPresets.indexOf(preset) - encoderPresets.indexOf(defaultPreset)
  const presetFactor =
    encodeTime.slowdown ** (steps / (encoderPresets.length - 1 - encoderPresets.indexOf(defaultPreset)))
  return (megapixels * encodeTime.defaultPreset * presetFactor * (twoPass ? 1.7 : 1)) / availableParallelism()
}
