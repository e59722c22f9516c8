import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { audioContainers } from './audio-containers.ts'
import { audios, videos } from './capabilities.ts'
import type { Container } from './containers.ts'
import { wantsCoverText } from './covers-and-subtitles.ts'
import { mendDelay } from './mp3-delay.ts'
import { coverAsText } from './ogg-cover.ts'
import { audioOptions, type MediaOptions, videoOptions } from './options.ts'
import { recipeFor } from './plan.ts'
import { type Media, nothingOf } from './probe.ts'
import { headerOf } from './read-header.ts'
import type { Recipe } from './recipe.ts'
import { encode, isWhole } from './run.ts'
import { holdsAllTexts } from './tag-support.ts'
import { keepLanguages } from './track-languages.ts'
import { cutOf } from './trim.ts'
import { videoContainers } from './video-containers.ts'
import type { Overlay } from './video-filters.ts'

export interface Transcoding {
  readonly path: string
  readonly from: FormatId
  readonly media: Media
  readonly target: string
  readonly to: FormatId
  readonly container: Container
  readonly options: MediaOptions
  readonly overlay?: Overlay
}

/** Copy what fits; encode all when that fails; leave the subtitles when they are what fails. */
const attempts = [
  { mayCopy: true, keepSubtitles: true },
  { mayCopy: false, keepSubtitles: true },
  { mayCopy: false, keepSubtitles: false },
] as const

/**
 * Only a result that opens, has its streams and lasts long enough is one; else the next attempt is made.
 * @throws AppError CORRUPT_FILE, INVALID_INPUT (nothing between `start` and `end`), UNSUPPORTED_CONVERSION (no sound
 * or no picture in it), and ProcessFailure when the last attempts ended so.
 */
export async function transcode(transcoding: Transcoding, tools: Tools): Promise<EngineResult> {
  const { from } = transcoding
  checkStreams(transcoding)
  const coverText = await coverTextOf(transcoding, tools)
  let failed: ProcessFailure | undefined
  let tried = ''
  for (const attempt of attempts) {
    const recipe = recipeFor({ ...transcoding, ...attempt, coverText })
    const said = recipe.output.join(' ')
    // The same words would fail in the same way.
    if (said === tried) continue
    tried = said
    const outcome = await follow(recipe, transcoding, tools)
    if (outcome instanceof ProcessFailure) failed = outcome
    else if (outcome) return outcome
  }
  if (failed) throw failed
  const sentence = `The ${formatById(from).name} (${from}) breaks off or cannot be decoded.`
  throw new AppError('CORRUPT_FILE', sentence, { format: from })
}

async function coverTextOf(
  { path, from, media: { cover }, container }: Transcoding,
  tools: Tools,
): Promise<string | undefined> {
  if (!cover || !wantsCoverText(container, cover)) return undefined
  try {
    return await coverAsText({ path, from, cover }, tools)
  } catch (error) {
    // The sound is worth more than its cover, which is told as dropped.
    if (error instanceof ProcessFailure) return undefined
    throw error
  }
}

/**
 * Where all streams only change their container their header tells enough, and ffmpeg is started once: a program that
 * links some 220 libraries takes longer for that than for copying an hour. Undefined where that is not so or does not
 * work out: `transcode` then goes the whole way. @throws AppError as it does.
 */
export async function copyByHeader(
  unprobed: Omit<Transcoding, 'media'>,
  tools: Tools,
): Promise<EngineResult | undefined> {
  const header = await headerOf(unprobed.path, unprobed.from)
  if (!header || header.hasMore || header.media.durationS === undefined) return undefined
  if (header.mayHaveTexts && !holdsAllTexts(unprobed.container.muxer)) return undefined
  const transcoding = { ...unprobed, media: header.media }
  checkStreams(transcoding)
  const recipe = recipeFor({ ...transcoding, ...attempts[0] })
  if (recipe.method !== 'stream-copy') return undefined
  const outcome = await follow(recipe, transcoding, tools)
  return outcome instanceof ProcessFailure ? undefined : outcome
}

/** Undefined for a result that is none. */
async function follow(
  recipe: Recipe,
  { path, to, media, target, options, container }: Transcoding,
  tools: Tools,
): Promise<EngineResult | ProcessFailure | undefined> {
  const { durationS } = cutOf(options, { ...media, durationS: media.playedS ?? media.durationS })
  try {
    const written = await encode(recipe, { source: path, target, durationS }, tools)
    if (!(await isWhole({ path: target, to, recipe, written, durationS }, tools))) return undefined
  } catch (error) {
    if (error instanceof ProcessFailure) return error
    throw error
  }
  if (container.muxer === 'mov') await keepLanguages(target, recipe.languages)
  if (to === 'mp3' && recipe.method === 'stream-copy') await mendDelay(target)
  for (const { code, message } of recipe.warnings) tools.warn(code, message)
  tools.progress(1)
  return { files: [{ path: target }], method: recipe.method, details: detailsOf(media) }
}

export function containerOf(to: FormatId): Container {
  const video = videos.find((id) => id === to)
  const audio = audios.find((id) => id === to)
  if (video) return videoContainers[video]
  if (audio) return audioContainers[audio]
  throw new Error(`ffmpeg was asked for ${to}, which it does not declare.`)
}

export function targetOf({ to, options }: EngineWork): { container: Container; options: MediaOptions } {
  const container = containerOf(to)
  const schema = container.video.length > 0 ? videoOptions(container) : audioOptions(container)
  return { container, options: schema.parse(options) }
}

function checkStreams({ media, container, from, to }: Transcoding): void {
  if (container.video.length === 0 && media.audio.length === 0) throw nothingOf('sound', from, to)
  if (container.audio.length === 0 && !media.video) throw nothingOf('picture', from, to)
  if (!media.video && media.audio.length === 0) throw nothingOf('picture and no sound', from, to)
}

export function detailsOf({ durationS, video, audio }: Media): Record<string, unknown> {
  return {
    ...(durationS !== undefined && { durationS }),
    hasVideo: video !== undefined,
    audioTracks: audio.length,
  }
}
