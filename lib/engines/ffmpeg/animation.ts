import { stat } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { qualityNumber } from '../options.ts'
import { usualRange } from './dynamic-range.ts'
import { inputGuard } from './demuxers.ts'
import type { ClipOptions, GifOptions } from './options.ts'
import { alphaDecoder, hasAlpha, type Media } from './probe.ts'
import { runFfmpeg } from './run.ts'
import { type Size, sizeFor } from './video-filters.ts'
import { cutOf } from './trim.ts'

export interface Clip {
  readonly source: string
  readonly target: string
  readonly from: FormatId
  readonly media: Media
}

const usualWidth = 480
/** Pictures per second below which nothing seems to move. */
const leastFps = 5
/** The size goes with the square of the width, so that few tries come close. */
const maxTries = 6

export interface Shape {
  readonly width: number
  readonly fps: number
}

/**
 * Two passes in one graph: the palette is made of all frames, then every frame is drawn with it.
 * @throws AppError CONVERSION_FAILED (`maxFileSize` is too small), INVALID_INPUT (nothing between `start` and `end`);
 * ProcessFailure.
 */
export async function makeGif(clip: Clip, options: GifOptions, tools: Tools): Promise<void> {
  const { maxFileSize } = options
  let shape = shapeOf(clip, options)
  for (let tries = 1; ; tries++) {
    const halfClear = await run(clip, options, gifArgs(clip, shape, options), tools)
    const { size } = maxFileSize === undefined ? { size: 0 } : await stat(clip.target)
    if (maxFileSize === undefined || size <= maxFileSize) {
      if (halfClear) tellHalfClear(tools)
      return
    }
    if (tries === maxTries || (shape.width <= 16 && shape.fps <= leastFps)) throw tooLarge(maxFileSize, size)
    shape = smaller(shape, maxFileSize / size)
  }
}

function tellHalfClear(tools: Tools): void {
  const message =
    'Half-transparent parts became opaque or clear: gif knows nothing between. A webp or apng holds them as they are.'
  tools.warn('TRANSPARENCY_DROPPED', message)
}

export async function makeAnimatedWebp(clip: Clip, options: ClipOptions, tools: Tools): Promise<void> {
  const quality = qualityNumber(options.quality, { low: 35, medium: 55, high: 75, highest: 90 })
  const scale = pictures(clip, shapeOf(clip, options), options)
  const encoder = [
    '-c:v',
    'libwebp_anim',
    '-q:v',
    String(quality),
    '-loop',
    String(options.loop),
    '-f',
    'webp',
  ]
  await run(clip, options, ['-vf', scale, ...encoder], tools)
}

export async function makeAnimatedPng(clip: Clip, options: ClipOptions, tools: Tools): Promise<void> {
  const scale = pictures(clip, shapeOf(clip, options), options)
  // Zero is for ever here too.
  await run(clip, options, ['-vf', scale, '-plays', String(options.loop), '-f', 'apng'], tools)
}

/**
 * What is shown at each tick. Without `eof_action`, an animation of one picture that is shown for less than a frame
 * would have none; with it, the last picture may be shown once too often, behind the end that was asked for.
 */
function pictures({ media }: Clip, { width, fps }: Shape, { start, end }: ClipOptions): string {
  const { durationS = 0 } = end === undefined ? {} : cutOf({ start, end }, media)
  const last = durationS > 0 ? `,trim=end_frame=${Math.max(1, Math.round(durationS * fps))}` : ''
  const shown = shownSize(media)
  const height = Math.max(2, Math.round((shown.height * width) / shown.width / 2) * 2)
  return [
    `fps=${fps}:start_time=0:round=up:eof_action=pass${last}`,
    // Nobody heeds what an animation tells of the shape of its pixels.
    ...[`scale=${width}:${height}:flags=lanczos`, 'setsar=1'],
    ...(media.video ? usualRange(media.video) : []),
  ].join(',')
}

/** Upright, its pixels square. */
const shownSize = ({ video }: Media): Size =>
  video ? sizeFor(video, { mode: 'encode' }, 1) : { width: usualWidth, height: usualWidth }

function shapeOf({ media }: Clip, { width, fps }: ClipOptions): Shape {
  return { width: width ?? Math.min(usualWidth, shownSize(media).width), fps }
}

/** A little less than what would just do. */
const margin = 0.95

/** Fewer pictures first; smaller ones only as far as that is not enough. */
export function smaller({ width, fps }: Shape, ratio: number): Shape {
  const wanted = ratio * margin
  const slower = Math.min(fps, Math.max(leastFps, Math.floor(fps * wanted)))
  const rest = Math.min(1, (wanted * fps) / slower)
  if (slower < fps && rest === 1) return { width, fps: slower }
  return { width: Math.max(16, Math.floor(width * Math.sqrt(rest * margin))), fps: slower }
}

function gifArgs(clip: Clip, shape: Shape, options: GifOptions): string[] {
  const { dither, palette, boomerang, loop } = options
  const scale = pictures(clip, shape, options)
  const back = boomerang
    ? ',split[f][r];[r]reverse,trim=start_frame=1,setpts=PTS-STARTPTS[b];[f][b]concat'
    : ''
  const statistics = palette === 'optimized' ? 'diff' : 'full'
  const watched = clip.media.video && hasAlpha(clip.media.video) ? watchHalfClear : ''
  const graph = `[0:v]${scale}${back},split[x][y];[x]palettegen=stats_mode=${statistics}[p];[y][p]paletteuse=dither=${dither}:diff_mode=rectangle${watched}`
  // ffmpeg counts repeats, clients count plays; -1 is once, 0 for ever.
  const repeats = loop === 0 ? 0 : loop === 1 ? -1 : loop - 1
  return ['-filter_complex', graph, '-loop', String(repeats), '-f', 'gif']
}

/**
 * Beside the way to the target: the first picture that has parts which are neither clear nor opaque is told on standard
 * output. Codecs that lose something leave what is one or the other a little beside it.
 */
const watchHalfClear = [
  ';[0:v]alphaextract,format=gray,lut=y=val*between(val\\,16\\,239),bbox=min_val=1',
  'metadata=select:key=lavfi.bbox.w,select=eq(selected_n\\,0),metadata=print:direct=1:file=-,nullsink',
].join(',')
const isHalfClear = (line: string) => line.startsWith('lavfi.bbox.w=')

/** @returns whether something half clear was seen, where that is watched for. */
async function run(
  clip: Clip,
  { start, end }: ClipOptions,
  args: readonly string[],
  tools: Tools,
): Promise<boolean> {
  const cut = cutOf({ start, end }, clip.media)
  let halfClear = false
  const onLine = (line: string) => {
    halfClear ||= isHalfClear(line)
  }
  await runFfmpeg(
    [
      ...inputGuard(clip.from),
      ...alphaDecoder(clip.media.video),
      ...cut.args,
      '-i',
      clip.source,
      '-an',
      ...args,
      clip.target,
    ],
    { durationS: cut.durationS, onLine },
    tools,
  )
  return halfClear
}

function tooLarge(maxFileSize: number, size: number): AppError {
  const sentence = `maxFileSize: the smallest that was reached is ${size} bytes. Choose a shorter part by start and end, or allow more.`
  return new AppError('CONVERSION_FAILED', sentence, { field: 'maxFileSize', maxFileSize, size })
}
