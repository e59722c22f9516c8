import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { EngineWork, OutputFile, Tools, WorkerPool } from '../engine.ts'
import { type VideoCodecId, videoCodecs } from './codecs.ts'
import type { Container } from './containers.ts'
import { demuxerArgs, localProtocolArgs } from './demuxers.ts'
import type { MergedMetadata } from './merged-metadata.ts'
import type { MediaStream } from './probe.ts'
import { readHeader } from './read-header.ts'
import { isComplete, runFfmpeg } from './run.ts'
import { readLanguages, restoreLanguages } from './track-languages.ts'
import { canJoinSegments } from './video-encode-time.ts'
import { tagArgs } from './video-stream.ts'

/**
 * Pictures in pieces: cut at key pictures without decoding them, and joined by copying what was encoded of each. The
 * sound stays whole, as piece by piece it would drift.
 */

/** Muxers that take a stream whose headers stand in front of it. */
const joinableMuxers = ['mp4', 'mov', 'matroska', 'webm']

/** Source codecs whose pieces QuickTime holds, with exact times and with how the picture is turned; NUT takes any. */
const movCodecs = ['h264', 'hevc', 'mpeg4', 'mpeg2video', 'prores', 'mjpeg']

/** Shorter pieces cost 16 % of processor time and 19 % of size, as each begins with a key picture. */
const minSegmentS = 6
const maxSegments = 400

/** Seconds that a film must take before other machines are worth their start, and what a piece of it should take. */
const minSplitS = 20
const segmentWorkS = 5

/** Parts of a run's time: for all of a film that stays whole, and for a piece, which may meet a slow machine. */
const wholeFraction = 0.5
const segmentFraction = 0.2

/**
 * Seconds by which sound is put off until it is joined. What an encoder of sound puts before the first sample lies below
 * zero, and a file that cannot hold that would be shifted by itself, away from its pictures.
 */
const audioOffsetS = 1

/** The container of a sound that `joinPieces` is to get. */
export const separateAudioContainer = (container: Container): Container => ({
  ...container,
  args: [...(container.args ?? []), '-output_ts_offset', String(audioOffsetS)],
})

/** Whether pieces in this codec can be joined to a film in this container. */
export const canSegment = ({ muxer, constantFrameRate }: Container, codec: VideoCodecId): boolean =>
  // Pieces of a steady rate would each round their number of pictures.
  !constantFrameRate && joinableMuxers.includes(muxer) && canJoinSegments(codec)

/** On one machine ffmpeg keeps all processors busy, so that only a limit of time makes pieces useful. */
const hasOtherMachines = ({ workers }: WorkerPool) => workers > availableParallelism()

export const mayBenefitFromChunks = (pool: WorkerPool): boolean =>
  hasOtherMachines(pool) || Number.isFinite(pool.timeoutS)

/** Seconds of work that a piece should be, of a film that takes so long; undefined where it is not to be cut. */
export function segmentWork(encodeTimeS: number, pool: WorkerPool): number | undefined {
  const isTooLong = encodeTimeS > pool.timeoutS * wholeFraction
  const isFaster = hasOtherMachines(pool) && encodeTimeS > minSplitS
  if (!isTooLong && !isFaster) return undefined
  const segments = Math.max(
    isTooLong ? encodeTimeS / (pool.timeoutS * segmentFraction) : 0,
    isFaster ? Math.min(pool.workers, encodeTimeS / segmentWorkS) : 0,
  )
  return encodeTimeS / Math.min(maxSegments, segments)
}

/** Seconds of film in a piece that is `workS` of its `takesS`. */
export const segmentLengthS = (source: { durationS: number; encodeTimeS: number }, workS: number): number =>
  Math.max(minSegmentS, (source.durationS * workS) / source.encodeTimeS)

/** Where a piece lies, in seconds from the beginning of its file. */
export interface SegmentPosition {
  readonly startS: number
  readonly endS: number
}

export interface VideoSegment extends SegmentPosition {
  readonly file: Required<Pick<OutputFile, 'path' | 'format'>>
}

export interface SegmentedVideo {
  readonly segments: readonly VideoSegment[]
  /** Of all pieces together. */
  readonly frames: number
  /** Seconds by which pictures in the pieces are later than in the file. */
  readonly shiftS: number
}

export interface SegmentRequest {
  readonly path: string
  readonly from: EngineWork['from']
  readonly video: MediaStream
  readonly segmentS: number
  /** Of the first picture. */
  readonly startS: number
  /** What the names of the pieces begin with. */
  readonly name: string
}

