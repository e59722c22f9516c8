import type { Frame, VideoCodec } from './codecs.ts'
import { isHdr, usualRange } from './dynamic-range.ts'
import { type MediaOptions, readResolution } from './options.ts'
import { type MediaStream, rotationOf } from './probe.ts'

/** Pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

export interface FilterRequest {
  readonly video: MediaStream
  readonly options: MediaOptions
  readonly codec: VideoCodec
  readonly size: Size
  /** What alpha is laid over, as #rrggbb; left out where there is none, or it is kept. */
  readonly behind?: string | undefined
  /** Lights and colors that usual screens have not stay. */
  readonly keepsRange?: boolean
  /** The container counts pictures. */
  readonly steady: boolean
  readonly isAnimation: boolean
}

/** A picture, ffmpeg's second input, that comes to lie over each of a film, in pixels from its top left corner. */
export interface Overlay {
  readonly path: string
  readonly left: number
  readonly top: number
}

const turns = {
  90: ['transpose=clock'],
  180: ['hflip', 'vflip'],
  270: ['transpose=cclock'],
} as const

/** Everything in a graph is a number or a word of ours; what a client wrote never gets here. */
export function videoFilter(request: FilterRequest): string {
  return [...sizeSteps(request), ...shapeSteps(request)].join(',')
}

/** The graph with a picture laid over the film as soon as that has its size; its result is `[picture]`. */
export function overlaidFilter(request: FilterRequest, { left, top }: Overlay): string {
  const { video } = request
  const film = `[0:${video.index}]${sizeSteps(request).join(',')}[film]`
  const mark = `[1:v]${overlaySteps(video).join(',')}[mark]`
  const laid = [`overlay=${left}:${top}:format=auto`, ...shapeSteps(request)].join(',')
  return `${film};${mark};[film][mark]${laid}[picture]`
}

/** In the film's own colors: left alone, ffmpeg takes those of old television for every film. */
function overlaySteps(video: MediaStream): string[] {
  const { pix_fmt, color_space, height = 0 } = video
  if (!/^(yuv|nv)/.test(pix_fmt)) return ['format=rgba']
  const isHd = color_space === 'bt709' || isHdr(video) || (color_space === 'unknown' && height >= 720)
  return [`scale=out_color_matrix=${isHd ? 'bt709' : 'bt601'}`, 'format=yuva444p']
}

function sizeSteps(request: FilterRequest): string[] {
  const { video, size, behind, keepsRange, isAnimation } = request
  return [
    // What lays its pictures over others no longer knows how long the last one is shown.
    ...(isAnimation ? rateSteps(request) : []),
    ...(behind === undefined ? [] : laidOver(behind)),
    ...[`scale=${size.width}:${size.height}:flags=bicubic`, 'setsar=1'],
    ...(keepsRange ? [] : usualRange(video)),
  ]
}

/** Over black it is a multiplication; over another color a picture of that color comes below each of the film. */
function laidOver(color: string): string[] {
  if (color === '#000000') return ['format=gbrap', 'premultiply=inplace=1', 'format=gbrp']
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const below = `[below]lutrgb=r=${red}:g=${green}:b=${blue}:a=255[color]`
  return ['format=gbrap', `split[above][below];${below};[color][above]overlay=format=gbrp`, 'format=gbrp']
}

function shapeSteps(request: FilterRequest): string[] {
  const { options, codec } = request
  const steps: string[] = []
  if (options.rotate) steps.push(...turns[options.rotate])
  if (codec.frame) steps.push(...framed(codec.frame))
  if (!request.isAnimation) steps.push(...rateSteps(request))
  return steps
}

function rateSteps(request: FilterRequest): string[] {
  const rate = frameRate(request)
  return rate === undefined ? [] : [`fps=${rate}`]
}

/** Fitted into the one picture that a codec knows, with black around it. */
function framed({ width, height, shownWidth }: Frame): string[] {
  const shown = `${shownWidth}:${height}`
  return [
    `scale=${shown}:force_original_aspect_ratio=decrease`,
    `pad=${shown}:-1:-1`,
    `scale=${width}:${height}`,
    `setsar=${shownWidth}/${width}`,
  ]
}

/** Even sides, as 4:2:0 needs them. ffmpeg turns the picture upright before its filters see it. */
export function sizeFor(video: MediaStream, { resolution }: MediaOptions, step = 2): Size {
  const turned = Math.abs(rotationOf(video)) % 180 === 90
  const stored = { width: displayWidth(video), height: video.height ?? 2 }
  const source = turned ? { width: stored.height, height: stored.width } : stored
  const scale = resolution === undefined ? 1 : scaleTo(source, resolution)
  return { width: whole(source.width * scale, step), height: whole(source.height * scale, step) }
}

/** Pixels that are not square are made square, so that the picture keeps its shape everywhere. */
function displayWidth({ width = 2, sample_aspect_ratio }: MediaStream): number {
  const [across = 1, down = 1] = sample_aspect_ratio.split(':').map(Number)
  return across > 0 && down > 0 ? (width * across) / down : width
}

function scaleTo(source: Size, resolution: string): number {
  const wanted = readResolution(resolution)
  if ('shortSide' in wanted) return wanted.shortSide / Math.min(source.width, source.height)
  return Math.min(wanted.width / source.width, wanted.height / source.height)
}

const whole = (length: number, step: number) => Math.max(step, Math.round(length / step) * step)

/** What the delays of most animations are whole parts of. */
const animationRate = '50'

/** Undefined leaves the pictures as they come. */
function frameRate(request: FilterRequest): string | undefined {
  const { video, codec, steady, isAnimation } = request
  const { fps } = request.options
  const { frameRates }: VideoCodec = codec
  if (!frameRates && fps === undefined) {
    // An animated PNG tells no rate, and ffmpeg would take its clock of 100,000 ticks for one.
    if (tellsNoRate(video)) return steady || isAnimation ? animationRate : undefined
    // The last picture of an animation is often shown for longer than the others. Left as they come, a film ends one
    // frame after it begins.
    return isAnimation && /^[1-9]/.test(video.r_frame_rate) ? video.r_frame_rate : undefined
  }
  if (!frameRates) return String(fps)
  const wanted = fps ?? ratio(video.avg_frame_rate)
  const distance = (rate: string) => Math.abs(Math.log(ratio(rate) / wanted))
  return frameRates.reduce((best, rate) => (distance(rate) < distance(best) ? rate : best))
}

const tellsNoRate = ({ avg_frame_rate, r_frame_rate }: MediaStream) =>
  avg_frame_rate === '0/0' && ratio(r_frame_rate) > 1000

function ratio(text: string): number {
  const [over = 0, under = 1] = text.split('/').map(Number)
  return over > 0 && under > 0 ? over / under : 25
}
