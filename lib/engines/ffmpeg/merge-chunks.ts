import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Chunk, ChunkResult, EngineResult, EngineWork, Tools, WorkerPool } from '../engine.ts'
import type { Container } from './containers.ts'
import { inputGuard } from './demuxers.ts'
import { Colors, warnOfRange } from './dynamic-range.ts'
import { requirePictures, totalS, warnDropped } from './merge.ts'
import { codecsOf, mergedPieceArgs, mergedRate, mergedTrackArgs, type Run } from './merge-encode.ts'
import { type Part, partsOf } from './merge-inputs.ts'
import { pieceLengths, placesOf, runOf } from './merge-plan.ts'
import { mergedTexts, writtenTexts } from './merged-metadata.ts'
import { mergeVideoOptions } from './options.ts'
import type { Media } from './probe.ts'
import { runFfmpeg } from './run.ts'
import { containerOf } from './transcode.ts'
import { stored } from './video-chunks.ts'
import { cutAtKeyPictures, joinPieces, mayGain, soundApart, takesPieces } from './video-segments.ts'

/**
 * A merge of films that takes too long for one worker: pieces of each film are fitted into the picture of the first side
 * by side, and the sound is made once, as a whole. Every picture has its number beforehand, so that pieces and sound are
 * of one length, though nobody sees both.
 */

const Runs = z.object({ first: z.number(), count: z.number() })

/** Of films without sound, as no share is of that: what the merge says of itself, and what is to be told of it. */
const Mute = z.object({
  content: z.string(),
  hasChapters: z.boolean(),
  told: z.array(z.tuple([z.string(), z.string()])),
})

const MergeShare = z.object({
  /** Of the first film. */
  media: z.custom<Media>((value) => typeof value === 'object'),
  durationS: z.number(),
  /** Pictures of each film. */
  runs: z.array(Runs),
  /** Pictures of one film; the sound has none. */
  piece: Runs.extend({ film: z.number(), shiftS: z.number(), colors: Colors }).optional(),
  /** One of the shares has it. */
  mute: Mute.optional(),
})

/** What a share tells of its result: pictures that came, or when the pictures of each film begin in the sound. */
const PieceDetails = z.object({ pictures: z.number().default(0) })
const SoundDetails = z.object({ beginS: z.array(z.number()) })

/** Undefined where the merge stays whole. @throws AppError as `mergeVideo` does. */
export async function splitMerge(
  work: EngineWork,
  tools: Tools,
  crew: WorkerPool,
): Promise<readonly Chunk[] | undefined> {
  const container = containerOf(work.to)
  if (!mayGain(crew) || !takesPieces(container, codecsOf(container).picture)) return undefined
  const parts = await partsOf(work, tools)
  requirePictures(parts)
  const options = mergeVideoOptions.parse(work.options)
  const lengths = pieceLengths(parts, { container, options }, crew)
  const [first] = parts
  if (!lengths || !first) return undefined
  const films: Awaited<ReturnType<typeof cutFilm>>[] = []
  for (const [film, part] of parts.entries())
    films.push(await cutFilm(part, { film, pieceS: lengths[film] ?? 0, first: first.media }, tools))
  if (films.some(({ pieces }) => pieces.some(({ count }) => count < 1))) return undefined
  const durationS = totalS(parts) ?? 0
  const facts = { media: stored(first.media), durationS, runs: films.map(({ run }) => run) }
  const pieces = films.flatMap((film, index) =>
    film.pieces.map(({ file, ...piece }) => ({
      spec: { ...facts, piece: { ...piece, film: index, colors: film.colors } },
      file,
    })),
  )
  if (parts.some(({ media }) => media.audio.length > 0)) return [{ spec: facts }, ...pieces]
  const mute = await muteTexts(parts, container, tools)
  return pieces.map(({ spec, file }, at) => ({ spec: at === 0 ? { ...spec, mute } : spec, file }))
}

async function muteTexts(
  parts: readonly Part[],
  container: Container,
  tools: Tools,
): Promise<z.infer<typeof Mute>> {
  const told: [string, string][] = []
  const telling = { ...tools, warn: (code: string, message: string) => void told.push([code, message]) }
  warnDropped(parts, telling)
  const { content, hasChapters } = await mergedTexts(parts, container, 0, telling)
  return { content, hasChapters, told }
}

