import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { Crew, Portion, Result, ShareResult, Tools, Work } from '../engine.ts'
import { videos } from './capabilities.ts'
import { type VideoCodecId, videoCodecs } from './codecs.ts'
import type { Container } from './containers.ts'
import { encodingS, isJoinable } from './film-effort.ts'
import { inputGuard, localOnly } from './inputs.ts'
import type { MediaOptions } from './options.ts'
import { codecIdFor, encodedSize, tagArgs } from './picture.ts'
import { recipeFor } from './plan.ts'
import { playable } from './playable.ts'
import { hasAlpha, type Media, type MediaStream, probedOnce } from './probe.ts'
import { headerOf } from './read-header.ts'
import { encode, isWhole, runFfmpeg } from './run.ts'
import { detailsOf, targetOf, transcode } from './transcode.ts'

/**
 * A film that takes too long for one worker is cut at key pictures without decoding it, its pieces are encoded side by
 * side, and the sound once, as a whole: piece by piece it would drift. Joining only copies.
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

const FilmShare = z.object({
  /** Of the source; a piece does not tell all of it. */
  media: z.custom<Media>((value) => typeof value === 'object'),
  /** Pictures of the source, which the result must have too. */
  pictures: z.number(),
  /** Where the piece lies, in seconds of the source's own time; the sound has none. */
  piece: z.object({ startS: z.number(), endS: z.number() }).optional(),
})

/** Undefined where the film stays whole. */
export async function splitFilm(
  work: Work,
  tools: Tools,
  crew: Crew,
): Promise<readonly Portion[] | undefined> {
  // On one machine ffmpeg keeps all processors busy, so that only a limit of time makes pieces useful.
  const others = crew.workers > availableParallelism()
  if (!isSplittable(work) || !(others || Number.isFinite(crew.secondsEach))) return undefined
  const [input] = work.inputs
  if (!input) return undefined
  const { path, from } = await playable(input.path, work.from, tools)
  // What is only copied takes no longer than a look at it.
  const header = await headerOf(path, from)
  if (header && !header.hasMore && isCopied({ media: header.media, work })) return undefined
  const media = await probedOnce(input, { path, from }, tools)
  const pieceS = pieceLength(media, work, crew)
  if (pieceS === undefined || !media.video) return undefined
  const cut = await cutAtKeyPictures(
    { path, from, video: media.video, pieceS, startS: media.pictureStartS },
    tools,
  )
  const facts = { media: stored(media), pictures: cut.pictures }
  const sound: Portion[] = media.audio.length > 0 ? [{ share: facts }] : []
  return [...sound, ...cut.pieces.map(({ file, ...piece }) => ({ share: { ...facts, piece }, file }))]
}

/** As a record keeps it, which holds nothing undefined. */
const stored = (media: Media) => JSON.parse(JSON.stringify(media)) as Media

function isSplittable(work: Work): boolean {
  if (work.operation !== 'convert' || !videos.some((id) => id === work.to)) return false
  const { container, options } = targetOf(work)
  const { start, end, fps } = options
  // Pieces of a steady rate would each round their number of pictures.
  const isWhole = !start && end === undefined && fps === undefined && !container.steady
  return isWhole && joinableMuxers.includes(container.muxer) && isJoinable(codecIn(container, options))
}

/** A container's codecs are of the table. */
const codecIn = (container: Container, options: MediaOptions) =>
  codecIdFor(container, options) as VideoCodecId

/** Seconds of film in a piece; undefined where it is not to be cut. */
function pieceLength(media: Media, work: Work, { workers, secondsEach }: Crew): number | undefined {
  const { video, durationS } = media
  const { container, options } = targetOf(work)
  if (!video || durationS === undefined || hasAlpha(video) || isCopied({ media, work })) return undefined
  // What comes with the sound has no other way into the result.
  if (media.audio.length === 0 && (media.subtitles.length > 0 || media.cover || media.chapters > 0))
    return undefined
  const size = encodedSize(video, container, options)
  const takesS = encodingS({ video, durationS, size }, codecIn(container, options), options)
  if (takesS === undefined) return undefined
  const isTooLong = takesS > secondsEach * wholeShare
  const isFaster = workers > availableParallelism() && takesS > worthS
  if (!isTooLong && !isFaster) return undefined
  const pieces = Math.max(
    isTooLong ? takesS / (secondsEach * pieceShare) : 0,
    isFaster ? Math.min(workers, takesS / pieceTakesS) : 0,
  )
  const lengthS = Math.max(leastPieceS, durationS / Math.min(mostPieces, pieces))
  return lengthS < durationS ? lengthS : undefined
}

function isCopied({ media, work }: { media: Media; work: Work }): boolean {
  const { output } = recipeFor({
    ...targetOf(work),
    media,
    from: work.from,
    to: work.to,
    mayCopy: true,
    keepSubtitles: true,
  })
  const codec = output.indexOf('-c:v:0')
  return output[codec + 1] === 'copy'
}

interface Cutting {
  readonly path: string
  readonly from: Work['from']
  readonly video: MediaStream
  readonly pieceS: number
  readonly startS: number
}

