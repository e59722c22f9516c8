import { stat } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { toQualityNumber } from '../options.ts'
import { createDemuxerArgs } from './demuxers.ts'
import { createSdrFilters } from './dynamic-range.ts'
import type { ClipOptions, GifOptions } from './options.ts'
import { chooseAlphaDecoder, hasAlpha, type MediaInfo } from './probe.ts'
import { runFfmpeg } from './run.ts'
import { resolveTrim } from './trim.ts'
import { chooseOutputSize, type VideoSize } from './video-filters.ts'

interface Clip {
  readonly source: string
  readonly target: string
  readonly from: FormatId
  readonly media: MediaInfo
}

const defaultWidth = 480
/** Below this frame rate, animations no longer look fluid. */
const minFps = 5
/** The file size is proportional to the square of the width, so a few attempts are enough. */
const maxTries = 6

interface AnimationSize {
  readonly width: number
  readonly fps: number
}

/**
 * Creates a GIF with two passes in one filter graph: computes the palette of all frames, then draws the frames with it.
 * @throws AppError CONVERSION_FAILED (`maxFileSize` is too small), INVALID_INPUT (nothing between `start` and `end`);
 * ProcessFailure.
 */
export async function makeGif(clip: Clip, options: GifOptions, tools: Tools): Promise<void> {
  const { maxFileSize } = options
  let animationSize = chooseInitialSize(clip, options)
  for (let attempt = 1; ; attempt++) {
    const hasSemiTransparency = await runAnimation(
      clip,
      options,
      createGifArgs(clip, animationSize, options),
      tools,
    )
    const { size } = maxFileSize === undefined ? { size: 0 } : await stat(clip.target)
    if (maxFileSize === undefined || size <= maxFileSize) {
      if (hasSemiTransparency) warnAboutSemiTransparency(tools)
      return
    }
    if (attempt === maxTries || (animationSize.width <= 16 && animationSize.fps <= minFps))
      throw createSizeLimitError(maxFileSize, size)
    animationSize = reduceSize(animationSize, maxFileSize / size)
  }
}

function warnAboutSemiTransparency(tools: Tools): void {
  const message =
    'Semi-transparent parts became opaque or fully transparent, because gif supports nothing in between. Use webp or apng to keep them.'
  tools.warn('TRANSPARENCY_DROPPED', message)
}

export async function makeAnimatedWebp(clip: Clip, options: ClipOptions, tools: Tools): Promise<void> {
  const quality = toQualityNumber(options.quality, { low: 35, medium: 55, high: 75, highest: 90 })
  const frameFilters = createFrameFilters(clip, chooseInitialSize(clip, options), options)
  const encoderArgs = [
    '-c:v',
    'libwebp_anim',
    '-q:v',
    String(quality),
    '-loop',
    String(options.loop),
    '-f',
    'webp',
  ]
  await runAnimation(clip, options, ['-vf', frameFilters, ...encoderArgs], tools)
}

export async function makeAnimatedPng(clip: Clip, options: ClipOptions, tools: Tools): Promise<void> {
  const frameFilters = createFrameFilters(clip, chooseInitialSize(clip, options), options)
  // Zero means forever in APNG as well.
  await runAnimation(
    clip,
    options,
    ['-vf', frameFilters, '-plays', String(options.loop), '-f', 'apng'],
    tools,
  )
}

/**
 * Returns the filters that sample and scale the frames. Without `eof_action`, an animation whose only frame is shorter
 * than one tick would be empty. With it, the last frame may be repeated after the requested end, hence the `trim`.
 */
function createFrameFilters(
  { media }: Clip,
  { width, fps }: AnimationSize,
  { start, end }: ClipOptions,
): string {
  const { durationS = 0 } = end === undefined ? {} : resolveTrim({ start, end }, media)
  const trimFilter = durationS > 0 ? `,trim=end_frame=${Math.max(1, Math.round(durationS * fps))}` : ''
  const source = getDisplaySize(media)
  const height = Math.max(2, Math.round((source.height * width) / source.width / 2) * 2)
  return [
    `fps=${fps}:start_time=0:round=up:eof_action=pass${trimFilter}`,
    // Declares square pixels, because players ignore the pixel aspect ratio of animations.
    ...[`scale=${width}:${height}:flags=lanczos`, 'setsar=1'],
    ...(media.video ? createSdrFilters(media.video) : []),
  ].join(',')
}

