import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { Chunk, ChunkResult, EngineResult, EngineWork, Tools, WorkerPool } from '../engine.ts'
import { videoFormats } from './capabilities.ts'
import type { VideoCodecId } from './codecs.ts'
import type { Container } from './containers.ts'
import { createDemuxerArgs } from './demuxers.ts'
import { writeMergedMetadata } from './merged-metadata.ts'
import type { MediaOptions } from './options.ts'
import { buildRecipe } from './plan.ts'
import { predecodeAudio } from './predecode-audio.ts'
import { hasAlpha, type MediaInfo, probeCached } from './probe.ts'
import { readHeader } from './read-header.ts'
import { encode, runFfmpeg } from './run.ts'
import { describeMedia, parseMediaTarget, transcode } from './transcode.ts'
import { estimateEncodeTimeS } from './video-encode-time.ts'
import {
  canSegment,
  chooseSegmentTimeS,
  computeSegmentLengthS,
  cutAtKeyframes,
  getSeparateAudioContainer,
  joinSegments,
  mayBenefitFromChunks,
} from './video-segments.ts'
import { chooseCodecId, chooseVideoSize } from './video-stream.ts'

/** Splits a long video into chunks: segments of the video are encoded in parallel, and the audio as a whole. */

const VideoChunkSpec = z.object({
  /** Media information of the whole source, which a segment contains only in part. */
  media: z.custom<MediaInfo>((value) => typeof value === 'object'),
  /** Number of frames of the source, which the result must have as well. */
  pictures: z.number(),
  /** Position of the segment, in seconds from the start of the source; unset for the audio chunk. */
  piece: z.object({ startS: z.number(), endS: z.number() }).optional(),
  /**
   * Metadata of a video without audio, set in one of the chunks. If there is audio, the audio chunk contains the
   * metadata.
   */
  texts: z.string().optional(),
})

/** Returns undefined if the video is not split. */
export async function splitVideo(
  work: EngineWork,
  tools: Tools,
  pool: WorkerPool,
): Promise<readonly Chunk[] | undefined> {
  if (!isSplittable(work) || !mayBenefitFromChunks(pool)) return undefined
  const [input] = work.inputs
  if (!input) return undefined
  const { path, from } = await predecodeAudio(input.path, work.from, tools)
  // Tries the header first: if the video is copied, probing the file would take as long as the copy.
  const header = await readHeader(path, from)
  if (header && !header.mayBeIncomplete && isVideoCopied({ media: header.media, work })) return undefined
  const media = await probeCached(input, { path, from }, tools)
  const segmentS = chooseSegmentLength(media, work, pool)
  if (segmentS === undefined || !media.video) return undefined
  const segmentedVideo = await cutAtKeyframes(
    { path, from, video: media.video, segmentS, startS: media.pictureStartS, name: 'segment' },
    tools,
  )
  const commonFields = { media: toStoredMedia(media), pictures: segmentedVideo.frames }
  const segments = segmentedVideo.segments.map(({ file, ...piece }) => ({
    spec: { ...commonFields, piece },
    file,
  }))
  if (media.audio.length > 0) return [{ spec: commonFields }, ...segments]
  const texts = await extractMetadata(path, from, tools)
  return segments.map(({ spec, file }, at) => ({ spec: at === 0 ? { ...spec, texts } : spec, file }))
}

/** Extracts tags and chapters. All muxers that support joining segments also support tags and chapters. */
async function extractMetadata(path: string, from: FormatId, tools: Tools): Promise<string> {
  const metadataPath = join(tools.workDir, 'own.ffmetadata')
  const args = [...createDemuxerArgs(from), '-i', path, '-f', 'ffmetadata', metadataPath]
  await runFfmpeg(args, { durationS: undefined }, tools)
  return readFile(metadataPath, 'utf8')
}

/** Removes undefined fields, which records cannot store. */
export const toStoredMedia = (media: MediaInfo) => JSON.parse(JSON.stringify(media)) as MediaInfo

function isSplittable(work: EngineWork): boolean {
  if (work.operation !== 'convert' || !videoFormats.some((id) => id === work.to)) return false
  const { container, options } = parseMediaTarget(work)
  const { start, end, fps } = options
  // With another frame rate, the number of frames of each segment would be rounded.
  const coversWholeVideo = !start && end === undefined && fps === undefined
  return coversWholeVideo && canSegment(container, chooseTargetCodec(container, options))
}

/** The cast is safe, because every codec of a container is in the codec table. */
const chooseTargetCodec = (container: Container, options: MediaOptions) =>
  chooseCodecId(container, options) as VideoCodecId

