import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import type { Capability, Engine, InputFile, Result, Tools, Work } from './engine.ts'
import { ProcessFailure } from './exec.ts'
import { makeAnimatedWebp, makeGif } from './ffmpeg-animation.ts'
import { audioContainers, type Container, videoContainers } from './ffmpeg-containers.ts'
import { animatedWebpOptions, audioOptions, gifOptions, videoOptions } from './ffmpeg-options.ts'
import { type MediaOptions, recipeFor } from './ffmpeg-plan.ts'
import { type Media, probe } from './ffmpeg-probe.ts'
import { encode, failure, isSound } from './ffmpeg-run.ts'
import { bitmapToPng } from './ffmpeg-still.ts'

const videos = Object.keys(videoContainers) as (keyof typeof videoContainers)[] // Object.keys forgets the names.
const audios = Object.keys(audioContainers) as (keyof typeof audioContainers)[]

const capabilities: readonly Capability[] = [
  ...videos.map((to): Capability => {
    const options = videoOptions(videoContainers[to])
    return { operation: 'convert', from: [...videos, 'gif'], to: [to], same: true, options, cost: 5 }
  }),
  ...audios.map((to): Capability => {
    const options = audioOptions(audioContainers[to])
    return { operation: 'convert', from: [...audios, ...videos], to: [to], same: true, options, cost: 0.5 }
  }),
  { operation: 'convert', from: videos, to: ['gif'], options: gifOptions, cost: 2 },
  { operation: 'convert', from: videos, to: ['webp'], options: animatedWebpOptions, cost: 2 },
  { operation: 'convert', from: ['bmp'], to: ['png'], options: z.object({}), cost: 0.2 },
]

/** Video and audio. */
export const ffmpeg: Engine = {
  id: 'ffmpeg',
  image: 'av',
  capabilities,
  limits: { memoryMb: 6144, diskMb: 10_240, timeoutS: 1800 },
  version: ['ffmpeg', '-version'],
  run,
}

async function run(work: Work, tools: Tools): Promise<Result> {
  const [input] = work.inputs
  if (!input) throw new Error('ffmpeg was called without an input.')
  const target = join(work.outDir, `output.${formatById(work.to).extensions[0]}`)
  try {
    if (work.from === 'bmp') return await convertBitmap(input, target, tools)
    const media = await probe(input.path, work.from, tools)
    if (work.to === 'gif' || work.to === 'webp') return await animate(work, input, media, target, tools)
    return await transcode(work, input, media, target, tools)
  } catch (error) {
    throw failure(error, work.from, work.to)
  }
}

async function convertBitmap(input: InputFile, target: string, tools: Tools): Promise<Result> {
  await bitmapToPng(input.path, target, tools)
  tools.progress(1)
  return { files: [{ path: target }] }
}

async function animate(
  work: Work,
  input: InputFile,
  media: Media,
  target: string,
  tools: Tools,
): Promise<Result> {
  if (!media.video) throw nothingOf('picture', work)
  const clip = { source: input.path, target, from: work.from, media }
  if (work.to === 'gif') await makeGif(clip, gifOptions.parse(work.options), tools)
  else await makeAnimatedWebp(clip, animatedWebpOptions.parse(work.options), tools)
  tools.progress(1)
  return { files: [{ path: target }], method: 'encode' }
}

/** Copy what fits; encode all when that fails; leave the subtitles when they are what fails. */
const attempts = [
  { mayCopy: true, keepSubtitles: true },
  { mayCopy: false, keepSubtitles: true },
  { mayCopy: false, keepSubtitles: false },
] as const

async function transcode(
  work: Work,
  input: InputFile,
  media: Media,
  target: string,
  tools: Tools,
): Promise<Result> {
  const { container, options } = targetOf(work)
  checkStreams(media, container, work)
  let failed: ProcessFailure | undefined
  let tried = ''
  for (const attempt of attempts) {
    const recipe = recipeFor({ media, from: work.from, container, options, ...attempt })
    const said = recipe.output.join(' ')
    if (said === tried) continue
    tried = said
    try {
      await encode(recipe, { source: input.path, target, durationS: media.durationS }, tools)
    } catch (error) {
      if (!(error instanceof ProcessFailure)) throw error
      failed = error
      continue
    }
    if (!(await isSound(target, work.to, recipe, media, tools))) continue
    for (const { code, message } of recipe.warnings) tools.warn(code, message)
    tools.progress(1)
    return { files: [{ path: target }], method: recipe.method, details: detailsOf(media) }
  }
  if (failed) throw failed
  throw new AppError(
    'CORRUPT_FILE',
    `The ${formatById(work.from).name} (${work.from}) breaks off or cannot be decoded.`,
    {
      format: work.from,
    },
  )
}

function targetOf({ to, options }: Work): { container: Container; options: MediaOptions } {
  const video = videos.find((id) => id === to)
  if (video)
    return { container: videoContainers[video], options: videoOptions(videoContainers[video]).parse(options) }
  const audio = audios.find((id) => id === to)
  if (audio)
    return { container: audioContainers[audio], options: audioOptions(audioContainers[audio]).parse(options) }
  throw new Error(`ffmpeg was asked for ${to}, which it does not declare.`)
}

function checkStreams(media: Media, { video }: Container, work: Work): void {
  if (video.length === 0 && media.audio.length === 0) throw nothingOf('sound', work)
  if (!media.video && media.audio.length === 0) throw nothingOf('picture and no sound', work)
}

function nothingOf(what: string, { from, to }: { from: FormatId; to: FormatId }): AppError {
  const sentence = `The ${formatById(from).name} (${from}) has no ${what}, so nothing can become ${to}.`
  return new AppError('UNSUPPORTED_CONVERSION', sentence, { from, to })
}

function detailsOf({ durationS, video, audio }: Media): Record<string, unknown> {
  return {
    ...(durationS !== undefined && { durationS }),
    hasVideo: video !== undefined,
    audioTracks: audio.length,
  }
}
