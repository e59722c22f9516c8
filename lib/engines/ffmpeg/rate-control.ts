import { qualityLevels } from '../options.ts'
import type { VideoCodec } from './codecs.ts'
import type { MediaOptions } from './options.ts'
import type { MediaInfo } from './probe.ts'

type Crf = NonNullable<VideoCodec['crf']>

/**
 * Returns encoder arguments for a bit rate if one is requested, and for constant quality otherwise. `twoPass` is set if
 * two runs are needed.
 */
export function createRateArgs(
  codec: VideoCodec,
  options: MediaOptions,
  media: MediaInfo,
): { args: string[]; twoPass: boolean } {
  const twoPass = options.twoPass === true && codec.twoPass === true
  const bitRate =
    options.videoBitrate ?? options.bitrate ?? (twoPass ? estimateSourceBitrate(media) : undefined)
  if (bitRate !== undefined) {
    const maxRateArgs = ['-maxrate', String(bitRate * 2), '-bufsize', String(bitRate * 4)]
    return { args: ['-b:v', String(bitRate), ...(codec.encoder === 'libsvtav1' ? [] : maxRateArgs)], twoPass }
  }
  if (!codec.crf) return { args: [], twoPass: false }
  // For VP8 and VP9, the quality is only an upper limit unless the bit rate is set as well.
  const unlimitedArgs =
    codec.encoder === 'libvpx-vp9' ? ['-b:v', '0'] : codec.encoder === 'libvpx' ? ['-b:v', '20M'] : []
  return {
    args: [codec.crf.flag, String(chooseQualityValue(codec.crf, options)), ...unlimitedArgs],
    twoPass: false,
  }
}

/** Clients give lower values for better quality (63 or 51 to 0); Theora's scale is reversed (0 to 10). */
function chooseQualityValue(scale: Crf, { crf, quality = 'high' }: MediaOptions): number {
  const { max, levels } = scale
  const isHigherBetter = levels.low < levels.highest
  if (crf !== undefined) return isHigherBetter ? Math.round(max * (1 - crf / 63)) : clampQuality(crf, scale)
  const qualityLevel = qualityLevels.find((level) => level === quality)
  if (qualityLevel) return levels[qualityLevel]
  const worstValue = isHigherBetter ? 0 : max
  return clampQuality(Math.round(worstValue + ((levels.highest - worstValue) * Number(quality)) / 100), scale)
}

/** Limits the quality to supported values. A quantizer of 0 means "default" for older codecs. */
function clampQuality(value: number, { flag, max }: Crf): number {
  return Math.min(Math.max(value, flag === '-crf' ? 0 : 1), max)
}

/** Returns the bits per second of the source; a guess if they are unknown. */
function estimateSourceBitrate({ video, bitRate }: MediaInfo): number {
  return video?.bit_rate ?? bitRate ?? 2_000_000
}
