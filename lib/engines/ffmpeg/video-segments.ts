import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { EngineWork, OutputFile, Tools, WorkerPool } from '../engine.ts'
import { type VideoCodecId, videoCodecs } from './codecs.ts'
import type { Container } from './containers.ts'
import { createDemuxerArgs, localProtocolArgs } from './demuxers.ts'
import type { MergedMetadata } from './merged-metadata.ts'
import type { MediaStream } from './probe.ts'
import { readHeader } from './read-header.ts'
import { isComplete, runFfmpeg } from './run.ts'
import { readLanguages, restoreLanguages } from './track-languages.ts'
import { canJoinSegments } from './video-encode-time.ts'
import { createTagArgs } from './video-stream.ts'

/**
 * Splits videos at keyframes without decoding, and joins the encoded segments by stream copy. Audio is not split, as
 * separately encoded segments would drift.
 */

/** Muxers for streams whose codec headers are stored once, before the packets. */
const joinableMuxers = ['mp4', 'mov', 'matroska', 'webm']

/**
 * Source codecs whose segments are stored as QuickTime, which keeps exact timestamps and the rotation. Segments in
 * other codecs are stored as NUT.
 */
const movCodecs = ['h264', 'hevc', 'mpeg4', 'mpeg2video', 'prores', 'mjpeg']

/**
 * Minimum length of a segment. Each segment begins with a keyframe, so shorter segments would take 16 % more processor
 * time and 19 % more space.
 */
const minSegmentS = 6
const maxSegments = 400

/** Minimum encoding time of a video for which other machines are started. */
const minEncodeTimeS = 20
/** Encoding time that each segment should take. */
const targetSegmentTimeS = 5

/** Fraction of the time limit that encoding an unsplit video may take. */
const maxUnsplitFraction = 0.5
/** Fraction of the time limit that encoding a segment may take. Some segments may run on a slow machine. */
const maxSegmentFraction = 0.2

/**
 * Audio is delayed by this many seconds until it is joined. Encoders write priming samples before time zero, and a file
 * that cannot store negative timestamps would be shifted relative to the video.
 */
const audioOffsetS = 1

/** Returns the container for an audio file that is passed to `joinSegments`. */
export const getSeparateAudioContainer = (container: Container): Container => ({
  ...container,
  args: [...(container.args ?? []), '-output_ts_offset', String(audioOffsetS)],
})

/** Whether segments in this codec can be joined in this container. */
export const canSegment = ({ muxer, constantFrameRate }: Container, codec: VideoCodecId): boolean =>
  // With a constant frame rate, the number of frames of each segment would be rounded.
  !constantFrameRate && joinableMuxers.includes(muxer) && canJoinSegments(codec)

/**
 * Whether several machines work on the step. On a single machine, ffmpeg uses all processors, so splitting only helps
 * with a time limit.
 */
const hasOtherMachines = ({ workers }: WorkerPool) => workers > availableParallelism()

export const mayBenefitFromChunks = (pool: WorkerPool): boolean =>
  hasOtherMachines(pool) || Number.isFinite(pool.timeoutS)

/** Returns the encoding time of a segment in seconds, or undefined if the video is not split. */
export function chooseSegmentTimeS(encodeTimeS: number, pool: WorkerPool): number | undefined {
  const isTooLong = encodeTimeS > pool.timeoutS * maxUnsplitFraction
  const isFaster = hasOtherMachines(pool) && encodeTimeS > minEncodeTimeS
  if (!isTooLong && !isFaster) return undefined
  const segments = Math.max(
    isTooLong ? encodeTimeS / (pool.timeoutS * maxSegmentFraction) : 0,
    isFaster ? Math.min(pool.workers, encodeTimeS / targetSegmentTimeS) : 0,
  )
  return encodeTimeS / Math.min(maxSegments, segments)
}

/** Returns the length of a segment that takes `segmentTimeS` to encode, in seconds. */
export const computeSegmentLengthS = (
  source: { durationS: number; encodeTimeS: number },
  segmentTimeS: number,
): number => Math.max(minSegmentS, (source.durationS * segmentTimeS) / source.encodeTimeS)

/** Position of a segment, in seconds from the beginning of its file. */
export interface SegmentPosition {
  readonly startS: number
  readonly endS: number
}

interface VideoSegment extends SegmentPosition {
  readonly file: Required<Pick<OutputFile, 'path' | 'format'>>
}

interface SegmentedVideo {
  readonly segments: readonly VideoSegment[]
  /** Total number of frames. */
  readonly frames: number
  /** Seconds by which timestamps in the segments are later than in the file. */
  readonly shiftS: number
}

interface SegmentRequest {
  readonly path: string
  readonly from: EngineWork['from']
  readonly video: MediaStream
  readonly segmentS: number
  /** Time of the first frame in seconds. */
  readonly startS: number
  /** Prefix of the segments' file names. */
  readonly name: string
}

