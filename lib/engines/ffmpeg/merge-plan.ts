import type { WorkerPool } from '../engine.ts'
import { allowsCopies, canConcatenate } from './concat-compatible.ts'
import type { Container } from './containers.ts'
import { type FrameRange, getMergeCodecs } from './merge-encode.ts'
import type { MergeInput } from './merge-inputs.ts'
import type { MergeVideoOptions } from './options.ts'
import { hasAlpha, type MediaInfo } from './probe.ts'
import { estimateEncodeTimeS } from './video-encode-time.ts'
import { chooseOutputSize } from './video-filters.ts'
import { chooseSegmentTimeS, computeSegmentLengthS, type SegmentPosition } from './video-segments.ts'

/** Decides how a merge of videos is split, and where the segments are placed in the result. */

/**
 * Returns the segment length of each video in seconds, or undefined if the merge is copied, is short enough or cannot
 * be split.
 */
export function chooseSegmentLengths(
  mergeInputs: readonly Pick<MergeInput, 'media'>[],
  { container, options }: { readonly container: Container; readonly options: MergeVideoOptions },
  pool: WorkerPool,
): number[] | undefined {
  if (allowsCopies(options) && canConcatenate(mergeInputs, container)) return undefined
  const videoEstimates = mergeInputs.map(({ media }) =>
    estimateVideoEncoding(media, mergeInputs[0]?.media, container, options),
  )
  if (!videoEstimates.every((video) => video !== undefined)) return undefined
  const encodeTimeS = videoEstimates.reduce((sum, video) => sum + video.encodeTimeS, 0)
  const segmentTimeS = chooseSegmentTimeS(encodeTimeS, pool)
  return segmentTimeS === undefined
    ? undefined
    : videoEstimates.map((video) => computeSegmentLengthS(video, segmentTimeS))
}

/** Returns the duration of a video and the estimated time to encode it. */
function estimateVideoEncoding(
  { video, durationS }: MediaInfo,
  firstMedia: MediaInfo | undefined,
  container: Container,
  options: MergeVideoOptions,
): { durationS: number; encodeTimeS: number } | undefined {
  if (!video || !firstMedia?.video || durationS === undefined || hasAlpha(video)) return undefined
  const source = { video, durationS, size: chooseOutputSize(firstMedia.video, { mode: 'encode' }) }
  const encodeTimeS = estimateEncodeTimeS(source, getMergeCodecs(container).video, options)
  return encodeTimeS === undefined ? undefined : { durationS, encodeTimeS }
}

/**
 * Counts frames as ffmpeg's `fps` filter does. The offset compensates for timestamps that are rounded to microseconds.
 */
const toFrameNumber = (seconds: number, framesPerSecond: number) =>
  Math.round(seconds * framesPerSecond + 1e-4)

/** Returns the frames of a segment. */
export function toFrameRange({ startS, endS }: SegmentPosition, framesPerSecond: number): FrameRange {
  const firstFrame = toFrameNumber(startS, framesPerSecond)
  return { first: firstFrame, count: toFrameNumber(endS, framesPerSecond) - firstFrame }
}

/** A segment of one of the videos. */
interface MergeSegment extends FrameRange {
  readonly film: number
}

/**
 * Returns the positions of the segments in the result.
 * @param videoRanges frames of each video
 * @param beginS time at which each video begins in the audio; if undefined, each video follows the one before it
 */
export function locateSegments(
  segments: readonly MergeSegment[],
  videoRanges: readonly FrameRange[],
  {
    beginS,
    framesPerSecond,
  }: { readonly beginS: readonly number[] | undefined; readonly framesPerSecond: number },
): SegmentPosition[] {
  let end = 0
  const starts = videoRanges.map(({ first, count }, index) => {
    const start = beginS ? Math.round((beginS[index] ?? 0) * framesPerSecond) : end + first
    end = start + count
    return start
  })
  const frameNumbers = segments.map(
    ({ film: index, first }) => (starts[index] ?? 0) + first - (videoRanges[index]?.first ?? 0),
  )
  return frameNumbers.map((number, index) => ({
    startS: number / framesPerSecond,
    endS: (frameNumbers[index + 1] ?? end) / framesPerSecond,
  }))
}
