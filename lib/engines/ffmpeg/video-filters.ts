import type { FixedFrame, VideoCodec } from './codecs.ts'
import { createSdrFilters, isHdr } from './dynamic-range.ts'
import { type MediaOptions, readResolution } from './options.ts'
import { getRotation, type MediaStream } from './probe.ts'

/** Size of a video in pixels. */
export interface VideoSize {
  readonly width: number
  readonly height: number
}

export interface VideoFilterRequest {
  readonly video: MediaStream
  readonly options: MediaOptions
  readonly codec: VideoCodec
  readonly size: VideoSize
  /** Background for transparent parts, as #rrggbb; unset if there is no alpha channel or it is kept. */
  readonly backgroundColor?: string | undefined
  /** Whether HDR is preserved. */
  readonly keepsHdr?: boolean
  /** Whether the container stores no timestamps for frames. */
  readonly constantFrameRate: boolean
  readonly isAnimation: boolean
}

/** An image (ffmpeg's second input) that is drawn over each frame, at an offset in pixels from the top left corner. */
export interface Overlay {
  readonly path: string
  readonly left: number
  readonly top: number
}

const filterByRotation = {
  90: ['transpose=clock'],
  180: ['hflip', 'vflip'],
  270: ['transpose=cclock'],
} as const

/** Builds a filter graph, which consists only of numbers and constants, never of text from clients. */
export function buildVideoFilter(request: VideoFilterRequest): string {
  return [...createScaleFilters(request), ...createRotateAndFrameFilters(request)].join(',')
}

/** Returns the graph that scales the video and draws the overlay on it; its output is `[image]`. */
export function buildOverlayFilter(request: VideoFilterRequest, { left, top }: Overlay): string {
  const { video } = request
  const videoFilter = `[0:${video.index}]${createScaleFilters(request).join(',')}[video]`
  const watermarkFilter = `[1:v]${createOverlayFilters(video).join(',')}[mark]`
  const overlayFilter = [`overlay=${left}:${top}:format=auto`, ...createRotateAndFrameFilters(request)].join(
    ',',
  )
  return `${videoFilter};${watermarkFilter};[video][mark]${overlayFilter}[image]`
}

/**
 * Converts the overlay to the video's color space. By default, ffmpeg uses the color space of SD television for all
 * videos.
 */
function createOverlayFilters(video: MediaStream): string[] {
  const { pix_fmt, color_space, height = 0 } = video
  if (!/^(yuv|nv)/.test(pix_fmt)) return ['format=rgba']
  const isHd = color_space === 'bt709' || isHdr(video) || (color_space === 'unknown' && height >= 720)
  return [`scale=out_color_matrix=${isHd ? 'bt709' : 'bt601'}`, 'format=yuva444p']
}

function createScaleFilters(request: VideoFilterRequest): string[] {
  const { video, size, backgroundColor, keepsHdr, isAnimation } = request
  return [
    // An overlay filter loses the duration of the last frame.
    ...(isAnimation ? createFrameRateFilters(request) : []),
    ...(backgroundColor === undefined ? [] : createFlattenFilters(backgroundColor)),
    ...[`scale=${size.width}:${size.height}:flags=bicubic`, 'setsar=1'],
    ...(keepsHdr ? [] : createSdrFilters(video)),
  ]
}

/**
 * Returns filters that flatten transparency. Black only needs a multiplication; any other color needs a frame of that
 * color below each frame.
 */
function createFlattenFilters(color: string): string[] {
  if (color === '#000000') return ['format=gbrap', 'premultiply=inplace=1', 'format=gbrp']
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const colorFilter = `[below]lutrgb=r=${red}:g=${green}:b=${blue}:a=255[color]`
  return [
    'format=gbrap',
    `split[above][below];${colorFilter};[color][above]overlay=format=gbrp`,
    'format=gbrp',
  ]
}

