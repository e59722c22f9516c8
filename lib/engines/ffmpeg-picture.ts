import { type VideoCodec, videoCodecs } from './ffmpeg-codecs.ts'
import type { Container } from './ffmpeg-containers.ts'
import type { MediaOptions, RecipeRequest } from './ffmpeg-plan.ts'
import { hasAlpha, type Media, type MediaStream, rotationOf } from './ffmpeg-probe.ts'
import { sizeFor, videoFilter } from './ffmpeg-size.ts'
import type { QualityScale } from './options.ts'

interface Picture {
  readonly args: readonly string[]
  readonly decoder: readonly string[]
  readonly copied: boolean
  readonly twoPass: boolean
}

export function pictureArgs(request: RecipeRequest): Picture | undefined {
  const { video } = request.media
  if (!video) return undefined
  const tag = (codecName: string) => tagArgs(codecName, request.container)
  if (canCopy(video, request)) {
    const args = ['-map', `0:${video.index}`, '-c:v', 'copy', ...tag(video.codec_name)]
    return { args, decoder: [], copied: true, twoPass: false }
  }
  return encodedPicture(video, request, tag)
}

function canCopy(video: MediaStream, { container, options, mayCopy }: RecipeRequest): boolean {
  const upright = rotationOf(video) === 0 || container.rotation === true
  const clear = container.alpha === true || !hasAlpha(video)
  const fits = upright && clear && container.copies.includes(video.codec_name)
  return mayCopy && fits && !forcesPicture(options, video)
}

/** Apple's players know HEVC by this name only. */
function tagArgs(codecName: string, { muxer, videoTag }: Container): string[] {
  if (codecName === 'hevc' && ['mp4', 'mov'].includes(muxer)) return ['-tag:v', 'hvc1']
  return videoTag ? ['-tag:v', videoTag] : []
}

function encodedPicture(
  video: MediaStream,
  { media, container, options }: RecipeRequest,
  tag: (codecName: string) => string[],
): Picture {
  const codec = videoCodecFor(container, options)
  const keepsAlpha = hasAlpha(video) && codec.alpha === true
  const size = sizeFor(video, options)
  const filter = videoFilter({ video, options, codec, size, flatten: hasAlpha(video) && !keepsAlpha })
  const small = codec.small && Math.min(size.width, size.height) < codec.small.side ? codec.small : undefined
  const rate = rateArgs(codec, options, media)
  return {
    args: [
      ...['-map', `0:${video.index}`, '-vf', filter],
      ...['-c:v', small?.encoder ?? codec.encoder],
      ...(small?.preset ?? codec.preset?.(options.preset ?? 'veryfast') ?? []),
      ...rate.args,
      ...(codec.args ?? []),
      ...(codec.alpha ? alphaArgs(keepsAlpha) : []),
      ...tag(codec.name),
    ],
    // The native decoders drop the alpha layer of WebM.
    decoder:
      video.tags.alpha_mode === '1' ? ['-c:v', video.codec_name === 'vp8' ? 'libvpx' : 'libvpx-vp9'] : [],
    copied: false,
    twoPass: rate.twoPass,
  }
}

function alphaArgs(keepsAlpha: boolean): string[] {
  // Reference frames that are never shown cannot carry alpha.
  return keepsAlpha ? ['-pix_fmt', 'yuva420p', '-auto-alt-ref', '0'] : ['-pix_fmt', 'yuv420p']
}

function forcesPicture(options: MediaOptions, video: MediaStream): boolean {
  if (options.mode === 'encode') return true
  const asked =
    options.codec !== undefined && options.codec !== 'copy' ? codecNamed(options.codec).name : undefined
  const { crf, preset, videoBitrate, bitrate, twoPass, resolution, fps, rotate, quality } = options
  const values = [crf, preset, videoBitrate, bitrate, resolution, fps, quality]
  return (
    (asked !== undefined && asked !== video.codec_name) ||
    values.some((value) => value !== undefined) ||
    Boolean(twoPass) ||
    Boolean(rotate)
  )
}

function codecNamed(id: string): VideoCodec {
  const codec = Object.entries(videoCodecs).find(([name]) => name === id)?.[1]
  if (!codec) throw new Error(`The codec ${id} is in a container's list but not in the table.`)
  return codec
}

function videoCodecFor(container: Container, { codec }: MediaOptions): VideoCodec {
  return codecNamed(codec === undefined || codec === 'copy' ? (container.video[0] ?? 'h264') : codec)
}

/** A bit rate when one is asked for, constant quality otherwise. */
function rateArgs(
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
  const { crf } = codec
  if (!crf) return { args: [], twoPass: false }
  const { quality } = options
  const value =
    options.crf ?? (typeof quality === 'number' ? fromHundred(quality, crf) : crf.words[quality ?? 'high'])
  // VP8 and VP9 take the quality for a roof unless the bit rate is set too.
  const free =
    codec.encoder === 'libvpx-vp9' ? ['-b:v', '0'] : codec.encoder === 'libvpx' ? ['-b:v', '20M'] : []
  return { args: [crf.flag, String(Math.min(value, crf.max)), ...free], twoPass: false }
}

/** 100 is the word `highest`, 1 the codec's worst. */
function fromHundred(quality: number, { max, words }: { max: number; words: QualityScale }): number {
  const worst = words.low > words.highest ? max : 0
  return Math.round(worst + ((words.highest - worst) * quality) / 100)
}

function sourceRate({ video, bitRate }: Media): number {
  return video?.bit_rate ?? bitRate ?? 2_000_000
}
