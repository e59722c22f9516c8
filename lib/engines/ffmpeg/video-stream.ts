import type { FormatId } from '../../formats/index.ts'
import { notCopied } from './audio-stream.ts'
import { type VideoCodec, videoCodecs } from './codecs.ts'
import type { Container } from './containers.ts'
import { isHdr, rangeWarnings } from './dynamic-range.ts'
import { hasTimes, isAnimation } from './demuxers.ts'
import type { MediaOptions } from './options.ts'
import { alphaDecoder, hasAlpha, type MediaStream, rotationOf } from './probe.ts'
import { rateArgs } from './rate-control.ts'
import type { RecipeRequest, Warning } from './recipe.ts'
import { overlaidFilter, type Size, sizeFor, videoFilter } from './video-filters.ts'

interface Picture {
  readonly args: readonly string[]
  readonly decoder: readonly string[]
  readonly copied: boolean
  readonly twoPass: boolean
  /** Options that were given and mean nothing to this codec. */
  readonly unused: readonly string[]
  readonly warnings: readonly Warning[]
}

/** Undefined where the source has no picture. */
export function pictureArgs(request: RecipeRequest): Picture | undefined {
  const { video } = request.media
  if (!video) return undefined
  const tag = (codecName: string) => tagArgs(codecName, request.container)
  if (canCopy(video, request)) {
    const args = ['-map', `0:${video.index}`, '-c:v:0', 'copy', ...tag(video.codec_name)]
    return { args, decoder: [], copied: true, twoPass: false, unused: [], warnings: [] }
  }
  return encodedPicture(video, request, tag)
}

/** Of the film that will be made, before a codec that knows one size puts it into its frame. */
export function encodedSize(video: MediaStream, container: Container, options: MediaOptions): Size {
  return sizeFor(video, options, videoCodecFor(container, options).step)
}

function canCopy(
  video: MediaStream,
  { container, options, mayCopy, from, to, overlay }: RecipeRequest,
): boolean {
  if (overlay) return false
  const upright = rotationOf(video) === 0 || container.rotation === true
  const clear = container.alpha === true || !hasAlpha(video)
  const timed = hasTimes(from) || from === to
  const fits = upright && clear && timed && container.copies.includes(video.codec_name)
  return mayCopy && fits && !forcesPicture(options, video)
}

/** Apple's players know HEVC by this name only. */
export function tagArgs(codecName: string, { muxer, videoTag }: Container): string[] {
  if (codecName === 'hevc' && ['mp4', 'mov'].includes(muxer)) return ['-tag:v:0', 'hvc1']
  return videoTag ? ['-tag:v:0', videoTag] : []
}

function encodedPicture(
  video: MediaStream,
  { media, container, options, overlay, from }: RecipeRequest,
  tag: (codecName: string) => string[],
): Picture {
  const codec = videoCodecFor(container, options)
  const keepsAlpha = hasAlpha(video) && codec.alpha === true && options.background === undefined
  const size = sizeFor(video, options, codec.step)
  const keepsRange = isHdr(video) && codec.hdr !== undefined && !overlay
  const filtering = {
    ...{ video, options, codec, size, keepsRange },
    behind: hasAlpha(video) && !keepsAlpha ? (options.background ?? usualBackground(from)) : undefined,
    steady: container.steady === true,
    isAnimation: isAnimation(from),
  }
  const pictures = overlay
    ? ['-filter_complex', overlaidFilter(filtering, overlay), '-map', '[picture]']
    : ['-map', `0:${video.index}`, '-filter:v:0', videoFilter(filtering)]
  const small = smallOf(codec, size)
  const rate = rateArgs(codec, options, media)
  return {
    args: [
      ...pictures,
      ...['-c:v:0', small?.encoder ?? codec.encoder],
      ...(small?.preset ?? codec.preset?.(options.preset ?? 'veryfast') ?? []),
      ...rate.args,
      ...(codec.args ?? []),
      ...(codec.alpha ? alphaArgs(keepsAlpha) : []),
      ...(keepsRange ? (codec.hdr ?? []) : []),
      ...tag(codec.name),
    ],
    decoder: alphaDecoder(video),
    copied: false,
    twoPass: rate.twoPass,
    unused: unusedOptions(codec, options),
    warnings: [
      ...(options.codec === 'copy' ? [notCopied('codec', video.codec_name, codec.name)] : []),
      ...(keepsAlpha ? [] : alphaWarnings(video, from, options)),
      ...(keepsRange ? [] : rangeWarnings(video, overlay ? undefined : keeperOfRange(container))),
    ],
  }
}

const smallOf = ({ small }: VideoCodec, { width, height }: Size) =>
  small && Math.min(width, height) < small.side ? small : undefined

/** Only whoever decodes all of a film knows whether some of it is transparent. */
function alphaWarnings(video: MediaStream, from: FormatId, { background }: MediaOptions): Warning[] {
  if (!hasAlpha(video) || isAnimation(from) || background !== undefined) return []
  const message =
    'Transparent parts, if the film has any, became black: the codec holds none. The option background takes another color.'
  return [{ code: 'TRANSPARENCY_DROPPED', message }]
}

/** What a mark is laid over has the colors of usual screens in any codec. */
const keeperOfRange = ({ video }: Container) => video.find((id) => codecNamed(id).hdr)

/** An animation was made for a page, which is white as a rule; a film is shown in the dark. */
const usualBackground = (from: FormatId) => (isAnimation(from) ? '#ffffff' : '#000000')

function unusedOptions(codec: VideoCodec, { crf, quality, preset, twoPass }: MediaOptions): string[] {
  const given = { crf: codec.crf ? undefined : crf, quality: codec.crf ? undefined : quality }
  const more = {
    preset: codec.preset ? undefined : preset,
    twoPass: codec.twoPass || !twoPass ? undefined : twoPass,
  }
  return Object.entries({ ...given, ...more }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
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
  // A copy can only begin at a key picture, and ends where pictures may still be out of order.
  if ((options.start || options.end !== undefined) && options.codec !== 'copy') return true
  if (options.background !== undefined && hasAlpha(video)) return true
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

const videoCodecFor = (container: Container, options: MediaOptions): VideoCodec =>
  codecNamed(codecIdFor(container, options))

/** What pictures are encoded by where they are not copied. */
export const codecIdFor = (container: Container, { codec }: MediaOptions): string =>
  codec === undefined || codec === 'copy' ? (container.video[0] ?? 'h264') : codec
