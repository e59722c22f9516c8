import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { getAvailableThreads } from '../host-limits.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { createFeatureError } from '../unsupported-feature.ts'
import { createCorruptMediaError, type MediaInfo, probe } from './probe.ts'
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
/** One thread per processor; more would only use more memory. */
const threadCount = String(getAvailableThreads())
const threadArgs = [
  '-threads',
  threadCount,
  '-filter_threads',
  threadCount,
  '-filter_complex_threads',
  threadCount,
]

interface FfmpegRun {
  readonly source: string
  readonly target: string
  /** Duration of the result; without it, no progress is reported. */
  readonly durationS: number | undefined
  /** Range of the total progress (0 to 1) that this run covers. */
  readonly progressRange?: readonly [from: number, to: number]
  /** Receives lines that filters write to stdout. */
  readonly onLine?: (line: string) => void
}

/** Statistics of ffmpeg about the written file (`-progress` in its manual). */
export interface WrittenStats {
  /** Frames of the first video stream; undefined if there is none. */
  readonly frames: number | undefined
  readonly durationS: number | undefined
}

/** Runs a recipe in one or two passes. @throws ProcessFailure. */
export async function encode(recipe: Recipe, run: FfmpegRun, tools: Tools): Promise<WrittenStats> {
  const { source, target } = run
  if (!recipe.twoPass) return runFfmpeg([...recipe.input, '-i', source, ...recipe.output, target], run, tools)
  // By default, each muxer drops different frames, so the second pass would get more frames than the first one
  // measured.
  const frameRateArgs = ['-vsync', recipe.constantFrameRate ? 'cfr' : 'vfr']
  const logPath = join(tools.workDir, 'pass')
  const createPassArgs = (passNumber: number) => [
    ...frameRateArgs,
    '-pass',
    String(passNumber),
    '-passlogfile',
    logPath,
  ]
  // The first pass only measures: it writes no audio and no file.
  const firstPassArgs = [
    ...recipe.input,
    '-i',
    source,
    ...recipe.output,
    ...createPassArgs(1),
    '-an',
    '-sn',
    '-f',
    'null',
    '/dev/null',
  ]
  await runFfmpeg(firstPassArgs, { ...run, progressRange: [0, 0.5] }, tools)
  return runFfmpeg(
    [...recipe.input, '-i', source, ...recipe.output, ...createPassArgs(2), target],
    { ...run, progressRange: [0.5, 1] },
    tools,
  )
}

/** Runs ffmpeg and reports its progress. @throws ProcessFailure. */
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
    // 100 % is reported only after the result has been checked.
    const ratio = Math.min(0.99, Number(value) / 1e6 / durationS)
    tools.progress(from + (to - from) * ratio, 'encoding')
  }
  await tools.exec('ffmpeg', [...commonArgs, ...threadArgs, ...args], { onLine })
  const micros = values.get('out_time_us')
  return { frames: values.get('frame'), durationS: micros === undefined ? undefined : micros / 1e6 }
}

/** A file written by ffmpeg, and what is known about it. */
interface WrittenFile {
  readonly path: string
  readonly to: FormatId
  readonly recipe: Pick<Recipe, 'requiredStreams' | 'allEncoded'>
  readonly writtenStats: WrittenStats
  /** Expected duration; undefined if unknown. */
  readonly durationS: number | undefined
}

/** Whether a result can be opened, has the required streams, and is as long as the source. */
export async function isComplete(file: WrittenFile, tools: Tools): Promise<boolean> {
  const { size } = await stat(file.path).catch(() => ({ size: 0 }))
  const content = size === 0 ? undefined : await inspectFile(file, tools)
  if (!content) return false
  const { recipe, durationS } = file
  if (
    recipe.requiredStreams.video !== content.hasVideo ||
    content.audioTrackCount < recipe.requiredStreams.audio
  )
    return false
  // Some combinations of codec and container can be copied without an error, but the result is unreadable.
  if (content.hasVideo && !content.frames) return false
  // If ffmpeg has no decoder for the audio, the result has a header but no samples.
  if (!content.hasVideo && content.hasSamples === false) return false
  return (
    durationS === undefined ||
    content.durationS === undefined ||
    isNearlyComplete(content.durationS, durationS)
  )
}

/** Tolerates 10 % and half a second. A copied video whose fields are counted as frames would be half as long. */
const isNearlyComplete = (seconds: number, expectedS: number) => seconds > expectedS * 0.9 - 0.5

interface FileContent {
  readonly hasVideo: boolean
  /** Number of frames; undefined if there are none. */
  readonly frames: number | undefined
  readonly audioTrackCount: number
  /** Undefined if samples were not checked. */
  readonly hasSamples?: boolean
  readonly durationS: number | undefined
}

/**
 * Determines the content of a result with the cheapest method: its header, ffmpeg's statistics if all streams were
 * encoded, or else ffprobe, which takes as long as a small conversion. Undefined if the file cannot be opened.
 */
async function inspectFile(file: WrittenFile, tools: Tools): Promise<FileContent | undefined> {
  const { path, to, recipe, writtenStats } = file
  const header = await readHeader(path, to)
  if (header) {
    const { media } = header
    return { ...toFileContent(media, writtenStats.frames), hasSamples: media.durationS !== undefined }
  }
  if (recipe.allEncoded && isPlausible(file)) {
    const { frames, durationS } = writtenStats
    return {
      hasVideo: frames !== undefined,
      frames,
      audioTrackCount: recipe.requiredStreams.audio,
      durationS,
    }
  }
  try {
    const media = await probe(path, to, tools, { countPackets: true })
    return {
      ...toFileContent(media),
      hasSamples: media.audio.some(({ nb_read_packets: packets = 0 }) => packets > 0),
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'CORRUPT_FILE') return undefined
    throw error
  }
}

/**
 * Whether the statistics match the expected duration. Some muxers count time wrongly; WavPack's reports even eight
 * times too much.
 */
function isPlausible({ writtenStats: { durationS: seconds }, durationS: expectedS }: WrittenFile): boolean {
  if (!seconds || expectedS === undefined) return false
  return isNearlyComplete(seconds, expectedS) && isNearlyComplete(expectedS, seconds)
}

function toFileContent({ video, audio, durationS }: MediaInfo, frames?: number): FileContent {
  return {
    hasVideo: video !== undefined,
    frames: video?.nb_read_packets ?? frames,
    audioTrackCount: audio.length,
    durationS,
  }
}

/** Messages of ffmpeg for a damaged source; other failures are internal errors. */
const brokenSourcePattern =
  /Invalid data found when processing input|moov atom not found|Error while decoding|End of file|could not find codec parameters|Header missing|not whitelisted|does not contain any stream/i

/**
 * Converts a failure of ffmpeg to CORRUPT_FILE, UNSUPPORTED_FORMAT or CONVERSION_FAILED; returns other errors
 * unchanged.
 */
export function toMediaError(error: unknown, from: FormatId, to: FormatId): unknown {
  if (!(error instanceof ProcessFailure)) return error
  const [, feature] = /Unsupported (DXGI format \d+)/.exec(error.stderr) ?? []
  if (feature !== undefined) return createFeatureError(from, `an unknown compression (${feature})`, error)
  if (brokenSourcePattern.test(error.stderr)) return createCorruptMediaError(from, error)
  const message = `The ${formatById(from).name} (${from}) could not be converted to ${formatById(to).name} (${to}).`
  return new AppError('CONVERSION_FAILED', message, { from, to }, { cause: error })
}
