import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { EngineWork, OutputFile, Tools, WorkerPool } from '../engine.ts'
import { type VideoCodecId, videoCodecs } from './codecs.ts'
import type { Container } from './containers.ts'
import { inputGuard, localOnly } from './demuxers.ts'
import type { MergedTexts } from './merged-metadata.ts'
import type { MediaStream } from './probe.ts'
import { headerOf } from './read-header.ts'
import { isWhole, runFfmpeg } from './run.ts'
import { keepLanguages, languagesIn } from './track-languages.ts'
import { isJoinable } from './video-encode-time.ts'
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
const leastPieceS = 6
const mostPieces = 400

/** Seconds that a film must take before other machines are worth their start, and what a piece of it should take. */
const worthS = 20
const pieceTakesS = 5

/** Parts of a run's time: for all of a film that stays whole, and for a piece, which may meet a slow machine. */
const wholeShare = 0.5
const pieceShare = 0.2

/**
 * Seconds by which sound is put off until it is joined. What an encoder of sound puts before the first sample lies below
 * zero, and a file that cannot hold that would be shifted by itself, away from its pictures.
 */
const roomS = 1

/** The container of a sound that `joinPieces` is to get. */
export const soundApart = (container: Container): Container => ({
  ...container,
  args: [...(container.args ?? []), '-output_ts_offset', String(roomS)],
})

/** Whether pieces in this codec can be joined to a film in this container. */
export const takesPieces = ({ muxer, steady }: Container, codec: VideoCodecId): boolean =>
  // Pieces of a steady rate would each round their number of pictures.
  !steady && joinableMuxers.includes(muxer) && isJoinable(codec)

/** On one machine ffmpeg keeps all processors busy, so that only a limit of time makes pieces useful. */
const hasOthers = ({ workers }: WorkerPool) => workers > availableParallelism()

export const mayGain = (crew: WorkerPool): boolean => hasOthers(crew) || Number.isFinite(crew.timeoutS)

/** Seconds of work that a piece should be, of a film that takes so long; undefined where it is not to be cut. */
export function workOfPiece(takesS: number, crew: WorkerPool): number | undefined {
  const isTooLong = takesS > crew.timeoutS * wholeShare
  const isFaster = hasOthers(crew) && takesS > worthS
  if (!isTooLong && !isFaster) return undefined
  const pieces = Math.max(
    isTooLong ? takesS / (crew.timeoutS * pieceShare) : 0,
    isFaster ? Math.min(crew.workers, takesS / pieceTakesS) : 0,
  )
  return takesS / Math.min(mostPieces, pieces)
}

/** Seconds of film in a piece that is `workS` of its `takesS`. */
export const lengthOfPiece = (film: { durationS: number; takesS: number }, workS: number): number =>
  Math.max(leastPieceS, (film.durationS * workS) / film.takesS)

/** Where a piece lies, in seconds from the beginning of its file. */
export interface Place {
  readonly startS: number
  readonly endS: number
}

export interface CutPiece extends Place {
  readonly file: Required<Pick<OutputFile, 'path' | 'format'>>
}

export interface Cut {
  readonly pieces: readonly CutPiece[]
  /** Of all pieces together. */
  readonly pictures: number
  /** Seconds by which pictures in the pieces are later than in the file. */
  readonly shiftS: number
}

export interface Cutting {
  readonly path: string
  readonly from: EngineWork['from']
  readonly video: MediaStream
  readonly pieceS: number
  /** Of the first picture. */
  readonly startS: number
  /** What the names of the pieces begin with. */
  readonly name: string
}

