import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { availableThreads } from '../host-limits.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { unsupportedFeatureError } from '../unsupported-feature.ts'
import { type Media, probe, unreadable } from './probe.ts'
import { headerOf } from './read-header.ts'
import type { Recipe } from './recipe.ts'

const common = ['-nostdin', '-hide_banner', '-loglevel', 'warning', '-y', '-nostats', '-progress', 'pipe:1']
/** As many as the machine has; more only adds memory. */
const count = String(availableThreads())
const threads = ['-threads', count, '-filter_threads', count, '-filter_complex_threads', count]

export interface Encoding {
  readonly source: string
  readonly target: string
  /** Of the result; without it no progress is told. */
  readonly durationS: number | undefined
  /** Part of the whole that this is, of 1. */
  readonly span?: readonly [from: number, to: number]
  /** Hears what filters write to standard output. */
  readonly onLine?: (line: string) => void
}

/** What ffmpeg has told of the file that it wrote (`-progress`, ffmpeg's manual). */
export interface Written {
  /** Of the first stream of pictures; undefined where there is none. */
  readonly pictures: number | undefined
  readonly durationS: number | undefined
}

/** One recipe, in one or two passes. @throws ProcessFailure. */
export async function encode(recipe: Recipe, encoding: Encoding, tools: Tools): Promise<Written> {
  const { source, target } = encoding
  if (!recipe.twoPass)
    return runFfmpeg([...recipe.input, '-i', source, ...recipe.output, target], encoding, tools)
  // Left alone, each muxer lets other pictures through, and the second pass meets more than the first had measured.
  const pictures = ['-vsync', recipe.steady ? 'cfr' : 'vfr']
  const log = join(tools.workDir, 'pass')
  const pass = (number: number) => [...pictures, '-pass', String(number), '-passlogfile', log]
  // The first pass only measures: no sound, no file.
  const first = [
    ...recipe.input,
    '-i',
    source,
    ...recipe.output,
    ...pass(1),
    '-an',
    '-sn',
    '-f',
    'null',
    '/dev/null',
  ]
  await runFfmpeg(first, { ...encoding, span: [0, 0.5] }, tools)
  return runFfmpeg(
    [...recipe.input, '-i', source, ...recipe.output, ...pass(2), target],
    { ...encoding, span: [0.5, 1] },
    tools,
  )
}

/** What `-progress` writes of the time becomes progress. @throws ProcessFailure. */
export async function runFfmpeg(
  args: readonly string[],
  encoding: Omit<Encoding, 'source' | 'target'>,
  tools: Tools,
): Promise<Written> {
  const { durationS, span: [from, to] = [0, 1] } = encoding
  const told = new Map<string, number>()
  const onLine = (line: string) => {
    encoding.onLine?.(line)
    const [, name = '', value] = /^(frame|out_time_us)=\s*(\d+)$/.exec(line) ?? []
    if (value === undefined) return
    told.set(name, Number(value))
    if (name === 'frame' || durationS === undefined) return
    // The end is told when the result has been looked at.
    const ratio = Math.min(0.99, Number(value) / 1e6 / durationS)
    tools.progress(from + (to - from) * ratio, 'encoding')
  }
  await tools.exec('ffmpeg', [...common, ...threads, ...args], { onLine })
  const micros = told.get('out_time_us')
  return { pictures: told.get('frame'), durationS: micros === undefined ? undefined : micros / 1e6 }
}

/** A file that was written, and what is known of it. */
export interface Outcome {
  readonly path: string
  readonly to: FormatId
  readonly recipe: Pick<Recipe, 'has' | 'allEncoded'>
  readonly written: Written
  /** That it should last; undefined where nobody knows. */
  readonly durationS: number | undefined
}

/** Whether a result is what it should be: it opens, has its streams, and lasts as long as the source. */
export async function isWhole(outcome: Outcome, tools: Tools): Promise<boolean> {
  const { size } = await stat(outcome.path).catch(() => ({ size: 0 }))
  const made = size === 0 ? undefined : await contentOf(outcome, tools)
  if (!made) return false
  const { recipe, durationS } = outcome
  if (recipe.has.video !== made.hasVideo || made.soundTracks < recipe.has.audio) return false
  // Some pairs of codec and container copy without a complaint into something that nothing can read.
  if (made.hasVideo && !made.pictures) return false
  // A header of sound and nothing behind it is what becomes of samples that ffmpeg knows no decoder for.
  if (!made.hasVideo && made.hasSamples === false) return false
  return durationS === undefined || made.durationS === undefined || lastsAsLong(made.durationS, durationS)
}

/** Fields counted as pictures make a copied film half as long; half a second may be missing of a short one. */
const lastsAsLong = (seconds: number, expected: number) => seconds > expected * 0.9 - 0.5

interface Content {
  readonly hasVideo: boolean
  /** Undefined where none came. */
  readonly pictures: number | undefined
  readonly soundTracks: number
  /** Undefined where that was not looked at. */
  readonly hasSamples?: boolean
  readonly durationS: number | undefined
}

/**
 * What is in a result, from the cheapest that can tell: its own header, ffmpeg where it made all of it anew, and ffprobe,
 * which takes as long as a small conversion. Undefined where it does not open.
 */
async function contentOf(outcome: Outcome, tools: Tools): Promise<Content | undefined> {
  const { path, to, recipe, written } = outcome
  const header = await headerOf(path, to)
  if (header) {
    const { media } = header
    return { ...contentIn(media, written.pictures), hasSamples: media.durationS !== undefined }
  }
  if (recipe.allEncoded && isPlausible(outcome)) {
    const { pictures, durationS } = written
    return { hasVideo: pictures !== undefined, pictures, soundTracks: recipe.has.audio, durationS }
  }
  try {
    const media = await probe(path, to, tools, { countPackets: true })
    return {
      ...contentIn(media),
      hasSamples: media.audio.some(({ nb_read_packets: packets = 0 }) => packets > 0),
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'CORRUPT_FILE') return undefined
    throw error
  }
}

/** Only good news is believed: some muxers count their time otherwise, as that of WavPack eight times too much. */
function isPlausible({ written: { durationS: seconds }, durationS: expected }: Outcome): boolean {
  if (!seconds || expected === undefined) return false
  return lastsAsLong(seconds, expected) && lastsAsLong(expected, seconds)
}

function contentIn({ video, audio, durationS }: Media, pictures?: number): Content {
  return {
    hasVideo: video !== undefined,
    pictures: video?.nb_read_packets ?? pictures,
    soundTracks: audio.length,
    durationS,
  }
}

/** What ffmpeg says when the source is broken; anything else is our failure. */
const brokenSource =
  /Invalid data found when processing input|moov atom not found|Error while decoding|End of file|could not find codec parameters|Header missing|not whitelisted|does not contain any stream/i

/** What to throw instead: CORRUPT_FILE or CONVERSION_FAILED for words of ffmpeg, any other error as it is. */
export function failure(error: unknown, from: FormatId, to: FormatId): unknown {
  if (!(error instanceof ProcessFailure)) return error
  const [, feature] = /Unsupported (DXGI format \d+)/.exec(error.stderr) ?? []
  if (feature !== undefined)
    return unsupportedFeatureError(from, `a compression that is not known (${feature})`, error)
  if (brokenSource.test(error.stderr)) return unreadable(from, error)
  const sentence = `The ${formatById(from).name} (${from}) could not be converted to ${formatById(to).name} (${to}).`
  return new AppError('CONVERSION_FAILED', sentence, { from, to }, { cause: error })
}
