import type { WorkerPool } from '../engine.ts'
import { canConcatenate } from './concat-compatible.ts'
import type { Container } from './containers.ts'
import { type FrameRange, mergeCodecs } from './merge-encode.ts'
import type { MergeInput } from './merge-inputs.ts'
import type { MergeVideoOptions } from './options.ts'
import { hasAlpha, type MediaInfo } from './probe.ts'
import { estimateEncodeTimeS } from './video-encode-time.ts'
import { outputSize } from './video-filters.ts'
import { type SegmentPosition, segmentLengthS, segmentWork } from './video-segments.ts'

/** How a merge of films is cut, and where the pieces come to lie. Pure. */

/** Seconds in a piece of each film; undefined where the merge is copied, ends in time or cannot be cut. */
export function segmentLengths(
  mergeInputs: readonly Pick<MergeInput, 'media'>[],
  { container, options }: { readonly container: Container; readonly options: MergeVideoOptions },
  pool: WorkerPool,
): number[] | undefined {
  if (options.mode !== 'encode' && canConcatenate(mergeInputs, container)) return undefined
  const videos = mergeInputs.map(({ media }) =>
    estimateVideo(media, mergeInputs[0]?.media, container, options),
  )
  if (!videos.every((video) => video !== undefined)) return undefined
  const encodeTimeS = videos.reduce((sum, video) => sum + video.encodeTimeS, 0)
  const segmentWorkS = segmentWork(encodeTimeS, pool)
  return segmentWorkS === undefined ? undefined : videos.map((video) => segmentLengthS(video, segmentWorkS))
}

/** How long a film is and how long its pictures take, about. */
function estimateVideo(
  { video, durationS }: MediaInfo,
  first: MediaInfo | undefined,
  container: Container,
  options: MergeVideoOptions,
): { durationS: number; encodeTimeS: number } | undefined {
  if (!video || !first?.video || durationS === undefined || hasAlpha(video)) return undefined
  const source = { video, durationS, size: outputSize(first.video, { mode: 'encode' }) }
  const encodeTimeS = estimateEncodeTimeS(source, mergeCodecs(container).video, options)
  return encodeTimeS === undefined ? undefined : { durationS, encodeTimeS }
}

/** As the filter counts that brings all films to one rate; what lies between two pictures is told in microseconds. */
const frameAt = (seconds: number, perSecond: number) => Math.round(seconds * perSecond + 1e-4)

/** Pictures of what lies there in a film. */
export function frameRangeOf({ startS, endS }: SegmentPosition, perSecond: number): FrameRange {
  const first = frameAt(startS, perSecond)
  return { first, count: frameAt(endS, perSecond) - first }
}

/** A piece of one of the films. */
export interface MergeSegment extends FrameRange {
  readonly film: number
}

/**
 * Where the pieces lie in the result.
 * @param videoRanges pictures of each.
 * @param beginS when the pictures of each film begin in the sound; without sound a film ends with its pictures.
 */
export function segmentPositions(
  segments: readonly MergeSegment[],
  videoRanges: readonly FrameRange[],
  { beginS, perSecond }: { readonly beginS: readonly number[] | undefined; readonly perSecond: number },
): SegmentPosition[] {
  let end = 0
  const starts = videoRanges.map(({ first, count }, index) => {
    const start = beginS ? Math.round((beginS[index] ?? 0) * perSecond) : end + first
    end = start + count
    return start
  })
  const frameNumbers = segments.map(
    ({ film: index, first }) => (starts[index] ?? 0) + first - (videoRanges[index]?.first ?? 0),
  )
  return frameNumbers.map((number, index) => ({
    startS: number / perSecond,
    endS: (frameNumbers[index + 1] ?? end) / perSecond,
  }))
}