function createRotateAndFrameFilters(request: VideoFilterRequest): string[] {
  const { options, codec } = request
  const filters: string[] = []
  if (options.rotate) filters.push(...filterByRotation[options.rotate])
  if (codec.fixedFrame) filters.push(...createFitIntoFrameFilters(codec.fixedFrame))
  if (!request.isAnimation) filters.push(...createFrameRateFilters(request))
  return filters
}

function createFrameRateFilters(request: VideoFilterRequest): string[] {
  const rate = chooseFrameRate(request)
  return rate === undefined ? [] : [`fps=${rate}`]
}

/** Fits the video into the codec's only frame size, with black borders. */
function createFitIntoFrameFilters({ width, height, displayWidth }: FixedFrame): string[] {
  const displayBox = `${displayWidth}:${height}`
  return [
    `scale=${displayBox}:force_original_aspect_ratio=decrease`,
    `pad=${displayBox}:-1:-1`,
    `scale=${width}:${height}`,
    `setsar=${displayWidth}/${width}`,
  ]
}

/**
 * Returns the size of the result, upright because ffmpeg rotates the video before the filters. Both sides are multiples
 * of `step`: 4:2:0 requires even sizes.
 */
export function chooseOutputSize(video: MediaStream, { resolution }: MediaOptions, step = 2): VideoSize {
  const isSideways = Math.abs(getRotation(video)) % 180 === 90
  const encodedSize = { width: computeDisplayWidth(video), height: video.height ?? 2 }
  const source = isSideways ? { width: encodedSize.height, height: encodedSize.width } : encodedSize
  const scale = resolution === undefined ? 1 : computeScaleFactor(source, resolution)
  return { width: roundToStep(source.width * scale, step), height: roundToStep(source.height * scale, step) }
}

/** Returns the width with square pixels, so that the video has the right aspect ratio in all players. */
function computeDisplayWidth({ width = 2, sample_aspect_ratio }: MediaStream): number {
  const [horizontal = 1, vertical = 1] = sample_aspect_ratio.split(':').map(Number)
  return horizontal > 0 && vertical > 0 ? (width * horizontal) / vertical : width
}

function computeScaleFactor(source: VideoSize, resolution: string): number {
  const wantedSize = readResolution(resolution)
  if ('shortSide' in wantedSize) return wantedSize.shortSide / Math.min(source.width, source.height)
  return Math.min(wantedSize.width / source.width, wantedSize.height / source.height)
}

const roundToStep = (length: number, step: number) => Math.max(step, Math.round(length / step) * step)

/** The delays of most animations are multiples of 20 ms. */
const defaultAnimationRate = '50'

/** Returns the frame rate to convert to; undefined keeps the frames and their timestamps. */
export function chooseFrameRate(request: VideoFilterRequest): string | undefined {
  const { video, codec, constantFrameRate, isAnimation } = request
  const { fps } = request.options
  const { frameRates }: VideoCodec = codec
  if (!frameRates && fps === undefined) {
    // An animated PNG has no frame rate, and ffmpeg would use its clock of 100,000 ticks instead.
    if (hasUnknownRate(video)) return constantFrameRate || isAnimation ? defaultAnimationRate : undefined
    // An animation often shows its last frame longer. Without a frame rate, the video would end too early.
    return isAnimation && /^[1-9]/.test(video.r_frame_rate) ? video.r_frame_rate : undefined
  }
  if (!frameRates) return String(fps)
  const wantedRate = fps ?? parseRatio(video.avg_frame_rate)
  const computeDistance = (rate: string) => Math.abs(Math.log(parseRatio(rate) / wantedRate))
  return frameRates.reduce((best, rate) => (computeDistance(rate) < computeDistance(best) ? rate : best))
}

const hasUnknownRate = ({ avg_frame_rate, r_frame_rate }: MediaStream) =>
  avg_frame_rate === '0/0' && parseRatio(r_frame_rate) > 1000

export function parseRatio(text: string): number {
  const [numerator = 0, denominator = 1] = text.split('/').map(Number)
  return numerator > 0 && denominator > 0 ? numerator / denominator : 25
}
