import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { availableThreads } from '../host-limits.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { unsupportedFeature } from '../unsupported-feature.ts'
import { damagedMediaError, type MediaInfo, probe } from './probe.ts'
import { readHeader } from './read-header.ts'
import type { Recipe } from './recipe.ts'

const commonArgs = [
  '-nostdin',
  '-hide_banner',
  '-loglevel',
  'warning',
  '-y',
  '-nostats',
  '-progress',
  'pipe:1',
]
/** As many as the machine has; more only adds memory. */
const threadCount = String(availableThreads())
const threadArgs = [
  '-threads',
  threadCount,
  '-filter_threads',
  threadCount,
  '-filter_complex_threads',
  threadCount,
]

export interface FfmpegRun {
  readonly source: string
  readonly target: string
  /** Of the result; without it no progress is told. */
  readonly durationS: number | undefined
  /** Part of the whole that this is, of 1. */
  readonly progressRange?: readonly [from: number, to: number]
  /** Hears what filters write to standard output. */
  readonly onLine?: (line: string) => void
}

/** What ffmpeg has told of the file that it wrote (`-progress`, ffmpeg's manual). */
export interface WrittenStats {
  /** Of the first stream of pictures; undefined where there is none. */
  readonly frames: number | undefined
  readonly durationS: number | undefined
}

/** One recipe, in one or two passes. @throws ProcessFailure. */
export async function encode(recipe: Recipe, run: FfmpegRun, tools: Tools): Promise<WrittenStats> {
  const { source, target } = run
  if (!recipe.twoPass) return runFfmpeg([...recipe.input, '-i', source, ...recipe.output, target], run, tools)
  // Left alone, each muxer lets other pictures through, and the second pass meets more than the first had measured.
  const frameRateArgs = ['-vsync', recipe.constantFrameRate ? 'cfr' : 'vfr']
  const log = join(tools.workDir, 'pass')
  const pass = (number: number) => [...frameRateArgs, '-pass', String(number), '-passlogfile', log]
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
  await runFfmpeg(first, { ...run, progressRange: [0, 0.5] }, tools)
  return runFfmpeg(
    [...recipe.input, '-i', source, ...recipe.output, ...pass(2), target],
    { ...run, progressRange: [0.5, 1] },
    tools,
  )
}

/** What `-progress` writes of the time becomes progress. @throws ProcessFailure. */
export async function runFfmpeg(
  args: readonly string[],
  run: Omit<FfmpegRun, 'source' | 'target'>,
  tools: Tools,
): Promise<WrittenStats> {
  const { durationS, progressRange: [from, to] = [0, 1] } = run
  const values = new Map<string, number>()
  const onLine = (line: string) => {
    run.onLine?.(line)
    const [, name = '', value] = /^(frame|out_time_us)=\s*(\d+)$/.exec(line) ?? []
    if (value === undefined) return
    values.set(name, Number(value))
    if (name === 'frame' || durationS === undefined) return
    // The end is told when the result has been looked at.
    const ratio = Math.min(0.99, Number(value) / 1e6 / durationS)
    tools.progress(from + (to - from) * ratio, 'encoding')
  }
  await tools.exec('ffmpeg', [...commonArgs, ...threadArgs, ...args], { onLine })
  const micros = values.get('out_time_us')
  return { frames: values.get('frame'), durationS: micros === undefined ? undefined : micros / 1e6 }
}

/** A file that was written, and what is known of it. */
export interface WrittenFile {
  readonly path: string
  readonly to: FormatId
  readonly recipe: Pick<Recipe, 'requiredStreams' | 'allEncoded'>
  readonly written: WrittenStats
  /** That it should last; undefined where nobody knows. */
  readonly durationS: number | undefined
}

/** Whether a result is what it should be: it opens, has its streams, and lasts as long as the source. */
export async function isComplete(file: WrittenFile, tools: Tools): Promise<boolean> {
  const { size } = await stat(file.path).catch(() => ({ size: 0 }))
  const content = size === 0 ? undefined : await inspectFile(file, tools)
  if (!content) return false
  const { recipe, durationS } = file
  if (recipe.requiredStreams.video !== content.hasVideo || content.audioTracks < recipe.requiredStreams.audio)
    return false
  // Some pairs of codec and container copy without a complaint into something that nothing can read.
  if (content.hasVideo && !content.frames) return false
  // A header of sound and nothing behind it is what becomes of samples that ffmpeg knows no decoder for.
  if (!content.hasVideo && content.hasSamples === false) return false
  return (
    durationS === undefined || content.durationS === undefined || isLongEnough(content.durationS, durationS)
  )
}

/** Fields counted as pictures make a copied film half as long; half a second may be missing of a short one. */
const isLongEnough = (seconds: number, expected: number) => seconds > expected * 0.9 - 0.5

interface FileContent {
  readonly hasVideo: boolean
  /** Undefined where none came. */
  readonly frames: number | undefined
  readonly audioTracks: number
  /** Undefined where that was not looked at. */
  readonly hasSamples?: boolean
  readonly durationS: number | undefined
}

/**
 * What is in a result, from the cheapest that can tell: its own header, ffmpeg where it made all of it anew, and ffprobe,
 * which takes as long as a small conversion. Undefined where it does not open.
 */
async function inspectFile(file: WrittenFile, tools: Tools): Promise<FileContent | undefined> {
  const { path, to, recipe, written } = file
  const header = await readHeader(path, to)
  if (header) {
    const { media } = header
    return { ...contentFromProbe(media, written.frames), hasSamples: media.durationS !== undefined }
  }
  if (recipe.allEncoded && isPlausible(file)) {
    const { frames, durationS } = written
    return { hasVideo: frames !== undefined, frames, audioTracks: recipe.requiredStreams.audio, durationS }
  }
  try {
    const media = await probe(path, to, tools, { countPackets: true })
    return {
      ...contentFromProbe(media),
      hasSamples: media.audio.some(({ nb_read_packets: packets = 0 }) => packets > 0),
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'CORRUPT_FILE') return undefined
    throw error
  }
}

/** Only good news is believed: some muxers count their time otherwise, as that of WavPack eight times too much. */
function isPlausible({ written: { durationS: seconds }, durationS: expected }: WrittenFile): boolean {
  if (!seconds || expected === undefined) return false
  return isLongEnough(seconds, expected) && isLongEnough(expected, seconds)
}

function contentFromProbe({ video, audio, durationS }: MediaInfo, frames?: number): FileContent {
  return {
    hasVideo: video !== undefined,
    frames: video?.nb_read_packets ?? frames,
    audioTracks: audio.length,
    durationS,
  }
}

/** What ffmpeg says when the source is broken; anything else is our failure. */
const brokenSourcePattern =
  /Invalid data found when processing input|moov atom not found|Error while decoding|End of file|could not find codec parameters|Header missing|not whitelisted|does not contain any stream/i

/** What to throw instead: CORRUPT_FILE or CONVERSION_FAILED for words of ffmpeg, any other error as it is. */
export function toClientError(error: unknown, from: FormatId, to: FormatId): unknown {
  if (!(error instanceof ProcessFailure)) return error
  const [, feature] = /Unsupported (DXGI format \d+)/.exec(error.stderr) ?? []
  if (feature !== undefined)
    return unsupportedFeature(from, `a compression that is not known (${feature})`, error)
  if (brokenSourcePattern.test(error.stderr)) return damagedMediaError(from, error)
  const sentence = `The ${formatById(from).name} (${from}) could not be converted to ${formatById(to).name} (${to}).`
  return new AppError('CONVERSION_FAILED', sentence, { from, to }, { cause: error })
}