/** Returns the length of a segment in seconds, or undefined if the video is not split. */
function chooseSegmentLength(media: MediaInfo, work: EngineWork, pool: WorkerPool): number | undefined {
  const { video, durationS } = media
  const { container, options } = parseMediaTarget(work)
  if (!video || durationS === undefined || hasAlpha(video) || isVideoCopied({ media, work })) return undefined
  if (media.audio.length === 0 && hasSubtitlesOrCover(media)) return undefined
  const size = chooseVideoSize(video, container, options)
  const encodingTimeS = estimateEncodeTimeS(
    { video, durationS, size },
    chooseTargetCodec(container, options),
    options,
  )
  const segmentTimeS = encodingTimeS === undefined ? undefined : chooseSegmentTimeS(encodingTimeS, pool)
  if (encodingTimeS === undefined || segmentTimeS === undefined) return undefined
  const lengthS = computeSegmentLengthS({ durationS, encodeTimeS: encodingTimeS }, segmentTimeS)
  return lengthS < durationS ? lengthS : undefined
}

/**
 * Whether there are subtitles or a cover. These are part of the audio chunk, so a video without audio would lose them
 * if it were split.
 */
const hasSubtitlesOrCover = ({ subtitles, cover }: MediaInfo) => subtitles.length > 0 || cover !== undefined

function isVideoCopied({ media, work }: { media: MediaInfo; work: EngineWork }): boolean {
  const { output } = buildRecipe({
    ...parseMediaTarget(work),
    media,
    from: work.from,
    to: work.to,
    mayCopy: true,
    keepSubtitles: true,
  })
  const codec = output.indexOf('-c:v:0')
  return output[codec + 1] === 'copy'
}

/** Runs a chunk of `splitVideo`: encodes a segment of the video, or the audio with subtitles and metadata. */
export async function runVideoChunk(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const { media, piece } = VideoChunkSpec.parse(work.chunk)
  const [input] = work.inputs
  if (!input) throw new Error('A chunk of a video has no input file.')
  const { container, options } = parseMediaTarget(work)
  if (!piece) {
    const { path, from } = await predecodeAudio(input.path, work.from, tools)
    const targetPath = join(work.outDir, `audio.${work.to}`)
    const audioRequest = {
      path,
      from,
      to: work.to,
      target: targetPath,
      container: getSeparateAudioContainer(container),
      options,
    }
    return transcode({ ...audioRequest, media: { ...media, video: undefined } }, tools)
  }
  const targetPath = join(work.outDir, 'piece.nut')
  const recipe = buildRecipe({
    from: input.format,
    to: work.to,
    options,
    mayCopy: false,
    keepSubtitles: false,
    media: keepOnlyVideo(media),
    container: { ...container, muxer: 'nut', args: [] },
  })
  const durationS = piece.endS - piece.startS
  const { frames } = await encode(recipe, { source: input.path, target: targetPath, durationS }, tools)
  for (const { code, message, details } of recipe.warnings) tools.warn(code, message, details)
  return { files: [{ path: targetPath, format: 'nut' }], method: 'encode', details: { pictures: frames } }
}

/** Returns the media information of a segment, which contains only the video stream. */
function keepOnlyVideo(media: MediaInfo): MediaInfo {
  const video = media.video && { ...media.video, index: 0 }
  return { ...media, video, audio: [], subtitles: [], cover: undefined, chapters: 0 }
}

/** Joins the chunks. @throws AppError CONVERSION_FAILED if the result is incomplete, and ProcessFailure. */
export async function joinVideo(
  work: EngineWork,
  results: readonly ChunkResult[],
  tools: Tools,
): Promise<EngineResult> {
  const chunks = results.map(({ spec, files: [file], details }) => {
    if (!file) throw new Error('A chunk of a video has no result file.')
    return {
      ...VideoChunkSpec.parse(spec),
      path: file.path,
      got: z.number().optional().parse(details?.pictures),
    }
  })
  // A video is split into at least two chunks.
  const [{ media, pictures: expectedFrameCount }] = chunks as [(typeof chunks)[number]]
  const { container, options } = parseMediaTarget(work)
  const content = chunks.find(({ texts }) => texts !== undefined)?.texts
  const metadata =
    content === undefined ? undefined : await writeMergedMetadata({ content, hasChapters: true }, tools)
  const path = await joinSegments(
    {
      segments: chunks.flatMap(({ piece, path, got = 0 }) =>
        piece ? [{ ...piece, path, frames: got }] : [],
      ),
      audioPath: chunks.find(({ piece }) => !piece)?.path,
      metadata,
      expectedFrameCount,
      durationS: media.durationS,
      container,
      codec: chooseTargetCodec(container, options),
    },
    work,
    tools,
  )
  return { files: [{ path }], method: 'encode', details: describeMedia(media) }
}
