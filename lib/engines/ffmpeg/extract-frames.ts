import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineWork, InputFile, Tools } from '../engine.ts'
import { loadSharp } from '../vips/image.ts'
import { createDemuxerArgs, hasTimestamps } from './demuxers.ts'
import { createSdrFilters, warnHdrConverted } from './dynamic-range.ts'
import {
  chooseAlphaDecoder,
  createMissingStreamError,
  type MediaInfo,
  type MediaStream,
  probeWithDuration,
} from './probe.ts'
import { runFfmpeg } from './run.ts'
import { chooseOutputSize } from './video-filters.ts'

/** A video from which frames are extracted. */
export interface VideoSource {
  readonly path: string
  readonly from: FormatId
  readonly video: MediaStream
  /** Duration of the video stream in seconds; undefined if unknown. */
  readonly lengthS: number | undefined
}

/**
 * @throws AppError UNSUPPORTED_CONVERSION (no video track), INVALID_INPUT (`timestamp` is after the end), CORRUPT_FILE.
 */
export async function openVideo(
  { path, format: from }: InputFile,
  { to }: EngineWork,
  timestamp: number | undefined,
  tools: Tools,
): Promise<VideoSource> {
  const media = await probeWithDuration(path, from, tools)
  const { video } = media
  if (!video) throw createMissingStreamError('video track', from, to)
  const source: VideoSource = {
    path,
    from,
    video,
    lengthS: await measureVideoLength(path, from, media, tools),
  }
  if (timestamp !== undefined) requireTimestampInVideo(timestamp, source)
  warnHdrConverted(video, tools)
  return source
}

/** Returns the duration of the video stream, as audio may be longer. Raw video streams are decoded to measure it. */
async function measureVideoLength(
  path: string,
  from: FormatId,
  { video, durationS }: MediaInfo,
  tools: Tools,
): Promise<number | undefined> {
  // Some muxers write 0 if the duration is unknown.
  if (hasTimestamps(from)) return video?.duration || durationS
  let lengthS: number | undefined
  const onLine = (line: string) => {
    const outTimeUs = Number(/^out_time_us=(\d+)/.exec(line)?.[1] ?? 0)
    if (outTimeUs > 0) lengthS = outTimeUs / 1e6
  }
  const decodeArgs = ['-map', '0:v:0', '-f', 'null', '-']
  const args = ['-v', 'error', '-nostdin', '-progress', 'pipe:1', ...createDemuxerArgs(from), '-i', path]
  await tools.exec('ffmpeg', [...args, ...decodeArgs], { onLine })
  return lengthS
}

function requireTimestampInVideo(timestamp: number, { from, lengthS }: VideoSource): void {
  if (lengthS === undefined || timestamp < lengthS) return
  const message = `timestamp: expected a time before the end of the ${formatById(from).name}, which is ${Number(lengthS.toFixed(3))} seconds long; got ${timestamp}.`
  throw new AppError('INVALID_INPUT', message, { field: 'timestamp', reason: 'after-end', lengthS })
}

/** Returns the times of the frames in seconds; undefined means any frame that is not blank. */
export function chooseFrameTimes(
  { lengthS = 0 }: VideoSource,
  timestamp: number | undefined,
  count: number,
): (number | undefined)[] {
  if (count === 1) return [timestamp]
  if (timestamp === undefined)
    return Array.from({ length: count }, (_, index) => ((index + 0.5) / count) * lengthS)
  return Array.from({ length: count }, (_, index) => timestamp + (index / count) * (lengthS - timestamp))
}

/** Positions in the video in the order in which they are tried; videos often begin and end in black. */
const positionFractions = [1 / 3, 1 / 2, 1 / 6, 2 / 3, 1 / 12, 5 / 6]

/** Extracts a frame that is not blank, for clients that did not request a time. */
export async function findRepresentativeFrame(video: VideoSource, tools: Tools): Promise<string> {
  const { lengthS = 0 } = video
  for (const position of lengthS > 0 ? positionFractions : []) {
    const framePath = await extractFrame(video, position * lengthS, 0, tools)
    if (await hasContent(framePath)) return framePath
    await rm(framePath)
  }
  return extractFrame(video, lengthS / 3, 0, tools)
}

/** Standard deviation below which a frame is blank: a single color with coding noise. */
const minStandardDeviation = 6

async function hasContent(path: string): Promise<boolean> {
  const sharp = await loadSharp()
  const { channels } = await sharp(path).toColourspace('srgb').removeAlpha().stats()
  return channels.some(({ stdev }) => stdev >= minStandardDeviation)
}

/** Extracts the frame that is shown at `atS`, or else the nearest one, in its own size but with square pixels. */
export async function extractFrame(
  video: VideoSource,
  atS: number,
  index: number,
  tools: Tools,
): Promise<string> {
  const targetPath = join(tools.workDir, `still-${index}.png`)
  const seekS = Math.max(0, atS - getFrameIntervalS(video.video) + 0.001)
  const singleFrameArgs = ['-frames:v', '1']
  const attempts = [
    { seekS: seekS, outputArgs: singleFrameArgs },
    // Starts up to three seconds earlier, because the last frames may be far apart. Each frame overwrites the previous
    // one, so that the last frame remains.
    { seekS: Math.max(0, atS - 3), outputArgs: [] },
    { seekS: 0, outputArgs: singleFrameArgs },
  ]
  for (const attempt of attempts) {
    await runFfmpeg(createFrameArgs(video, attempt, targetPath), { durationS: undefined }, tools)
    if (await fileExists(targetPath)) return targetPath
  }
  const message = `The ${formatById(video.from).name} (${video.from}) is truncated or cannot be decoded.`
  throw new AppError('CORRUPT_FILE', message, { format: video.from })
}

function createFrameArgs(
  { path, from, video }: VideoSource,
  { seekS, outputArgs }: { seekS: number; outputArgs: readonly string[] },
  targetPath: string,
): string[] {
  const seekArgs = seekS > 0 ? ['-ss', seekS.toFixed(6)] : []
  // ffmpeg cannot seek in files without timestamps, and must read them from the beginning.
  const [argsBefore, argsAfter] = hasTimestamps(from) ? [seekArgs, []] : [[], seekArgs]
  const { width, height } = chooseOutputSize(video, { mode: 'encode' }, 1)
  const filters = [`scale=${width}:${height}:flags=bicubic`, 'setsar=1', ...createSdrFilters(video)]
  return [
    ...createDemuxerArgs(from),
    ...chooseAlphaDecoder(video),
    ...argsBefore,
    ...['-i', path],
    ...argsAfter,
    ...['-map', `0:${video.index}`, '-vf', filters.join(',')],
    ...outputArgs,
    ...['-f', 'image2', '-update', '1', targetPath],
  ]
}

/** Returns the duration of a frame in seconds. */
function getFrameIntervalS({ avg_frame_rate }: MediaStream): number {
  const [numerator = 0, denominator = 0] = avg_frame_rate.split('/').map(Number)
  return numerator > 0 && denominator > 0 ? denominator / numerator : 0.04
}

async function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