export async function cutAtKeyPictures(cutting: Cutting, tools: Tools): Promise<Cut> {
  const { path, from, video, pieceS, startS, name } = cutting
  const format = movCodecs.includes(video.codec_name) ? ('mov' as const) : ('nut' as const)
  const list = join(tools.workDir, `${name}.csv`)
  // Pictures that are decoded before they are shown begin below zero, which the first piece would be shifted by alone.
  const shiftS = Math.ceil(pieceS)
  const { pictures = 0 } = await runFfmpeg(
    [
      ...[...inputGuard(from), '-i', path, '-map', `0:${video.index}`, '-c', 'copy'],
      ...['-output_ts_offset', String(shiftS), '-f', 'segment', '-segment_time', String(pieceS)],
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
  const pieces = rows.map(([file, , end], index) => ({
    startS: starts[index] ?? 0,
    endS: starts[index + 1] ?? end - shiftS,
    file: { path: join(tools.workDir, basename(file)), format },
  }))
  return { pieces, pictures, shiftS }
}

/** A piece that was encoded. */
export interface MadePiece extends Place {
  readonly path: string
  readonly pictures: number
}

export interface Joining {
  /** In order; where they lie is in the time of the result. */
  readonly pieces: readonly MadePiece[]
  /** In the container `soundApart`, with all that comes along with it. */
  readonly sound: string | undefined
  /** What a film without sound says of itself. */
  readonly texts?: MergedTexts | undefined
  /** That there should be. */
  readonly pictures: number
  readonly durationS: number | undefined
  readonly container: Container
  readonly codec: VideoCodecId
}

/** @returns path of the film. @throws AppError CONVERSION_FAILED where it does not come together, and ProcessFailure. */
export async function joinPieces(joining: Joining, work: EngineWork, tools: Tools): Promise<string> {
  const { pieces, sound, texts, durationS, container } = joining
  const list = join(tools.workDir, 'pieces.ffconcat')
  // All names in it are ours, and hold no quote.
  const lines = pieces.flatMap(({ path, startS, endS }) => [
    `file '${path}'`,
    `duration ${(endS - startS).toFixed(6)}`,
  ])
  await writeFile(list, ['ffconcat version 1.0', ...lines, ''].join('\n'))
  const target = join(work.outDir, `output.${work.to}`)
  const startS = roomS + (pieces[0]?.startS ?? 0)
  // ffmpeg takes it off in reading, and has not put it on in writing.
  const delayS = sound ? ((await headerOf(sound, work.to))?.soundDelayS ?? 0) : 0
  const written = await runFfmpeg(
    [
      ...['-copyts', '-itsoffset', startS.toFixed(6), ...localOnly, '-format_whitelist', 'concat,nut'],
      ...['-f', 'concat', '-safe', '0', '-i', list],
      ...(sound ? ['-itsoffset', delayS.toFixed(6), ...inputGuard(work.to), '-i', sound] : []),
      ...(texts?.input ?? []),
      ...['-map', '0:v:0', ...(texts?.args(1) ?? [])],
      ...(sound ? ['-map', '1', '-map_metadata', '1', '-map_chapters', '1'] : []),
      ...['-c', 'copy', '-output_ts_offset', String(-roomS)],
      ...tagArgs(videoCodecs[joining.codec].name, container),
      ...['-max_muxing_queue_size', '4096', ...(container.args ?? []), '-f', container.muxer, target],
    ],
    { durationS },
    tools,
  )
  if (sound && container.muxer === 'mov') await keepLanguages(target, await languagesIn(sound))
  const recipe = { has: { video: true, audio: sound ? 1 : 0 }, allEncoded: false }
  if (!(await isWhole({ path: target, to: work.to, recipe, written, durationS }, tools))) throw notJoined()
  const missing = joining.pictures - pieces.reduce((sum, { pictures }) => sum + pictures, 0)
  if (missing > 0) {
    const message = `${missing} of ${joining.pictures} pictures could not be decoded where the film was cut, and are missing.`
    tools.warn('PICTURES_DROPPED', message)
  }
  tools.progress(1)
  return target
}

const notJoined = () =>
  new AppError(
    'CONVERSION_FAILED',
    'The film was encoded in pieces, and these did not come together to a whole one.',
  )
