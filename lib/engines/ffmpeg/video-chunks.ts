import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { Chunk, ChunkResult, EngineResult, EngineWork, Tools, WorkerPool } from '../engine.ts'
import { videos } from './capabilities.ts'
import type { VideoCodecId } from './codecs.ts'
import type { Container } from './containers.ts'
import { inputGuard } from './demuxers.ts'
import { writtenTexts } from './merged-metadata.ts'
import type { MediaOptions } from './options.ts'
import { recipeFor } from './plan.ts'
import { playable } from './predecode-audio.ts'
import { hasAlpha, type Media, probedOnce } from './probe.ts'
import { headerOf } from './read-header.ts'
import { encode, runFfmpeg } from './run.ts'
import { detailsOf, targetOf, transcode } from './transcode.ts'
import { encodingS } from './video-encode-time.ts'
import {
  cutAtKeyPictures,
  joinPieces,
  lengthOfPiece,
  mayGain,
  soundApart,
  takesPieces,
  workOfPiece,
} from './video-segments.ts'
import { codecIdFor, encodedSize } from './video-stream.ts'

/** A film that takes too long for one worker: its pictures in pieces side by side, and the sound once, as a whole. */

const FilmShare = z.object({
  /** Of the source; a piece does not tell all of it. */
  media: z.custom<Media>((value) => typeof value === 'object'),
  /** Pictures of the source, which the result must have too. */
  pictures: z.number(),
  /** Where the piece lies, in seconds of the source's own time; the sound has none. */
  piece: z.object({ startS: z.number(), endS: z.number() }).optional(),
  /** Of a film without sound, with which they come along otherwise: what it says of itself. One of the shares has it. */
  texts: z.string().optional(),
})

/** Undefined where the film stays whole. */
export async function splitFilm(
  work: EngineWork,
  tools: Tools,
  crew: WorkerPool,
): Promise<readonly Chunk[] | undefined> {
  if (!isSplittable(work) || !mayGain(crew)) return undefined
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
    { path, from, video: media.video, pieceS, startS: media.pictureStartS, name: 'piece' },
    tools,
  )
  const facts = { media: stored(media), pictures: cut.pictures }
  const pieces = cut.pieces.map(({ file, ...piece }) => ({ spec: { ...facts, piece }, file }))
  if (media.audio.length > 0) return [{ spec: facts }, ...pieces]
  const texts = await textsOf(path, from, tools)
  return pieces.map(({ spec, file }, at) => ({ spec: at === 0 ? { ...spec, texts } : spec, file }))
}

/** Title and the like, and chapters: each muxer that takes pieces holds all of them. */
async function textsOf(path: string, from: FormatId, tools: Tools): Promise<string> {
  const target = join(tools.workDir, 'own.ffmetadata')
  const args = [...inputGuard(from), '-i', path, '-f', 'ffmetadata', target]
  await runFfmpeg(args, { durationS: undefined }, tools)
  return readFile(target, 'utf8')
}

/** As a record keeps it, which holds nothing undefined. */
export const stored = (media: Media) => JSON.parse(JSON.stringify(media)) as Media

function isSplittable(work: EngineWork): boolean {
  if (work.operation !== 'convert' || !videos.some((id) => id === work.to)) return false
  const { container, options } = targetOf(work)
  const { start, end, fps } = options
  // With another rate each piece would round its number of pictures.
  const isWhole = !start && end === undefined && fps === undefined
  return isWhole && takesPieces(container, codecIn(container, options))
}

/** A container's codecs are of the table. */
const codecIn = (container: Container, options: MediaOptions) =>
  codecIdFor(container, options) as VideoCodecId

/** Seconds of film in a piece; undefined where it is not to be cut. */
function pieceLength(media: Media, work: EngineWork, crew: WorkerPool): number | undefined {
  const { video, durationS } = media
  const { container, options } = targetOf(work)
  if (!video || durationS === undefined || hasAlpha(video) || isCopied({ media, work })) return undefined
  if (media.audio.length === 0 && hasMoreThanPictures(media)) return undefined
  const size = encodedSize(video, container, options)
  const takesS = encodingS({ video, durationS, size }, codecIn(container, options), options)
  const workS = takesS === undefined ? undefined : workOfPiece(takesS, crew)
  if (takesS === undefined || workS === undefined) return undefined
  const lengthS = lengthOfPiece({ durationS, takesS }, workS)
  return lengthS < durationS ? lengthS : undefined
}

/** What comes with the sound has no other way into the result. */
const hasMoreThanPictures = ({ subtitles, cover }: Media) => subtitles.length > 0 || cover !== undefined

function isCopied({ media, work }: { media: Media; work: EngineWork }): boolean {
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

/** Of `splitFilm`: a piece of the pictures, or all of the sound with what belongs to it. */
export async function runFilmShare(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const { media, piece } = FilmShare.parse(work.chunk)
  const [input] = work.inputs
  if (!input) throw new Error('A share of a film came without its file.')
  const { container, options } = targetOf(work)
  if (!piece) {
    const { path, from } = await playable(input.path, work.from, tools)
    const target = join(work.outDir, `sound.${work.to}`)
    const sounding = { path, from, to: work.to, target, container: soundApart(container), options }
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
export async function joinFilm(
  work: EngineWork,
  results: readonly ChunkResult[],
  tools: Tools,
): Promise<EngineResult> {
  const made = results.map(({ spec, files: [file], details }) => {
    if (!file) throw new Error('A share of a film came back without its file.')
    return { ...FilmShare.parse(spec), path: file.path, got: z.number().optional().parse(details?.pictures) }
  })
  const [{ media, pictures }] = made as [(typeof made)[number]] // A film is split into two shares or more.
  const { container, options } = targetOf(work)
  const content = made.find(({ texts }) => texts !== undefined)?.texts
  const texts = content === undefined ? undefined : await writtenTexts({ content, hasChapters: true }, tools)
  const path = await joinPieces(
    {
      pieces: made.flatMap(({ piece, path, got = 0 }) => (piece ? [{ ...piece, path, pictures: got }] : [])),
      ...{ sound: made.find(({ piece }) => !piece)?.path, texts },
      ...{ pictures, durationS: media.durationS, container, codec: codecIn(container, options) },
    },
    work,
    tools,
  )
  return { files: [{ path }], method: 'encode', details: detailsOf(media) }
}
