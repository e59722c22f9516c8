import { qualityLevels } from '../options.ts'
import type { VideoCodec } from './codecs.ts'
import type { MediaOptions } from './options.ts'
import type { Media } from './probe.ts'

type Crf = NonNullable<VideoCodec['crf']>

/** A bit rate when one is asked for, constant quality otherwise; `twoPass` when the encoder needs two runs for it. */
export function rateArgs(
  codec: VideoCodec,
  options: MediaOptions,
  media: Media,
): { args: string[]; twoPass: boolean } {
  const twoPass = options.twoPass === true && codec.twoPass === true
  const bitRate = options.videoBitrate ?? options.bitrate ?? (twoPass ? sourceRate(media) : undefined)
  if (bitRate !== undefined) {
    const roof = ['-maxrate', String(bitRate * 2), '-bufsize', String(bitRate * 4)]
    return { args: ['-b:v', String(bitRate), ...(codec.encoder === 'libsvtav1' ? [] : roof)], twoPass }
  }
  if (!codec.crf) return { args: [], twoPass: false }
  // VP8 and VP9 take the quality for a roof unless the bit rate is set too.
  const free =
    codec.encoder === 'libvpx-vp9' ? ['-b:v', '0'] : codec.encoder === 'libvpx' ? ['-b:v', '20M'] : []
  return { args: [codec.crf.flag, String(level(codec.crf, options)), ...free], twoPass: false }
}

/** Clients count down to the best, from 63 or 51 to 0; Theora counts up to 10. */
function level(scale: Crf, { crf, quality = 'high' }: MediaOptions): number {
  const { max, words } = scale
  const countsUp = words.low < words.highest
  if (crf !== undefined) return countsUp ? Math.round(max * (1 - crf / 63)) : bounded(crf, scale)
  const word = qualityLevels.find((one) => one === quality)
  if (word) return words[word]
  const worst = countsUp ? 0 : max
  return bounded(Math.round(worst + ((words.highest - worst) * Number(quality)) / 100), scale)
}

/** A quantizer of 0 means "as you like" to the older codecs. */
function bounded(value: number, { flag, max }: Crf): number {
  return Math.min(Math.max(value, flag === '-crf' ? 0 : 1), max)
}

/** Bits per second; a guess where the source does not tell. */
function sourceRate({ video, bitRate }: Media): number {
  return video?.bit_rate ?? bitRate ?? 2_000_000
}
