import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { findUnusedRateOptions } from './audio-stream.ts'
import { allowsCopies, canConcatenate } from './concat-compatible.ts'
import { createMergeCoverArgs } from './covers-and-subtitles.ts'
import { localProtocolArgs } from './demuxers.ts'
import { isHdr, warnHdrConverted } from './dynamic-range.ts'
import { createMergeAudioArgs, createMergeVideoArgs } from './merge-encode.ts'
import { type MergeInput, probeMergeInputs } from './merge-inputs.ts'
import { type MergedMetadata, mergeMetadata } from './merged-metadata.ts'
import { createUnusedOptionWarning } from './option-warnings.ts'
import { type MergeVideoOptions, mergeAudioOptions, mergeVideoOptions } from './options.ts'
import { isComplete, runFfmpeg, type WrittenStats } from './run.ts'
import { getContainer } from './transcode.ts'

/**
 * Concatenates videos: copies the streams if they are compatible, else encodes them in the frame size of the first one.
 * @throws AppError CORRUPT_FILE, UNSUPPORTED_CONVERSION (a file has no video track); ProcessFailure.
 */
export async function mergeVideo(work: EngineWork, targetPath: string, tools: Tools): Promise<EngineResult> {
  const mergeInputs = await probeMergeInputs(work, tools)
  requireVideo(mergeInputs)
  const options = mergeVideoOptions.parse(work.options)
  warnDroppedTracks(mergeInputs, tools)
  const metadata = await mergeMetadata(mergeInputs, getContainer(work.to), 0, tools)
  const mergeRequest = {
    mergeInputs,
    work,
    options,
    targetPath,
    metadata,
    durationS: sumDurationsS(mergeInputs),
  }
  const isCopied =
    allowsCopies(options) &&
    canConcatenate(mergeInputs, getContainer(work.to)) &&
    (await copyStreams(mergeRequest, tools))
  if (!isCopied) {
    const hdrVideo = mergeInputs.find(({ media }) => media.video && isHdr(media.video))?.media.video
    if (hdrVideo) warnHdrConverted(hdrVideo, tools)
    const args = createMergeVideoArgs(mergeInputs, getContainer(work.to), options, metadata)
    await runFfmpeg(
      [...createInputArgs(mergeInputs), ...metadata.input, ...args, targetPath],
      { durationS: mergeRequest.durationS },
      tools,
    )
  }
  tools.progress(1)
  return { files: [{ path: targetPath }], method: isCopied ? 'stream-copy' : 'encode' }
}

interface MergeRequest {
  readonly mergeInputs: readonly MergeInput[]
  readonly work: EngineWork
  readonly options: MergeVideoOptions
  readonly targetPath: string
  readonly metadata: MergedMetadata
  readonly durationS: number | undefined
}

/** Returns false if the copy is incomplete although the streams looked compatible. */
async function copyStreams(
  { mergeInputs, work, targetPath, metadata, durationS }: MergeRequest,
  tools: Tools,
): Promise<boolean> {
  const listPath = join(tools.workDir, 'parts.ffconcat')
  // The file names are generated and contain no quotes.
  await writeFile(
    listPath,
    ['ffconcat version 1.0', ...mergeInputs.map(({ path }) => `file '${path}'`), ''].join('\n'),
  )
  // `concat` itself reads only this list; the files in it need the demuxers of their own formats.
  const demuxerList = [...new Set(mergeInputs.map(({ demuxerArgs }) => demuxerArgs[3]))].join(',')
  const demuxerArgs = [...localProtocolArgs, '-format_whitelist', `concat,${demuxerList}`]
  const { muxer, args = [] } = getContainer(work.to)
  const mapArgs = ['-map', '0:v:0', '-map', '0:a:0?', '-c', 'copy', '-max_muxing_queue_size', '4096']
  const requiredStreams = { video: true, audio: Math.min(1, mergeInputs[0]?.media.audio.length ?? 0) }
  const recipe = { requiredStreams, allEncoded: false }
  let writtenStats: WrittenStats
  try {
    const inputArgs = [...demuxerArgs, '-f', 'concat', '-safe', '0', '-i', listPath, ...metadata.input]
    const outputArgs = [...mapArgs, ...metadata.args(1), ...args, '-f', muxer, targetPath]
    writtenStats = await runFfmpeg([...inputArgs, ...outputArgs], { durationS }, tools)
  } catch (error) {
    if (error instanceof ProcessFailure) return false
    throw error
  }
  return isComplete({ path: targetPath, to: work.to, recipe, writtenStats, durationS }, tools)
}

/**
 * Concatenates audio files, converted to the sample rate and channels of the first one. Silence in between is optional.
 * @throws AppError CORRUPT_FILE, UNSUPPORTED_CONVERSION (a file has no audio track); ProcessFailure.
 */
export async function mergeAudio(work: EngineWork, targetPath: string, tools: Tools): Promise<EngineResult> {
  const mergeInputs = await probeMergeInputs(work, tools)
  for (const [index, { media }] of mergeInputs.entries())
    if (media.audio.length === 0) throw createMissingTrackError('audio track', index)
  const options = mergeAudioOptions.parse(work.options)
  const container = getContainer(work.to)
  const metadata = await mergeMetadata(mergeInputs, container, options.gap, tools)
  const { args: cover, warnings } = createMergeCoverArgs(mergeInputs, container)
  const unusedOptions = findUnusedRateOptions({ container, options: { mode: 'encode', ...options } })
  for (const { code, message } of [...warnings, ...unusedOptions.map(createUnusedOptionWarning)])
    tools.warn(code, message)
  const args = createMergeAudioArgs(mergeInputs, work.to, options, { metadata, cover })
  const durationS = sumDurationsS(mergeInputs, options.gap)
  await runFfmpeg(
    [...createInputArgs(mergeInputs), ...metadata.input, ...args, targetPath],
    { durationS },
    tools,
  )
  tools.progress(1)
  return { files: [{ path: targetPath }], method: 'encode' }
}

const createInputArgs = (mergeInputs: readonly MergeInput[]) =>
  mergeInputs.flatMap(({ path, demuxerArgs }) => [...demuxerArgs, '-i', path])

/** Returns the total duration, with `gap` seconds between two files. Undefined if a duration is unknown. */
export function sumDurationsS(mergeInputs: readonly MergeInput[], gap = 0): number | undefined {
  const durations = mergeInputs.map(({ media }) => media.durationS)
  if (durations.some((duration) => duration === undefined)) return undefined
  return durations.reduce<number>((sum, duration) => sum + (duration ?? 0), gap * (mergeInputs.length - 1))
}

/** @throws AppError UNSUPPORTED_CONVERSION. */
export function requireVideo(mergeInputs: readonly MergeInput[]): void {
  for (const [index, { media }] of mergeInputs.entries())
    if (!media.video) throw createMissingTrackError('video track', index)
}

export function warnDroppedTracks(mergeInputs: readonly MergeInput[], tools: Tools): void {
  if (mergeInputs.some(({ media }) => media.audio.length > 1)) {
    tools.warn(
      'AUDIO_TRACKS_DROPPED',
      'A merged video has only one audio track: the first track of each file was used.',
    )
  }
  if (mergeInputs.some(({ media }) => media.subtitles.length > 0)) {
    tools.warn('SUBTITLES_DROPPED', 'Subtitles were dropped: they cannot be merged.')
  }
}

function createMissingTrackError(trackKind: string, index: number): AppError {
  const message = `file: input ${index + 1} has no ${trackKind}, so it cannot be merged with the others.`
  return new AppError('UNSUPPORTED_CONVERSION', message, { field: 'file', index })
}
