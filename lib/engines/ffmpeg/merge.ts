import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { matches } from './concat-compatible.ts'
import { mergedCoverArgs } from './covers-and-subtitles.ts'
import { localOnly } from './demuxers.ts'
import { isHdr, warnOfRange } from './dynamic-range.ts'
import { mergedFilmArgs, mergedSoundArgs } from './merge-encode.ts'
import { type Part, partsOf } from './merge-inputs.ts'
import { type MergedTexts, mergedTexts } from './merged-metadata.ts'
import { type MergeVideoOptions, mergeSoundOptions, mergeVideoOptions } from './options.ts'
import { isWhole, runFfmpeg, type Written } from './run.ts'
import { containerOf } from './transcode.ts'

/**
 * One film after the other: copied where all are alike, else fitted into the picture of the first.
 * @throws AppError CORRUPT_FILE, UNSUPPORTED_CONVERSION (a part has no picture); ProcessFailure.
 */
export async function mergeVideo(work: EngineWork, target: string, tools: Tools): Promise<EngineResult> {
  const parts = await partsOf(work, tools)
  requirePictures(parts)
  const options = mergeVideoOptions.parse(work.options)
  warnDropped(parts, tools)
  const texts = await mergedTexts(parts, containerOf(work.to), 0, tools)
  const merge = { parts, work, options, target, texts, lastsS: totalS(parts) }
  const copied =
    options.mode !== 'encode' && matches(parts, containerOf(work.to)) && (await copy(merge, tools))
  if (!copied) {
    const bright = parts.find(({ media }) => media.video && isHdr(media.video))?.media.video
    if (bright) warnOfRange(bright, tools)
    const args = mergedFilmArgs(parts, containerOf(work.to), options, texts)
    await runFfmpeg([...inputs(parts), ...texts.input, ...args, target], { durationS: merge.lastsS }, tools)
  }
  tools.progress(1)
  return { files: [{ path: target }], method: copied ? 'stream-copy' : 'encode' }
}

interface Merge {
  readonly parts: readonly Part[]
  readonly work: EngineWork
  readonly options: MergeVideoOptions
  readonly target: string
  readonly texts: MergedTexts
  readonly lastsS: number | undefined
}

/** False where the copy is no whole film, though the streams looked alike. */
async function copy({ parts, work, target, texts, lastsS }: Merge, tools: Tools): Promise<boolean> {
  const list = join(tools.workDir, 'parts.ffconcat')
  // All names in it are ours, and hold no quote.
  await writeFile(list, ['ffconcat version 1.0', ...parts.map(({ path }) => `file '${path}'`), ''].join('\n'))
  // 'concat' reads nothing but our list, whose files need the demuxers that their own guards name.
  const demuxers = [...new Set(parts.map(({ guard }) => guard[3]))].join(',')
  const guard = [...localOnly, '-format_whitelist', `concat,${demuxers}`]
  const { muxer, args = [] } = containerOf(work.to)
  const maps = ['-map', '0:v:0', '-map', '0:a:0?', '-c', 'copy', '-max_muxing_queue_size', '4096']
  const has = { video: true, audio: Math.min(1, parts[0]?.media.audio.length ?? 0) }
  const recipe = { has, allEncoded: false }
  let written: Written
  try {
    const input = [...guard, '-f', 'concat', '-safe', '0', '-i', list, ...texts.input]
    const output = [...maps, ...texts.args(1), ...args, '-f', muxer, target]
    written = await runFfmpeg([...input, ...output], { durationS: lastsS }, tools)
  } catch (error) {
    if (error instanceof ProcessFailure) return false
    throw error
  }
  return isWhole({ path: target, to: work.to, recipe, written, durationS: lastsS }, tools)
}

/**
 * One piece after the other in the sound of the first, with silence between where asked for.
 * @throws AppError CORRUPT_FILE, UNSUPPORTED_CONVERSION (a part has no sound); ProcessFailure.
 */
export async function mergeSound(work: EngineWork, target: string, tools: Tools): Promise<EngineResult> {
  const parts = await partsOf(work, tools)
  for (const [index, { media }] of parts.entries())
    if (media.audio.length === 0) throw without('sound', index)
  const options = mergeSoundOptions.parse(work.options)
  const container = containerOf(work.to)
  const texts = await mergedTexts(parts, container, options.gap, tools)
  const { args: cover, warnings } = mergedCoverArgs(parts, container)
  for (const { code, message } of warnings) tools.warn(code, message)
  const args = mergedSoundArgs(parts, work.to, options, { texts, cover })
  const durationS = totalS(parts, options.gap)
  await runFfmpeg([...inputs(parts), ...texts.input, ...args, target], { durationS }, tools)
  tools.progress(1)
  return { files: [{ path: target }], method: 'encode' }
}

const inputs = (parts: readonly Part[]) => parts.flatMap(({ path, guard }) => [...guard, '-i', path])

/** With seconds between two of them. */
export function totalS(parts: readonly Part[], gap = 0): number | undefined {
  const durations = parts.map(({ media }) => media.durationS)
  if (durations.some((duration) => duration === undefined)) return undefined
  return durations.reduce<number>((sum, duration) => sum + (duration ?? 0), gap * (parts.length - 1))
}

/** @throws AppError UNSUPPORTED_CONVERSION. */
export function requirePictures(parts: readonly Part[]): void {
  for (const [index, { media }] of parts.entries()) if (!media.video) throw without('picture', index)
}

export function warnDropped(parts: readonly Part[], tools: Tools): void {
  if (parts.some(({ media }) => media.audio.length > 1)) {
    tools.warn('AUDIO_TRACKS_DROPPED', 'A merged film has one sound track: the first of each part was taken.')
  }
  if (parts.some(({ media }) => media.subtitles.length > 0)) {
    tools.warn('SUBTITLES_DROPPED', 'Subtitles were dropped: they are not merged.')
  }
}

function without(what: string, index: number): AppError {
  const sentence = `file: number ${index + 1} has no ${what}, so it cannot be merged with the others.`
  return new AppError('UNSUPPORTED_CONVERSION', sentence, { field: 'file', index })
}
