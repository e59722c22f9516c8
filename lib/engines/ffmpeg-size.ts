import { readResolution } from './ffmpeg-options.ts'
import type { MediaOptions } from './ffmpeg-plan.ts'
import { type MediaStream, rotationOf } from './ffmpeg-probe.ts'

export interface Filter {
  readonly graph: string
  /** A graph of several inputs, whose end is `[out]`. */
  readonly complex: boolean
}

/** Everything in a graph is a number or a word of ours; what a client wrote never gets here. */
export function videoFilter(
  video: MediaStream,
  options: MediaOptions,
  { flatten }: { flatten: boolean },
): Filter {
  const steps: string[] = []
  const turned = Math.abs(rotationOf(video)) % 180 === 90
  const { width, height } = sizeFor(video, turned, options)
  steps.push(`scale=${width}:${height}:flags=bicubic`, 'setsar=1')
  if (options.rotate) steps.push(...turns[options.rotate])
  if (options.fps !== undefined) steps.push(`fps=${options.fps}`)
  const chain = steps.join(',')
  if (!flatten) return { graph: chain, complex: false }
  const black = `color=black:size=${width}x${height}`
  const graph = `[0:${video.index}]scale=${width}:${height},format=yuva420p[fg];${black}[bg];[bg][fg]overlay=shortest=1:format=auto,${chain},format=yuv420p[out]`
  return { graph, complex: true }
}

const turns = {
  90: ['transpose=clock'],
  180: ['hflip', 'vflip'],
  270: ['transpose=cclock'],
} as const

/** Even sides, as 4:2:0 needs them. The source has been turned upright when it gets here. */
function sizeFor(
  video: MediaStream,
  turned: boolean,
  { resolution }: MediaOptions,
): { width: number; height: number } {
  const stored = { width: displayWidth(video), height: video.height ?? 2 }
  const source = turned ? { width: stored.height, height: stored.width } : stored
  const scale = resolution === undefined ? 1 : scaleTo(source, resolution)
  return { width: even(source.width * scale), height: even(source.height * scale) }
}

/** Pixels that are not square are made square, so that the picture keeps its shape everywhere. */
function displayWidth({ width = 2, sample_aspect_ratio }: MediaStream): number {
  const [across = 1, down = 1] = sample_aspect_ratio.split(':').map(Number)
  return across > 0 && down > 0 ? (width * across) / down : width
}

function scaleTo(source: { width: number; height: number }, resolution: string): number {
  const wanted = readResolution(resolution)
  if ('shortSide' in wanted) return wanted.shortSide / Math.min(source.width, source.height)
  return Math.min(wanted.width / source.width, wanted.height / source.height)
}

const even = (length: number) => Math.max(2, Math.round(length / 2) * 2)
