import { availableParallelism } from 'node:os'
import { type Preset, presets, type VideoCodecId } from './codecs.ts'
import type { MediaStream } from './probe.ts'
import type { Size } from './video-filters.ts'

/**
 * Seconds of processor time per megapixel, decoding included: of the usual preset, veryfast, and how often as much the
 * slowest takes. Measured at 2.3 GHz with 720p.
 */
const efforts: Partial<Readonly<Record<VideoCodecId, { readonly usual: number; readonly slowest: number }>>> =
  {
    h264: { usual: 0.03, slowest: 12 },
    h265: { usual: 0.075, slowest: 12 },
    vp9: { usual: 0.15, slowest: 3 },
    vp8: { usual: 0.1, slowest: 5 },
  }

/** Codecs whose pieces can be joined, as each of them begins anew and all have one header. */
export const isJoinable = (codec: VideoCodecId) => efforts[codec] !== undefined

const usual: Preset = 'veryfast'

/** Seconds that this machine takes for a film, about; undefined for a codec that nobody has measured. */
export function encodingS(
  film: { readonly video: MediaStream; readonly durationS: number; readonly size: Size },
  codec: VideoCodecId,
  {
    preset = usual,
    twoPass = false,
  }: { readonly preset?: Preset | undefined; readonly twoPass?: boolean | undefined },
): number | undefined {
  const effort = efforts[codec]
  if (!effort) return undefined
  const { video, durationS, size } = film
  const [over = 0, under = 0] = video.avg_frame_rate.split('/').map(Number)
  const fps = over / under
  const shown = (video.width ?? size.width) * (video.height ?? size.height)
  const megapixels =
    (Math.max(shown, size.width * size.height) * (fps > 0 && fps < 240 ? fps : 25) * durationS) / 1e6
  const steps = presets.indexOf(preset) - presets.indexOf(usual)
  const slower = effort.slowest ** (steps / (presets.length - 1 - presets.indexOf(usual)))
  return (megapixels * effort.usual * slower * (twoPass ? 1.7 : 1)) / availableParallelism()
}
