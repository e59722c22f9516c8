import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import { defined } from '../../validation/defined.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { audioContainers } from './audio-containers.ts'
import { audioFormats, videoFormats } from './capabilities.ts'
import type { Container } from './containers.ts'
import { needsTextCover } from './covers-and-subtitles.ts'
import { removeBogusDelay } from './mp3-delay.ts'
import { writeOggCover } from './ogg-cover.ts'
import { createAudioOptions, createVideoOptions, type MediaOptions } from './options.ts'
import { buildRecipe } from './plan.ts'
import { createMissingStreamError, type MediaInfo } from './probe.ts'
import { readHeader } from './read-header.ts'
import type { Recipe } from './recipe.ts'
import { encode, isComplete } from './run.ts'
import { supportsAllTags } from './tag-support.ts'
import { restoreLanguages } from './track-languages.ts'
import { resolveTrim } from './trim.ts'
import { videoContainers } from './video-containers.ts'
import type { Overlay } from './video-filters.ts'

export interface Transcoding {
  readonly path: string
  readonly from: FormatId
  readonly media: MediaInfo
  readonly target: string
  readonly to: FormatId
  readonly container: Container
  readonly options: MediaOptions
  readonly overlay?: Overlay
}

/**
 * The first attempt copies streams where possible, the second one encodes all of them, and the third one also drops the
 * subtitles.
 */
const attempts = [
  { mayCopy: true, keepSubtitles: true },
  { mayCopy: false, keepSubtitles: true },
  { mayCopy: false, keepSubtitles: false },
] as const

/**
 * Converts a file. If the result cannot be opened, lacks streams or is too short, the next attempt is made.
 * @throws AppError CORRUPT_FILE, INVALID_INPUT (nothing between `start` and `end`), UNSUPPORTED_CONVERSION (a required
 * stream is missing), and ProcessFailure if ffmpeg failed in the last attempt.
 */
export async function transcode(transcoding: Transcoding, tools: Tools): Promise<EngineResult> {
  const { from } = transcoding
  requireStreams(transcoding)
  const coverMetadataPath = await prepareCoverMetadata(transcoding, tools)
  let failure: ProcessFailure | undefined
  let previousArgs = ''
  for (const attempt of attempts) {
    const recipe = buildRecipe({ ...transcoding, ...attempt, coverMetadataPath })
    const joinedArgs = recipe.output.join(' ')
    // Identical arguments would fail in the same way.
    if (joinedArgs === previousArgs) continue
    previousArgs = joinedArgs
    const result = await runRecipe(recipe, transcoding, tools)
    if (result instanceof ProcessFailure) failure = result
    else if (result) return result
  }
  if (failure) throw failure
  const message = `The ${formatById(from).name} (${from}) is truncated or cannot be decoded.`
  throw new AppError('CORRUPT_FILE', message, { format: from })
}

async function prepareCoverMetadata(
  { path, from, media: { cover }, container }: Transcoding,
  tools: Tools,
): Promise<string | undefined> {
  if (!cover || !needsTextCover(container, cover)) return undefined
  try {
    return await writeOggCover({ path, from, cover }, tools)
  } catch (error) {
    // The conversion continues without the cover; a warning reports that it was dropped.
    if (error instanceof ProcessFailure) return undefined
    throw error
  }
}

/**
 * Copies all streams to another container based only on the file's header, so that ffmpeg is started once and
 * ffprobe not at all: loading their 220 libraries takes longer than copying an hour of media. Returns undefined if
 * copying is not possible or fails; use `transcode` then.
 * @throws AppError as `transcode` does.
 */
export async function copyByHeader(
  unprobedRequest: Omit<Transcoding, 'media'>,
  tools: Tools,
): Promise<EngineResult | undefined> {
  const header = await readHeader(unprobedRequest.path, unprobedRequest.from)
  if (!header || header.mayBeIncomplete || header.media.durationS === undefined) return undefined
  if (header.mayHaveTags && !supportsAllTags(unprobedRequest.container.muxer)) return undefined
  const transcoding = { ...unprobedRequest, media: header.media }
  requireStreams(transcoding)
  const recipe = buildRecipe({ ...transcoding, ...attempts[0] })
  if (recipe.method !== 'stream-copy') return undefined
  const result = await runRecipe(recipe, transcoding, tools)
  return result instanceof ProcessFailure ? undefined : result
}

/** Runs a recipe and checks its result. Returns undefined if the result is incomplete. */
async function runRecipe(
  recipe: Recipe,
  { path, to, media, target, options, container }: Transcoding,
  tools: Tools,
): Promise<EngineResult | ProcessFailure | undefined> {
  const { durationS } = resolveTrim(options, { ...media, durationS: media.playedS ?? media.durationS })
  try {
    const stats = await encode(recipe, { source: path, target, durationS }, tools)
    if (!(await isComplete({ path: target, to, recipe, writtenStats: stats, durationS }, tools)))
      return undefined
  } catch (error) {
    if (error instanceof ProcessFailure) return error
    throw error
  }
  if (container.muxer === 'mov') await restoreLanguages(target, recipe.languages)
  if (to === 'mp3' && recipe.method === 'stream-copy') await removeBogusDelay(target)
  for (const { code, message, details } of recipe.warnings) tools.warn(code, message, details)
  tools.progress(1)
  return { files: [{ path: target }], method: recipe.method, details: describeMedia(media) }
}

export function getContainer(to: FormatId): Container {
  const video = videoFormats.find((id) => id === to)
  const audio = audioFormats.find((id) => id === to)
  if (video) return videoContainers[video]
  if (audio) return audioContainers[audio]
  throw new Error(`ffmpeg has no container for ${to}.`)
}

export function parseMediaTarget({ to, options }: EngineWork): {
  container: Container
  options: MediaOptions
} {
  const container = getContainer(to)
  const schema = container.video.length > 0 ? createVideoOptions(container) : createAudioOptions(container)
  return { container, options: schema.parse(options) }
}

function requireStreams({ media, container, from, to }: Transcoding): void {
  if (container.video.length === 0 && media.audio.length === 0)
    throw createMissingStreamError('audio track', from, to)
  if (container.audio.length === 0 && !media.video) throw createMissingStreamError('video track', from, to)
  if (!media.video && media.audio.length === 0)
    throw createMissingStreamError('video or audio track', from, to)
}

export function describeMedia({ durationS, video, audio }: MediaInfo): Record<string, unknown> {
  return {
    ...defined({ durationS }),
    hasVideo: video !== undefined,
    audioTracks: audio.length,
  }
}
