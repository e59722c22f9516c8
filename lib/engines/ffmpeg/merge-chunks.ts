import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Chunk, ChunkResult, EngineResult, EngineWork, Tools, WorkerPool } from '../engine.ts'
import type { Container } from './containers.ts'
import { createDemuxerArgs } from './demuxers.ts'
import { Colors, warnHdrConverted } from './dynamic-range.ts'
import { requireVideo, sumDurationsS, warnDroppedTracks } from './merge.ts'
import {
  chooseMergeFrameRate,
  createMergeAudioTrackArgs,
  createMergeSegmentArgs,
  type FrameRange,
  getMergeCodecs,
} from './merge-encode.ts'
import { type MergeInput, probeMergeInputs } from './merge-inputs.ts'
import { chooseSegmentLengths, locateSegments, toFrameRange } from './merge-plan.ts'
import { mergeMetadata, writeMergedMetadata } from './merged-metadata.ts'
import { mergeVideoOptions } from './options.ts'
import type { MediaInfo } from './probe.ts'
import { runFfmpeg } from './run.ts'
import { getContainer } from './transcode.ts'
import { toStoredMedia } from './video-chunks.ts'
import {
  canSegment,
  cutAtKeyframes,
  getSeparateAudioContainer,
  joinSegments,
  mayBenefitFromChunks,
} from './video-segments.ts'

/**
 * Splits a long merge of videos into chunks: segments of each video are encoded in parallel to the format of the first
 * video, and the audio is encoded as a whole. Frame numbers are determined in advance, so that the separately encoded
 * segments and audio have the same duration.
 */

const FrameRangeSpec = z.object({ first: z.number(), count: z.number() })

/** Metadata and warnings of a merge without audio, which has no audio chunk to carry them. */
const SilentMergeMetadata = z.object({
  content: z.string(),
  hasChapters: z.boolean(),
  told: z.array(z.tuple([z.string(), z.string()])),
})

const MergeChunkSpec = z.object({
  /** Media information of the first video. */
  media: z.custom<MediaInfo>((value) => typeof value === 'object'),
  durationS: z.number(),
  /** Range of frames of each video. */
  runs: z.array(FrameRangeSpec),
  /** The frames of one video that the chunk encodes; unset for the audio chunk. */
  piece: FrameRangeSpec.extend({ film: z.number(), shiftS: z.number(), colors: Colors }).optional(),
  /** Set in one of the chunks if the merge has no audio. */
  mute: SilentMergeMetadata.optional(),
})

/** Details of the result of a video chunk: its number of frames. */
const SegmentDetails = z.object({ pictures: z.number().default(0) })
/** Details of the result of the audio chunk: the time at which each video begins. */
const AudioDetails = z.object({ beginS: z.array(z.number()) })

/** Returns undefined if the merge is not split. @throws AppError as `mergeVideo` does. */
export async function splitMerge(
  work: EngineWork,
  tools: Tools,
  pool: WorkerPool,
): Promise<readonly Chunk[] | undefined> {
  const container = getContainer(work.to)
  if (!mayBenefitFromChunks(pool) || !canSegment(container, getMergeCodecs(container).video)) return undefined
  const mergeInputs = await probeMergeInputs(work, tools)
  requireVideo(mergeInputs)
  const options = mergeVideoOptions.parse(work.options)
  const segmentLengthsS = chooseSegmentLengths(mergeInputs, { container, options }, pool)
  const [firstInput] = mergeInputs
  if (!segmentLengthsS || !firstInput) return undefined
  const videos: Awaited<ReturnType<typeof segmentVideo>>[] = []
  for (const [index, mergeInput] of mergeInputs.entries())
    videos.push(
      await segmentVideo(
        mergeInput,
        { index, segmentS: segmentLengthsS[index] ?? 0, first: firstInput.media },
        tools,
      ),
    )
  if (videos.some(({ segments }) => segments.some(({ count }) => count < 1))) return undefined
  const durationS = sumDurationsS(mergeInputs) ?? 0
  const commonFields = {
    media: toStoredMedia(firstInput.media),
    durationS,
    runs: videos.map(({ run }) => run),
  }
  const segments = videos.flatMap((video, index) =>
    video.segments.map(({ file, ...piece }) => ({
      spec: { ...commonFields, piece: { ...piece, film: index, colors: video.colors } },
      file,
    })),
  )
  if (mergeInputs.some(({ media }) => media.audio.length > 0)) return [{ spec: commonFields }, ...segments]
  const metadata = await createSilentMergeMetadata(mergeInputs, container, tools)
  return segments.map(({ spec, file }, at) => ({ spec: at === 0 ? { ...spec, mute: metadata } : spec, file }))
}

async function createSilentMergeMetadata(
  mergeInputs: readonly MergeInput[],
  container: Container,
  tools: Tools,
): Promise<z.infer<typeof SilentMergeMetadata>> {
  const warnings: [string, string][] = []
  const warningTools = {
    ...tools,
    warn: (code: string, message: string) => void warnings.push([code, message]),
  }
  warnDroppedTracks(mergeInputs, warningTools)
  const { content, hasChapters } = await mergeMetadata(mergeInputs, container, 0, warningTools)
  return { content, hasChapters, told: warnings }
}