async function cutAtKeyPictures({ path, from, video, pieceS, startS }: Cutting, tools: Tools) {
  const format = movCodecs.includes(video.codec_name) ? ('mov' as const) : ('nut' as const)
  const list = join(tools.workDir, 'pieces.csv')
  // Pictures that are decoded before they are shown begin below zero, which the first piece would be shifted by alone.
  const shiftS = Math.ceil(pieceS)
  const { pictures = 0 } = await runFfmpeg(
    [
      ...[...inputGuard(from), '-i', path, '-map', `0:${video.index}`, '-c', 'copy'],
      ...['-output_ts_offset', String(shiftS), '-f', 'segment', '-segment_time', String(pieceS)],
      ...['-segment_format', format, '-segment_list', list, '-segment_list_type', 'csv'],
      join(tools.workDir, `piece-%04d.${format}`),
    ],
    { durationS: undefined },
    tools,
  )
  const { parse } = await import('csv-parse/sync')
  const rows = z
    .array(z.tuple([z.string(), z.coerce.number(), z.coerce.number()]))
    .parse(parse(await readFile(list)))
  const starts = rows.map(([, at], index) => (index === 0 ? startS : at - shiftS))
  const pieces = rows.map(([name, , end], index) => ({
    startS: starts[index] ?? 0,
    endS: starts[index + 1] ?? end - shiftS,
    file: { path: join(tools.workDir, basename(name)), format },
  }))
  return { pieces, pictures }
}

/** Of `splitFilm`: a piece of the pictures, or all of the sound with what belongs to it. */
export async function runFilmShare(work: Work, tools: Tools): Promise<Result> {
  const { media, piece } = FilmShare.parse(work.share)
  const [input] = work.inputs
  if (!input) throw new Error('A share of a film came without its file.')
  const { container, options } = targetOf(work)
  if (!piece) {
    const { path, from } = await playable(input.path, work.from, tools)
    const target = join(work.outDir, `sound.${work.to}`)
    const later = { ...container, args: [...(container.args ?? []), '-output_ts_offset', String(roomS)] }
    const sounding = { path, from, to: work.to, target, container: later, options }
    return transcode({ ...sounding, media: { ...media, video: undefined } }, tools)
  }
  const target = join(work.outDir, 'piece.nut')
  const recipe = recipeFor({
    ...{ from: input.format, to: work.to, options, mayCopy: false, keepSubtitles: false },
    media: onlyPictures(media),
    container: { ...container, muxer: 'nut', args: [] },
  })
  const durationS = piece.endS - piece.startS
  const { pictures } = await encode(recipe, { source: input.path, target, durationS }, tools)
  for (const { code, message } of recipe.warnings) tools.warn(code, message)
  return { files: [{ path: target, format: 'nut' }], method: 'encode', details: { pictures } }
}

/** A piece holds its pictures and nothing else. */
function onlyPictures(media: Media): Media {
  const video = media.video && { ...media.video, index: 0 }
  return { ...media, video, audio: [], subtitles: [], cover: undefined, chapters: 0 }
}

/** @throws AppError CONVERSION_FAILED where the film does not come together, and ProcessFailure. */
export async function joinFilm(work: Work, results: readonly ShareResult[], tools: Tools): Promise<Result> {
  const made = results.map(({ share, files: [file], details }) => {
    if (!file) throw new Error('A share of a film came back without its file.')
    return { ...FilmShare.parse(share), path: file.path, got: z.number().optional().parse(details?.pictures) }
  })
  const pieces = made.flatMap(({ piece, path, got = 0 }) => (piece ? [{ ...piece, path, got }] : []))
  const sound = made.find(({ piece }) => !piece)
  const [{ media, pictures }] = made as [(typeof made)[number]] // A film is split into two shares or more.
  const list = join(tools.workDir, 'pieces.ffconcat')
  // All names in it are ours, and hold no quote.
  const lines = pieces.flatMap(({ path, startS, endS }) => [
    `file '${path}'`,
    `duration ${(endS - startS).toFixed(6)}`,
  ])
  await writeFile(list, ['ffconcat version 1.0', ...lines, ''].join('\n'))
  const { container, options } = targetOf(work)
  const target = join(work.outDir, `output.${work.to}`)
  const startS = roomS + (pieces[0]?.startS ?? 0)
  // ffmpeg takes it off in reading, and has not put it on in writing.
  const delayS = sound ? ((await headerOf(sound.path, work.to))?.soundDelayS ?? 0) : 0
  const written = await runFfmpeg(
    [
      ...['-copyts', '-itsoffset', startS.toFixed(6), ...localOnly, '-format_whitelist', 'concat,nut'],
      ...['-f', 'concat', '-safe', '0', '-i', list],
      ...(sound ? ['-itsoffset', delayS.toFixed(6), ...inputGuard(work.to), '-i', sound.path] : []),
      ...['-map', '0:v:0'],
      ...(sound ? ['-map', '1', '-map_metadata', '1', '-map_chapters', '1'] : []),
      ...['-c', 'copy', '-output_ts_offset', String(-roomS)],
      ...tagArgs(videoCodecs[codecIn(container, options)].name, container),
      ...['-max_muxing_queue_size', '4096', ...(container.args ?? []), '-f', container.muxer, target],
    ],
    { durationS: media.durationS },
    tools,
  )
  const recipe = { has: { video: true, audio: sound ? 1 : 0 }, allEncoded: false }
  const outcome = { path: target, to: work.to, recipe, written, durationS: media.durationS }
  if (!(await isWhole(outcome, tools))) throw notJoined()
  const got = pieces.reduce((sum, piece) => sum + piece.got, 0)
  if (got < pictures) {
    const message = `${pictures - got} of ${pictures} pictures could not be decoded where the film was cut, and are missing.`
    tools.warn('PICTURES_DROPPED', message)
  }
  tools.progress(1)
  return { files: [{ path: target }], method: 'encode', details: detailsOf(media) }
}

const notJoined = () =>
  new AppError(
    'CONVERSION_FAILED',
    'The film was encoded in pieces, and these did not come together to a whole one.',
  )