/** A short film is one piece. */
async function cutFilm(
  { path, format, media }: Part,
  { film, pieceS, first }: { film: number; pieceS: number; first: Media },
  tools: Tools,
) {
  if (!media.video) throw new Error('A film without pictures was to be cut.')
  const { pieces, shiftS } = await cutAtKeyPictures(
    { path, from: format, video: media.video, pieceS, startS: media.pictureStartS, name: `film-${film}` },
    tools,
  )
  const { perSecond } = mergedRate(first)
  return {
    colors: Colors.parse(media.video),
    pieces: pieces.map(({ file, ...place }) => ({ ...runOf(place, perSecond), shiftS, file })),
    run: runOf({ startS: pieces[0]?.startS ?? 0, endS: pieces.at(-1)?.endS ?? 0 }, perSecond),
  }
}

/** Of `splitMerge`: a piece of the pictures, or all of the sound. */
export async function runMergeShare(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const { media, runs, piece, durationS } = MergeShare.parse(work.chunk)
  const container = containerOf(work.to)
  const options = mergeVideoOptions.parse(work.options)
  if (!piece) return runSound(work, { runs, durationS }, tools)
  const [input] = work.inputs
  if (!input) throw new Error('A share of a merge came without its file.')
  warnOfRange(piece.colors, tools)
  const target = join(work.outDir, 'piece.nut')
  const { pictures } = await runFfmpeg(
    [
      ...['-copyts', '-itsoffset', String(-piece.shiftS), ...inputGuard(input.format), '-i', input.path],
      ...[...mergedPieceArgs(media, container, options, piece), '-f', 'nut', target],
    ],
    { durationS: piece.count / mergedRate(media).perSecond },
    tools,
  )
  return { files: [{ path: target, format: 'nut' }], method: 'encode', details: { pictures } }
}

async function runSound(
  work: EngineWork,
  { runs, durationS }: { runs: readonly Run[]; durationS: number },
  tools: Tools,
): Promise<EngineResult> {
  const parts = await partsOf(work, tools)
  warnDropped(parts, tools)
  const target = join(work.outDir, `sound.${work.to}`)
  const list = join(tools.workDir, 'firsts')
  const inputs = parts.flatMap(({ path, guard }) => [...guard, '-i', path])
  const container = soundApart(containerOf(work.to))
  const texts = await mergedTexts(parts, container, 0, tools)
  const args = mergedTrackArgs(parts, container, { runs, list, target, texts })
  await runFfmpeg([...inputs, ...texts.input, ...args], { durationS }, tools)
  // Each line is a picture: stream, when it is decoded and shown, and more (ffmpeg-formats, `framecrc`).
  const lines = (await readFile(list, 'utf8')).split('\n').filter((line) => /^\d/.test(line))
  const beginS = lines.map((line) => Number(line.split(',')[2]) / 1e6)
  return { files: [{ path: target }], method: 'encode', details: { beginS } }
}

/** @throws AppError CONVERSION_FAILED where the film does not come together, and ProcessFailure. */
export async function joinMerge(
  work: EngineWork,
  results: readonly ChunkResult[],
  tools: Tools,
): Promise<EngineResult> {
  const made = results.map(({ spec, files: [file], details }) => {
    if (!file) throw new Error('A share of a merge came back without its file.')
    return { ...MergeShare.parse(spec), path: file.path, details }
  })
  const [{ media, runs, durationS }] = made as [(typeof made)[number]] // A merge is split into two shares or more.
  const sound = made.find(({ piece }) => !piece)
  const encoded = made.flatMap(({ piece, ...rest }) => (piece ? [{ ...rest, ...piece }] : []))
  const places = placesOf(encoded, runs, {
    beginS: sound && SoundDetails.parse(sound.details).beginS,
    perSecond: mergedRate(media).perSecond,
  })
  const pieces = places.map((place, index) => ({
    ...{ ...place, path: encoded[index]?.path ?? '' },
    pictures: PieceDetails.parse(encoded[index]?.details).pictures,
  }))
  const container = containerOf(work.to)
  const { mute } = made.find((share) => share.mute) ?? {}
  for (const [code, message] of mute?.told ?? []) tools.warn(code, message)
  const texts = mute && (await writtenTexts(mute, tools))
  const path = await joinPieces(
    {
      ...{ pieces, sound: sound?.path, texts, durationS, container, codec: codecsOf(container).picture },
      pictures: runs.reduce((sum, { count }) => sum + count, 0),
    },
    work,
    tools,
  )
  return { files: [{ path }], method: 'encode' }
}