/** Splits a video into segments; a short video becomes a single segment. */
async function segmentVideo(
  { path, format, media }: MergeInput,
  { index, segmentS, first }: { index: number; segmentS: number; first: MediaInfo },
  tools: Tools,
) {
  if (!media.video) throw new Error('Cannot split a file without a video track.')
  const { segments, shiftS } = await cutAtKeyframes(
    { path, from: format, video: media.video, segmentS, startS: media.pictureStartS, name: `video-${index}` },
    tools,
  )
  const { framesPerSecond } = chooseMergeFrameRate(first)
  return {
    colors: Colors.parse(media.video),
    segments: segments.map(({ file, ...position }) => ({
      ...toFrameRange(position, framesPerSecond),
      shiftS,
      file,
    })),
    run: toFrameRange(
      { startS: segments[0]?.startS ?? 0, endS: segments.at(-1)?.endS ?? 0 },
      framesPerSecond,
    ),
  }
}

/** Runs a chunk of `splitMerge`: encodes a segment of a video, or all of the audio. */
export async function runMergeChunk(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const { media, runs, piece, durationS } = MergeChunkSpec.parse(work.chunk)
  const container = getContainer(work.to)
  const options = mergeVideoOptions.parse(work.options)
  if (!piece) return runAudioChunk(work, { runs, durationS }, tools)
  const [input] = work.inputs
  if (!input) throw new Error('A chunk of a merge has no input file.')
  warnHdrConverted(piece.colors, tools)
  const targetPath = join(work.outDir, 'piece.nut')
  const { frames } = await runFfmpeg(
    [
      ...[
        '-copyts',
        '-itsoffset',
        String(-piece.shiftS),
        ...createDemuxerArgs(input.format),
        '-i',
        input.path,
      ],
      ...[...createMergeSegmentArgs(media, container, options, piece), '-f', 'nut', targetPath],
    ],
    { durationS: piece.count / chooseMergeFrameRate(media).framesPerSecond },
    tools,
  )
  return { files: [{ path: targetPath, format: 'nut' }], method: 'encode', details: { pictures: frames } }
}

async function runAudioChunk(
  work: EngineWork,
  { runs: frameRanges, durationS }: { runs: readonly FrameRange[]; durationS: number },
  tools: Tools,
): Promise<EngineResult> {
  const mergeInputs = await probeMergeInputs(work, tools)
  warnDroppedTracks(mergeInputs, tools)
  const targetPath = join(work.outDir, `audio.${work.to}`)
  const listPath = join(tools.workDir, 'firsts')
  const inputArgs = mergeInputs.flatMap(({ path, demuxerArgs }) => [...demuxerArgs, '-i', path])
  const container = getSeparateAudioContainer(getContainer(work.to))
  const metadata = await mergeMetadata(mergeInputs, container, 0, tools)
  const args = createMergeAudioTrackArgs(mergeInputs, container, {
    frameRanges,
    listPath,
    targetPath,
    metadata,
  })
  await runFfmpeg([...inputArgs, ...metadata.input, ...args], { durationS }, tools)
  // Each line describes a frame: stream, decoding and presentation timestamp, and more (ffmpeg-formats, `framecrc`).
  const lines = (await readFile(listPath, 'utf8')).split('\n').filter((line) => /^\d/.test(line))
  const beginS = lines.map((line) => Number(line.split(',')[2]) / 1e6)
  return { files: [{ path: targetPath }], method: 'encode', details: { beginS } }
}

/** Joins the chunks. @throws AppError CONVERSION_FAILED if the result is incomplete, and ProcessFailure. */
export async function joinMerge(
  work: EngineWork,
  results: readonly ChunkResult[],
  tools: Tools,
): Promise<EngineResult> {
  const chunks = results.map(({ spec, files: [file], details }) => {
    if (!file) throw new Error('A chunk of a merge has no result file.')
    return { ...MergeChunkSpec.parse(spec), path: file.path, details }
  })
  const [{ media, runs, durationS }] = chunks as [(typeof chunks)[number]] // A merge is split into at least two chunks.
  const audioChunk = chunks.find(({ piece }) => !piece)
  const segments = chunks.flatMap(({ piece, ...rest }) => (piece ? [{ ...rest, ...piece }] : []))
  const positions = locateSegments(segments, runs, {
    beginS: audioChunk && AudioDetails.parse(audioChunk.details).beginS,
    framesPerSecond: chooseMergeFrameRate(media).framesPerSecond,
  })
  const encodedSegments = positions.map((position, index) => ({
    ...position,
    path: segments[index]?.path ?? '',
    frames: SegmentDetails.parse(segments[index]?.details).pictures,
  }))
  const container = getContainer(work.to)
  const { mute } = chunks.find((chunk) => chunk.mute) ?? {}
  for (const [code, message] of mute?.told ?? []) tools.warn(code, message)
  const metadata = mute && (await writeMergedMetadata(mute, tools))
  const path = await joinSegments(
    {
      segments: encodedSegments,
      audioPath: audioChunk?.path,
      metadata,
      durationS,
      container,
      codec: getMergeCodecs(container).video,
      expectedFrameCount: runs.reduce((sum, { count }) => sum + count, 0),
    },
    work,
    tools,
  )
  return { files: [{ path }], method: 'encode' }
}