/** Returns the size of the upright image with square pixels. */
const getDisplaySize = ({ video }: MediaInfo): VideoSize =>
  video ? chooseOutputSize(video, { mode: 'encode' }, 1) : { width: defaultWidth, height: defaultWidth }

function chooseInitialSize({ media }: Clip, { width, fps }: ClipOptions): AnimationSize {
  return { width: width ?? Math.min(defaultWidth, getDisplaySize(media).width), fps }
}

/** Aims slightly below the size limit. */
const safetyMargin = 0.95

/** Reduces the frame rate first, and then the width if that is not enough. */
export function reduceSize({ width, fps }: AnimationSize, ratio: number): AnimationSize {
  const targetRatio = ratio * safetyMargin
  const reducedFps = Math.min(fps, Math.max(minFps, Math.floor(fps * targetRatio)))
  const remainingRatio = Math.min(1, (targetRatio * fps) / reducedFps)
  if (reducedFps < fps && remainingRatio === 1) return { width, fps: reducedFps }
  return {
    width: Math.max(16, Math.floor(width * Math.sqrt(remainingRatio * safetyMargin))),
    fps: reducedFps,
  }
}

function createGifArgs(clip: Clip, animationSize: AnimationSize, options: GifOptions): string[] {
  const { dither, palette, boomerang, loop } = options
  const frameFilters = createFrameFilters(clip, animationSize, options)
  const boomerangFilters = boomerang
    ? ',split[f][r];[r]reverse,trim=start_frame=1,setpts=PTS-STARTPTS[b];[f][b]concat'
    : ''
  const statsMode = palette === 'optimized' ? 'diff' : 'full'
  const probe = clip.media.video && hasAlpha(clip.media.video) ? semiTransparencyProbe : ''
  const graph = `[0:v]${frameFilters}${boomerangFilters},split[x][y];[x]palettegen=stats_mode=${statsMode}[p];[y][p]paletteuse=dither=${dither}:diff_mode=rectangle${probe}`
  // ffmpeg counts repeats, clients count plays; -1 means once, 0 means forever.
  const repeats = loop === 0 ? 0 : loop === 1 ? -1 : loop - 1
  return ['-filter_complex', graph, '-loop', String(repeats), '-f', 'gif']
}

/**
 * A second branch of the graph, which prints the first frame with semi-transparent parts to stdout. It tolerates values
 * close to fully transparent or opaque, as lossy codecs change them slightly.
 */
const semiTransparencyProbe = [
  ';[0:v]alphaextract,format=gray,lut=y=val*between(val\\,16\\,239),bbox=min_val=1',
  'metadata=select:key=lavfi.bbox.w,select=eq(selected_n\\,0),metadata=print:direct=1:file=-,nullsink',
].join(',')
const reportsSemiTransparency = (line: string) => line.startsWith('lavfi.bbox.w=')

/** @returns whether semi-transparent parts were found, if the arguments contain the probe. */
async function runAnimation(
  clip: Clip,
  { start, end }: ClipOptions,
  args: readonly string[],
  tools: Tools,
): Promise<boolean> {
  const trim = resolveTrim({ start, end }, clip.media)
  let hasSemiTransparency = false
  const onLine = (line: string) => {
    hasSemiTransparency ||= reportsSemiTransparency(line)
  }
  await runFfmpeg(
    [
      ...createDemuxerArgs(clip.from),
      ...chooseAlphaDecoder(clip.media.video),
      ...trim.args,
      '-i',
      clip.source,
      '-an',
      ...args,
      clip.target,
    ],
    { durationS: trim.durationS, onLine },
    tools,
  )
  return hasSemiTransparency
}

function createSizeLimitError(maxFileSize: number, reachedBytes: number): AppError {
  const message = `maxFileSize: the smallest result that was reached has ${reachedBytes} bytes. Choose a shorter part with start and end, or increase maxFileSize.`
  return new AppError('CONVERSION_FAILED', message, { field: 'maxFileSize', maxFileSize, size: reachedBytes })
}