export async function cutAtKeyframes(request: SegmentRequest, tools: Tools): Promise<SegmentedVideo> {
  const { path, from, video, segmentS, startS, name } = request
  const format = movCodecs.includes(video.codec_name) ? ('mov' as const) : ('nut' as const)
  const listPath = join(tools.workDir, `${name}.csv`)
  // Reordered frames may have decoding timestamps below zero, which would shift only the first segment. This offset
  // avoids that.
  const shiftS = Math.ceil(segmentS)
  const { frames = 0 } = await runFfmpeg(
    [
      ...[...createDemuxerArgs(from), '-i', path, '-map', `0:${video.index}`, '-c', 'copy'],
      ...['-output_ts_offset', String(shiftS), '-f', 'segment', '-segment_time', String(segmentS)],
      ...['-segment_format', format, '-segment_list', listPath, '-segment_list_type', 'csv'],
      join(tools.workDir, `${name}-%04d.${format}`),
    ],
    { durationS: undefined },
    tools,
  )
  const { parse } = await import('csv-parse/sync')
  const rows = z
    .array(z.tuple([z.string(), z.coerce.number(), z.coerce.number()]))
    .parse(parse(await readFile(listPath)))
  const starts = rows.map(([, at], index) => (index === 0 ? startS : at - shiftS))
  const segments = rows.map(([file, , end], index) => ({
    startS: starts[index] ?? 0,
    endS: starts[index + 1] ?? end - shiftS,
    file: { path: join(tools.workDir, basename(file)), format },
  }))
  return { segments, frames, shiftS }
}

/** An encoded segment. */
interface EncodedSegment extends SegmentPosition {
  readonly path: string
  readonly frames: number
}

interface JoinRequest {
  /** Segments in order, with their positions in the result. */
  readonly segments: readonly EncodedSegment[]
  /**
   * Path of the separately encoded audio, which also holds the subtitles and metadata, in the container that
   * `getSeparateAudioContainer` returns. Undefined for a video without audio.
   */
  readonly audioPath: string | undefined
  /** Metadata of a video without audio. */
  readonly metadata?: MergedMetadata | undefined
  /** Number of frames in the source. */
  readonly expectedFrameCount: number
  readonly durationS: number | undefined
  readonly container: Container
  readonly codec: VideoCodecId
}

/** @returns path of the video. @throws AppError CONVERSION_FAILED if the result is incomplete, and ProcessFailure. */
export async function joinSegments(request: JoinRequest, work: EngineWork, tools: Tools): Promise<string> {
  const { segments, audioPath, metadata, durationS, container } = request
  const listPath = join(tools.workDir, 'pieces.ffconcat')
  // The file names are generated and contain no quotes.
  const lines = segments.flatMap(({ path, startS, endS }) => [
    `file '${path}'`,
    `duration ${(endS - startS).toFixed(6)}`,
  ])
  await writeFile(listPath, ['ffconcat version 1.0', ...lines, ''].join('\n'))
  const targetPath = join(work.outDir, `output.${work.to}`)
  const startS = audioOffsetS + (segments[0]?.startS ?? 0)
  // ffmpeg subtracts this delay when reading but has not added it when writing.
  const delayS = audioPath ? ((await readHeader(audioPath, work.to))?.audioDelayS ?? 0) : 0
  const stats = await runFfmpeg(
    [
      ...[
        '-copyts',
        '-itsoffset',
        startS.toFixed(6),
        ...localProtocolArgs,
        '-format_whitelist',
        'concat,nut',
      ],
      ...['-f', 'concat', '-safe', '0', '-i', listPath],
      ...(audioPath ? ['-itsoffset', delayS.toFixed(6), ...createDemuxerArgs(work.to), '-i', audioPath] : []),
      ...(metadata?.input ?? []),
      ...['-map', '0:v:0', ...(metadata?.args(1) ?? [])],
      ...(audioPath ? ['-map', '1', '-map_metadata', '1', '-map_chapters', '1'] : []),
      ...['-c', 'copy', '-output_ts_offset', String(-audioOffsetS)],
      ...createTagArgs(videoCodecs[request.codec].name, container),
      ...['-max_muxing_queue_size', '4096', ...(container.args ?? []), '-f', container.muxer, targetPath],
    ],
    { durationS },
    tools,
  )
  if (audioPath && container.muxer === 'mov')
    await restoreLanguages(targetPath, await readLanguages(audioPath))
  const recipe = { requiredStreams: { video: true, audio: audioPath ? 1 : 0 }, allEncoded: false }
  if (!(await isComplete({ path: targetPath, to: work.to, recipe, writtenStats: stats, durationS }, tools)))
    throw createJoinError()
  const missingFrameCount = request.expectedFrameCount - segments.reduce((sum, { frames }) => sum + frames, 0)
  if (missingFrameCount > 0) {
    const message = `${missingFrameCount} of ${request.expectedFrameCount} frames are missing because they could not be decoded where the video was split.`
    tools.warn('PICTURES_DROPPED', message)
  }
  tools.progress(1)
  return targetPath
}

const createJoinError = () =>
  new AppError('CONVERSION_FAILED', 'The converted segments of the video could not be joined.')
