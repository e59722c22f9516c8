import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { probe, unreadable } from './probe.ts'
import type { Recipe } from './recipe.ts'

const common = ['-nostdin', '-hide_banner', '-loglevel', 'warning', '-y', '-nostats', '-progress', 'pipe:1']
/** As many as the machine has; more only adds memory. */
const threads = ['-threads', '2', '-filter_threads', '2', '-filter_complex_threads', '2']

export interface Encoding {
  readonly source: string
  readonly target: string
  /** Of the result; without it no progress is told. */
  readonly durationS: number | undefined
  /** Part of the whole that this is, of 1. */
  readonly span?: readonly [from: number, to: number]
}

/** One recipe, in one or two passes. @throws ProcessFailure. */
export async function encode(recipe: Recipe, encoding: Encoding, tools: Tools): Promise<void> {
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
  await runFfmpeg(
    [...recipe.input, '-i', source, ...recipe.output, ...pass(2), target],
    { ...encoding, span: [0.5, 1] },
    tools,
  )
}

/** `out_time_us`, of what `-progress` writes (ffmpeg's manual), becomes progress. @throws ProcessFailure. */
export async function runFfmpeg(
  args: readonly string[],
  encoding: Omit<Encoding, 'source' | 'target'>,
  tools: Tools,
): Promise<void> {
  const { durationS, span: [from, to] = [0, 1] } = encoding
  const onLine = (line: string) => {
    const micros = /^out_time_us=(\d+)/.exec(line)?.[1]
    if (micros === undefined || durationS === undefined) return
    // The end is told when the result has been looked at.
    const ratio = Math.min(0.99, Number(micros) / 1e6 / durationS)
    tools.progress(from + (to - from) * ratio, 'encoding')
  }
  await tools.exec('ffmpeg', [...common, ...threads, ...args], { onLine })
}

/** Whether a result is what it should be: it opens, has its streams, and lasts as long as the source. */
export async function isWhole(
  path: string,
  to: FormatId,
  recipe: Pick<Recipe, 'has'>,
  durationS: number | undefined,
  tools: Tools,
): Promise<boolean> {
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size === 0) return false
  const made = await probe(path, to, tools, { countPackets: true }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'CORRUPT_FILE') return undefined
    throw error
  })
  if (!made) return false
  if (recipe.has.video !== (made.video !== undefined) || made.audio.length < recipe.has.audio) return false
  // Some pairs of codec and container copy without a complaint into something that nothing can read.
  if (made.video && !made.video.nb_read_packets) return false
  if (durationS === undefined || made.durationS === undefined) return true
  // Fields counted as pictures make a copied film half as long; half a second may be missing of a short one.
  return made.durationS > durationS * 0.9 - 0.5
}

/** What ffmpeg says when the source is broken; anything else is our failure. */
const brokenSource =
  /Invalid data found when processing input|moov atom not found|Error while decoding|End of file|could not find codec parameters|Header missing|not whitelisted|does not contain any stream/i

/** What to throw instead: CORRUPT_FILE or CONVERSION_FAILED for words of ffmpeg, any other error as it is. */
export function failure(error: unknown, from: FormatId, to: FormatId): unknown {
  if (!(error instanceof ProcessFailure)) return error
  if (brokenSource.test(error.stderr)) return unreadable(from, error)
  const sentence = `The ${formatById(from).name} (${from}) could not be converted to ${formatById(to).name} (${to}).`
  return new AppError('CONVERSION_FAILED', sentence, { from, to }, { cause: error })
}
