import type { FormatId } from '../../formats/index.ts'
import { createStreamEncodedWarning } from './audio-stream.ts'
import { type VideoCodec, videoCodecs } from './codecs.ts'
import type { Container } from './containers.ts'
import { hasTimestamps, isAnimation } from './demuxers.ts'
import { createHdrWarnings, isHdr } from './dynamic-range.ts'
import { createNearestValueWarning } from './option-warnings.ts'
import type { MediaOptions } from './options.ts'
import { lacksPlayerSupport } from './player-support.ts'
import { chooseAlphaDecoder, getRotation, hasAlpha, type MediaStream } from './probe.ts'
import { createRateArgs } from './rate-control.ts'
import type { MediaWarning, RecipeRequest } from './recipe.ts'
import {
  buildOverlayFilter,
  buildVideoFilter,
  chooseFrameRate,
  chooseOutputSize,
  parseRatio,
  type VideoFilterRequest,
  type VideoSize,
} from './video-filters.ts'

interface VideoTrackArgs {
  readonly args: readonly string[]
  readonly decoder: readonly string[]
  readonly isCopied: boolean
  readonly twoPass: boolean
  /** Options of the client that this codec does not support. */
  readonly unusedOptions: readonly string[]
  readonly warnings: readonly MediaWarning[]
}

/** Returns undefined if the source has no video track. */
export function createVideoTrackArgs(request: RecipeRequest): VideoTrackArgs | undefined {
  const { video } = request.media
  if (!video) return undefined
  const getTagArgs = (codecName: string) => createTagArgs(codecName, request.container)
  if (canCopy(video, request)) {
    const args = ['-map', `0:${video.index}`, '-c:v:0', 'copy', ...getTagArgs(video.codec_name)]
    return { args, decoder: [], isCopied: true, twoPass: false, unusedOptions: [], warnings: [] }
  }
  return createEncodeArgs(video, request, getTagArgs)
}

/** Returns the size of the encoded video, before a codec with a fixed frame size adds borders. */
export function chooseVideoSize(video: MediaStream, container: Container, options: MediaOptions): VideoSize {
  return chooseOutputSize(video, options, chooseVideoCodec(container, options).sizeStep)
}

function canCopy(
  video: MediaStream,
  { container, options, mayCopy, from, to, overlay }: RecipeRequest,
): boolean {
  if (overlay) return false
  const keepsRotation = getRotation(video) === 0 || container.rotation === true
  const keepsAlphaChannel = container.alpha === true || !hasAlpha(video)
  const isPlayable = options.codec === 'copy' || !lacksPlayerSupport(video, container)
  const hasUsableTimes = hasTimestamps(from) || from === to
  const fits =
    isPlayable &&
    keepsRotation &&
    keepsAlphaChannel &&
    hasUsableTimes &&
    container.copyableCodecs.includes(video.codec_name)
  return mayCopy && fits && !requiresEncoding(options, video)
}

/** Returns the arguments for a codec tag, if players need a certain one: Apple's players accept HEVC only as `hvc1`. */
export function createTagArgs(codecName: string, { muxer, videoTag }: Container): string[] {
  if (codecName === 'hevc' && ['mp4', 'mov'].includes(muxer)) return ['-tag:v:0', 'hvc1']
  return videoTag ? ['-tag:v:0', videoTag] : []
}

function createEncodeArgs(
  video: MediaStream,
  { media, container, options, overlay, from }: RecipeRequest,
  getTagArgs: (codecName: string) => string[],
): VideoTrackArgs {
  const codec = chooseVideoCodec(container, options)
  const keepsAlpha = hasAlpha(video) && codec.alpha === true && options.background === undefined
  const size = chooseOutputSize(video, options, codec.sizeStep)
  const keepsHdr = isHdr(video) && codec.hdrArgs !== undefined && !overlay
  const filterRequest = {
    video,
    options,
    codec,
    size,
    keepsHdr,
    backgroundColor:
      hasAlpha(video) && !keepsAlpha ? (options.background ?? getDefaultBackground(from)) : undefined,
    constantFrameRate: container.constantFrameRate === true,
    isAnimation: isAnimation(from),
  }
  const filterArgs = overlay
    ? ['-filter_complex', buildOverlayFilter(filterRequest, overlay), '-map', '[image]']
    : ['-map', `0:${video.index}`, '-filter:v:0', buildVideoFilter(filterRequest)]
  const smallFrames = findSmallFrameEncoder(codec, size)
  const rateControl = createRateArgs(codec, options, media)
  return {
    args: [
      ...filterArgs,
      ...['-c:v:0', smallFrames?.encoder ?? codec.encoder],
      ...(smallFrames?.preset ?? codec.preset?.(options.preset ?? 'veryfast') ?? []),
      ...rateControl.args,
      ...(codec.args ?? []),
      ...(codec.alpha ? createAlphaArgs(keepsAlpha) : []),
      ...(keepsHdr ? (codec.hdrArgs ?? []) : []),
      ...getTagArgs(codec.name),
    ],
    decoder: chooseAlphaDecoder(video),
    isCopied: false,
    twoPass: rateControl.twoPass,
    unusedOptions: findUnusedOptions(codec, options),
    warnings: [
      ...createFrameRateWarnings(filterRequest),
      ...(options.codec === 'copy'
        ? [createStreamEncodedWarning('codec', video.codec_name, codec.name)]
        : []),
      ...(rateControl.twoPass ? createIgnoredQualityWarnings(options) : []),
      ...(keepsAlpha ? [] : createAlphaWarnings(video, from, options)),
      ...(keepsHdr ? [] : createHdrWarnings(video, overlay ? undefined : findHdrCodec(container))),
    ],
  }
}

