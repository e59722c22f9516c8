import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineWork, InputFile, Tools } from '../engine.ts'
import { loadSharp } from '../vips/image.ts'
import { hasTimes, inputGuard } from './demuxers.ts'
import { usualRange, warnOfRange } from './dynamic-range.ts'
import { alphaDecoder, type Media, type MediaStream, nothingOf, probeWhole } from './probe.ts'
import { runFfmpeg } from './run.ts'
import { sizeFor } from './video-filters.ts'

/** A film that stills are taken of. */
export interface Film {
  readonly path: string
  readonly from: FormatId
  readonly video: MediaStream
  /** Seconds of the picture; undefined where nobody knows. */
  readonly lengthS: number | undefined
}

/** @throws AppError UNSUPPORTED_CONVERSION (no picture in it), INVALID_INPUT (`timestamp` is behind its end), CORRUPT_FILE. */
export async function openFilm(
  { path, format: from }: InputFile,
  { to }: EngineWork,
  timestamp: number | undefined,
  tools: Tools,
): Promise<Film> {
  const media = await probeWhole(path, from, tools)
  const { video } = media
  if (!video) throw nothingOf('picture', from, to)
  const film: Film = { path, from, video, lengthS: await lengthOf(path, from, media, tools) }
  if (timestamp !== undefined) requireWithin(timestamp, film)
  warnOfRange(video, tools)
  return film
}

/** Sound may go on after the picture has ended; and of a bare stream of pictures all is decoded to know. */
async function lengthOf(
  path: string,
  from: FormatId,
  { video, durationS }: Media,
  tools: Tools,
): Promise<number | undefined> {
  // Some muxers write 0 for what they do not know.
  if (hasTimes(from)) return video?.duration || durationS
  let lengthS: number | undefined
  const onLine = (line: string) => {
    const micros = Number(/^out_time_us=(\d+)/.exec(line)?.[1] ?? 0)
    if (micros > 0) lengthS = micros / 1e6
  }
  const decode = ['-map', '0:v:0', '-f', 'null', '-']
  const args = ['-v', 'error', '-nostdin', '-progress', 'pipe:1', ...inputGuard(from), '-i', path]
  await tools.exec('ffmpeg', [...args, ...decode], { onLine })
  return lengthS
}

function requireWithin(timestamp: number, { from, lengthS }: Film): void {
  if (lengthS === undefined || timestamp < lengthS) return
  const sentence = `timestamp: expected a time before the end of the ${formatById(from).name}, which is ${Number(lengthS.toFixed(3))} seconds long; got ${timestamp}.`
  throw new AppError('INVALID_INPUT', sentence, { field: 'timestamp', lengthS })
}

/** Seconds; undefined is wherever there is something to see. */
export function timesOf(
  { lengthS = 0 }: Film,
  timestamp: number | undefined,
  count: number,
): (number | undefined)[] {
  if (count === 1) return [timestamp]
  if (timestamp === undefined)
    return Array.from({ length: count }, (_, index) => ((index + 0.5) / count) * lengthS)
  return Array.from({ length: count }, (_, index) => timestamp + (index / count) * (lengthS - timestamp))
}

/** Parts of the film, as they are tried: films begin and end in black. */
const places = [1 / 3, 1 / 2, 1 / 6, 2 / 3, 1 / 12, 5 / 6]

/** Of a film that nobody told a time of. */
export async function sensibleStill(film: Film, tools: Tools): Promise<string> {
  const { lengthS = 0 } = film
  for (const place of lengthS > 0 ? places : []) {
    const still = await stillAt(film, place * lengthS, 0, tools)
    if (await showsSomething(still)) return still
    await rm(still)
  }
  return stillAt(film, lengthS / 3, 0, tools)
}

/** Black or one color, with the noise of a codec, has hardly any spread. */
const leastSpread = 6

async function showsSomething(path: string): Promise<boolean> {
  const sharp = await loadSharp()
  const { channels } = await sharp(path).toColourspace('srgb').removeAlpha().stats()
  return channels.some(({ stdev }) => stdev >= leastSpread)
}

/** What is shown at a time, in its own size but with square pixels; or else the nearest that there is. */
export async function stillAt(film: Film, atS: number, index: number, tools: Tools): Promise<string> {
  const target = join(tools.workDir, `still-${index}.png`)
  const sinceS = Math.max(0, atS - intervalOf(film.video) + 0.001)
  const one = ['-frames:v', '1']
  const attempts = [
    { sinceS, which: one },
    // Its last pictures are further apart than others; each takes the place of the one before it.
    { sinceS: Math.max(0, atS - 3), which: [] },
    { sinceS: 0, which: one },
  ]
  for (const attempt of attempts) {
    await runFfmpeg(stillArgs(film, attempt, target), { durationS: undefined }, tools)
    if (await exists(target)) return target
  }
  const sentence = `The ${formatById(film.from).name} (${film.from}) breaks off or cannot be decoded.`
  throw new AppError('CORRUPT_FILE', sentence, { format: film.from })
}

function stillArgs(
  { path, from, video }: Film,
  { sinceS, which }: { sinceS: number; which: readonly string[] },
  target: string,
): string[] {
  const since = sinceS > 0 ? ['-ss', sinceS.toFixed(6)] : []
  // What tells no times cannot be sought in, only read from its beginning.
  const [before, after] = hasTimes(from) ? [since, []] : [[], since]
  const { width, height } = sizeFor(video, { mode: 'encode' }, 1)
  const steps = [`scale=${width}:${height}:flags=bicubic`, 'setsar=1', ...usualRange(video)]
  return [
    ...inputGuard(from),
    ...alphaDecoder(video),
    ...before,
    ...['-i', path],
    ...after,
    ...['-map', `0:${video.index}`, '-vf', steps.join(',')],
    ...which,
    ...['-f', 'image2', '-update', '1', target],
  ]
}

/** Seconds that one picture is shown. */
function intervalOf({ avg_frame_rate }: MediaStream): number {
  const [over = 0, under = 0] = avg_frame_rate.split('/').map(Number)
  return over > 0 && under > 0 ? under / over : 0.04
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
