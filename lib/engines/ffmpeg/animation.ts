import { stat } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { qualityNumber } from '../options.ts'
import { cutOf } from './cut.ts'
import { inputGuard } from './inputs.ts'
import type { ClipOptions, GifOptions } from './options.ts'
import { alphaDecoder, type Media } from './probe.ts'
import { runFfmpeg } from './run.ts'

export interface Clip {
  readonly source: string
  readonly target: string
  readonly from: FormatId
  readonly media: Media
}

const usualWidth = 480
/** The size goes with the square of the width, so that few tries come close. */
const maxTries = 6

interface Shape {
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
    await run(clip, options, gifArgs(shape, options), tools)
    if (maxFileSize === undefined) return
    const { size } = await stat(clip.target)
    if (size <= maxFileSize) return
    if (tries === maxTries || (shape.width <= 16 && shape.fps <= 5)) throw tooLarge(maxFileSize, size)
    shape = smaller(shape, maxFileSize / size)
  }
}

export async function makeAnimatedWebp(clip: Clip, options: ClipOptions, tools: Tools): Promise<void> {
  const { width, fps } = shapeOf(clip, options)
  const quality = qualityNumber(options.quality, { low: 35, medium: 55, high: 75, highest: 90 })
  const scale = pictures(width, fps)
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
  const { width, fps } = shapeOf(clip, options)
  const scale = pictures(width, fps)
  // Zero is for ever here too.
  await run(clip, options, ['-vf', scale, '-plays', String(options.loop), '-f', 'apng'], tools)
}

/** Without `eof_action`, an animation of one picture that is shown for less than a frame would have none. */
const pictures = (width: number, fps: number) => `fps=${fps}:eof_action=pass,scale=${width}:-2:flags=lanczos`

function shapeOf({ media }: Clip, { width, fps }: ClipOptions): Shape {
  return { width: width ?? Math.min(usualWidth, media.video?.width ?? usualWidth), fps }
}

/** Fewer pictures first where there are many, then smaller ones. */
function smaller({ width, fps }: Shape, ratio: number): Shape {
  const slower = fps > 10 ? Math.max(10, Math.floor(fps * Math.max(ratio, 0.6))) : fps
  const rest = Math.min(1, ratio / (slower / fps))
  return { width: Math.max(16, Math.floor(width * Math.sqrt(rest) * 0.95)), fps: slower }
}

function gifArgs({ width, fps }: Shape, { dither, palette, boomerang, loop }: GifOptions): string[] {
  const scale = pictures(width, fps)
  const back = boomerang
    ? ',split[f][r];[r]reverse,trim=start_frame=1,setpts=PTS-STARTPTS[b];[f][b]concat'
    : ''
  const statistics = palette === 'optimized' ? 'diff' : 'full'
  const graph = `[0:v]${scale}${back},split[x][y];[x]palettegen=stats_mode=${statistics}[p];[y][p]paletteuse=dither=${dither}:diff_mode=rectangle`
  // ffmpeg counts repeats, clients count plays; -1 is once, 0 for ever.
  const repeats = loop === 0 ? 0 : loop === 1 ? -1 : loop - 1
  return ['-filter_complex', graph, '-loop', String(repeats), '-f', 'gif']
}

async function run(
  clip: Clip,
  { start, end }: ClipOptions,
  args: readonly string[],
  tools: Tools,
): Promise<void> {
  const cut = cutOf({ start, end }, clip.media)
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
    { durationS: cut.durationS },
    tools,
  )
}

function tooLarge(maxFileSize: number, size: number): AppError {
  const sentence = `maxFileSize: the smallest that was reached is ${size} bytes. Choose a shorter part by start and end, or allow more.`
  return new AppError('CONVERSION_FAILED', sentence, { field: 'maxFileSize', maxFileSize, size })
}