const findSmallFrameEncoder = ({ smallFrames }: VideoCodec, { width, height }: VideoSize) =>
  smallFrames && Math.min(width, height) < smallFrames.minSide ? smallFrames : undefined

/** Warns about transparency. Whether parts are really transparent is unknown without decoding the whole video. */
function createAlphaWarnings(
  video: MediaStream,
  from: FormatId,
  { background }: MediaOptions,
): MediaWarning[] {
  if (!hasAlpha(video) || isAnimation(from) || background !== undefined) return []
  const message =
    'Transparent parts of the video, if any, became black: the codec does not support transparency. Use the option background for another color.'
  return [{ code: 'TRANSPARENCY_DROPPED', message }]
}

/** Returns a codec of the container that preserves HDR. */
const findHdrCodec = ({ video }: Container) => video.find((id) => getCodecById(id).hdrArgs)

/** Animations are usually shown on white web pages, videos on black. */
const getDefaultBackground = (from: FormatId) => (isAnimation(from) ? '#ffffff' : '#000000')

function findUnusedOptions(
  codec: VideoCodec,
  { crf, quality, videoBitrate, bitrate, preset, twoPass, resolution }: MediaOptions,
): string[] {
  // Codecs without quality levels have no bit rates either: they encode each frame alike.
  const rateOptions = codec.crf ? {} : { crf, quality, videoBitrate, bitrate }
  const otherOptions = {
    preset: codec.preset ? undefined : preset,
    twoPass: codec.twoPass || !twoPass ? undefined : twoPass,
    resolution: codec.fixedFrame ? resolution : undefined,
  }
  return Object.entries({ ...rateOptions, ...otherOptions }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  )
}

/** Warns if the codec does not support the requested frame rate. */
function createFrameRateWarnings(request: VideoFilterRequest): MediaWarning[] {
  const { fps } = request.options
  const rate = parseRatio(chooseFrameRate(request) ?? '')
  if (fps === undefined || Math.abs(rate - fps) < 0.01) return []
  return [createNearestValueWarning('fps', fps, Number(rate.toFixed(3)))]
}

/**
 * Warns that two-pass encoding ignores the requested quality. Two passes need a bit rate; the default is that of the
 * source.
 */
function createIgnoredQualityWarnings({ crf, quality, videoBitrate, bitrate }: MediaOptions): MediaWarning[] {
  const ignoredOption = crf === undefined ? quality !== undefined && 'quality' : 'crf'
  // If the client also set a bit rate, checking the request has already caused a warning about the ignored quality.
  if (!ignoredOption || videoBitrate !== undefined || bitrate !== undefined) return []
  const message = `${ignoredOption} was ignored: it has no effect with twoPass, which keeps the bit rate of the source.`
  return [{ code: 'OPTION_IGNORED', message }]
}

function createAlphaArgs(keepsAlpha: boolean): string[] {
  // Alternate reference frames, which are never shown, do not support alpha.
  return keepsAlpha ? ['-pix_fmt', 'yuva420p', '-auto-alt-ref', '0'] : ['-pix_fmt', 'yuv420p']
}

function requiresEncoding(options: MediaOptions, video: MediaStream): boolean {
  if (options.mode === 'encode') return true
  const requestedCodec =
    options.codec !== undefined && options.codec !== 'copy' ? getCodecById(options.codec).name : undefined
  const { crf, preset, videoBitrate, bitrate, twoPass, resolution, fps, rotate, quality } = options
  // A copy can only begin at a keyframe, and its end may cut off reordered frames.
  if ((options.start || options.end !== undefined) && options.codec !== 'copy') return true
  if (options.background !== undefined && hasAlpha(video)) return true
  const values = [crf, preset, videoBitrate, bitrate, resolution, fps, quality]
  return (
    (requestedCodec !== undefined && requestedCodec !== video.codec_name) ||
    values.some((value) => value !== undefined) ||
    Boolean(twoPass) ||
    Boolean(rotate)
  )
}

function getCodecById(id: string): VideoCodec {
  const codec = Object.entries(videoCodecs).find(([name]) => name === id)?.[1]
  if (!codec) throw new Error(`The codec ${id} of a container is not in the codec table.`)
  return codec
}

const chooseVideoCodec = (container: Container, options: MediaOptions): VideoCodec =>
  getCodecById(chooseCodecId(container, options))

/** Returns the codec for video that is not copied. */
export const chooseCodecId = (container: Container, { codec }: MediaOptions): string =>
  codec === undefined || codec === 'copy' ? (container.video[0] ?? 'h264') : codec