export async function cutAtKeyframes(request: SegmentRequest, tools: Tools): Promise<SegmentedVideo> {
  const { path, from, video, segmentS, startS, name } = request
  const format = movCodecs.includes(video.codec_name) ? ('mov' as const) : ('nut' as const)
  const list = join(tools.workDir, `${name}.csv`)
  // Pictures that are decoded before they are shown begin below zero, which the first piece would be shifted by alone.
  const shiftS = Math.ceil(segmentS)
  const { frames = 0 } = await runFfmpeg(
    [
      ...[...demuxerArgs(from), '-i', path, '-map', `0:${video.index}`, '-c', 'copy'],
      ...['-output_ts_offset', String(shiftS), '-f', 'segment', '-segment_time', String(segmentS)],
      ...['-segment_format', format, '-segment_list', list, '-segment_list_type', 'csv'],
      join(tools.workDir, `${name}-%04d.${format}`),
    ],
    { durationS: undefined },
    tools,
  )
  const { parse } = await import('csv-parse/sync')
  const rows = z
    .array(z.tuple([z.string(), z.coerce.number(), z.coerce.number()]))
    .parse(parse(await readFile(list)))
  const starts = rows.map(([, at], index) => (index === 0 ? startS : at - shiftS))
  const segments = rows.map(([file, , end], index) => ({
    startS: starts[index] ?? 0,
    endS: starts[index + 1] ?? end - shiftS,
    file: { path: join(tools.workDir, basename(file)), format },
  }))
  return { segments, frames, shiftS }
}

/** A piece that was encoded. */
export interface EncodedSegment extends SegmentPosition {
  readonly path: string
  readonly frames: number
}

export interface JoinRequest {
  /** In order; where they lie is in the time of the result. */
  readonly segments: readonly EncodedSegment[]
  /** In the container `soundApart`, with all that comes along with it. */
  readonly audioPath: string | undefined
  /** What a film without sound says of itself. */
  readonly metadata?: MergedMetadata | undefined
  /** That there should be. */
  readonly expectedFrames: number
  readonly durationS: number | undefined
  readonly container: Container
  readonly codec: VideoCodecId
}

/** @returns path of the film. @throws AppError CONVERSION_FAILED where it does not come together, and ProcessFailure. */
export async function joinSegments(request: JoinRequest, work: EngineWork, tools: Tools): Promise<string> {
  const { segments, audioPath, metadata, durationS, container } = request
  const list = join(tools.workDir, 'pieces.ffconcat')
  // All names in it are ours, and hold no quote.
  const lines = segments.flatMap(({ path, startS, endS }) => [
    `file '${path}'`,
    `duration ${(endS - startS).toFixed(6)}`,
  ])
  await writeFile(list, ['ffconcat version 1.0', ...lines, ''].join('\n'))
  const target = join(work.outDir, `output.${work.to}`)
  const startS = audioOffsetS + (segments[0]?.startS ?? 0)
  // ffmpeg takes it off in reading, and has not put it on in writing.
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
      ...['-f', 'concat', '-safe', '0', '-i', list],
      ...(audioPath ? ['-itsoffset', delayS.toFixed(6), ...demuxerArgs(work.to), '-i', audioPath] : []),
      ...(metadata?.input ?? []),
      ...['-map', '0:v:0', ...(metadata?.args(1) ?? [])],
      ...(audioPath ? ['-map', '1', '-map_metadata', '1', '-map_chapters', '1'] : []),
      ...['-c', 'copy', '-output_ts_offset', String(-audioOffsetS)],
      ...tagArgs(videoCodecs[request.codec].name, container),
      ...['-max_muxing_queue_size', '4096', ...(container.args ?? []), '-f', container.muxer, target],
    ],
    { durationS },
    tools,
  )
  if (audioPath && container.muxer === 'mov') await restoreLanguages(target, await readLanguages(audioPath))
  const recipe = { requiredStreams: { video: true, audio: audioPath ? 1 : 0 }, allEncoded: false }
  if (!(await isComplete({ path: target, to: work.to, recipe, written: stats, durationS }, tools)))
    throw joinError()
  const missing = request.expectedFrames - segments.reduce((sum, { frames }) => sum + frames, 0)
  if (missing > 0) {
    const message = `${missing} of ${request.expectedFrames} pictures could not be decoded where the film was cut, and are missing.`
    tools.warn('PICTURES_DROPPED', message)
  }
  tools.progress(1)
  return target
}

const joinError = () =>
  new AppError(
    'CONVERSION_FAILED',
    'The film was encoded in pieces, and these did not come together to a whole one.',
  )
