import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import type { Chunk, Engine, EngineResult, EngineWork, InputFile, Tools, WorkerPool } from './engine.ts'
import { makeAnimatedPng, makeAnimatedWebp, makeGif } from './ffmpeg/animation.ts'
import { checkAudioTimeLimit } from './ffmpeg/audio-time-limit.ts'
import { extractAvifFrame } from './ffmpeg/avif-sequence.ts'
import { capabilities } from './ffmpeg/capabilities.ts'
import { compressMedia } from './ffmpeg/compress.ts'
import { warnHdrConverted } from './ffmpeg/dynamic-range.ts'
import { extractFirstFrame } from './ffmpeg/first-frame.ts'
import { mergeAudio, mergeVideo } from './ffmpeg/merge.ts'
import { joinMerge, runMergeChunk, splitMerge } from './ffmpeg/merge-chunks.ts'
import { readMediaMetadata } from './ffmpeg/metadata.ts'
import { animatedPngOptions, animatedWebpOptions, gifOptions } from './ffmpeg/options.ts'
import { predecodeAudio } from './ffmpeg/predecode-audio.ts'
import { createMissingStreamError, type MediaInfo, probeCached } from './ffmpeg/probe.ts'
import { toMediaError } from './ffmpeg/run.ts'
import { convertSubtitles, subtitleTargets } from './ffmpeg/subtitles.ts'
import { thumbnailVideo } from './ffmpeg/thumbnail.ts'
import { copyByHeader, parseMediaTarget, transcode } from './ffmpeg/transcode.ts'
import { findUnsupportedCodec, rejectEncrypted } from './ffmpeg/unsupported-tracks.ts'
import { joinVideo, runVideoChunk, splitVideo } from './ffmpeg/video-chunks.ts'
import { videoToImage } from './ffmpeg/video-frames.ts'
import { watermarkVideo } from './ffmpeg/watermark.ts'
import { writeMediaMetadata } from './ffmpeg/write-metadata.ts'

/** Converts video, audio, animations and subtitles. */
export const ffmpeg: Engine = {
  id: 'ffmpeg',
  image: 'av',
  capabilities,
  limits: { memoryMb: 6144, diskMb: 10_240, timeoutS: 1800 },
  version: ['ffmpeg', '-version'],
  run,
  split: (work, tools, pool) => rethrowAsClientError(work, split(work, tools, pool)),
  join: (work, results, tools) =>
    rethrowAsClientError(work, chooseChunkOperations(work).join(work, results, tools)),
}

const chooseChunkOperations = ({ operation }: EngineWork) =>
  operation === 'merge'
    ? { split: splitMerge, run: runMergeChunk, join: joinMerge }
    : { split: splitVideo, run: runVideoChunk, join: joinVideo }

const isAudio = (format: FormatId) => formatById(format).category === 'audio'

async function split(
  work: EngineWork,
  tools: Tools,
  pool: WorkerPool,
): Promise<readonly Chunk[] | undefined> {
  await rejectEncryptedInputs(work)
  if (!isAudio(work.to)) return chooseChunkOperations(work).split(work, tools, pool)
  await checkAudioTimeLimit(work, tools, pool)
  return undefined
}

/** Rejects encrypted files, except for metadata, which can be read anyway. */
async function rejectEncryptedInputs({ operation, inputs }: EngineWork): Promise<void> {
  if (operation === 'metadata') return
  for (const { path, format } of inputs) await rejectEncrypted(path, format)
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('ffmpeg was called without an input.')
  const targetPath = join(work.outDir, `output.${formatById(work.to).extensions[0]}`)
  return rethrowAsClientError(
    work,
    work.chunk ? chooseChunkOperations(work).run(work, tools) : runOperation(work, input, targetPath, tools),
  )
}

async function rethrowAsClientError<T>({ from, to, inputs }: EngineWork, result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    const clientError = toMediaError(error, from, to)
    if (clientError instanceof AppError && undecodableCodes.includes(clientError.code))
      for (const { path, format } of inputs) {
        const codecError = await findUnsupportedCodec(path, format, clientError)
        if (codecError) throw codecError
      }
    throw clientError
  }
}

/** Errors that a codec without a decoder can cause. */
const undecodableCodes: readonly string[] = ['CORRUPT_FILE', 'CONVERSION_FAILED', 'UNSUPPORTED_CONVERSION']

async function runOperation(
  work: EngineWork,
  input: InputFile,
  targetPath: string,
  tools: Tools,
): Promise<EngineResult> {
  await rejectEncryptedInputs(work)
  if (work.operation === 'metadata') return readMediaMetadata(work, input, tools)
  if (work.operation === 'metadata/write') return writeMediaMetadata(work, input, targetPath, tools)
  if (work.operation === 'merge') {
    return isAudio(work.to) ? mergeAudio(work, targetPath, tools) : mergeVideo(work, targetPath, tools)
  }
  if (subtitleTargets.includes(work.to)) return convertSubtitles(work, input, targetPath, tools)
  if (work.operation === 'thumbnail') return thumbnailVideo(work, input, tools)
  if ((work.to === 'png' || work.to === 'tiff') && formatById(work.from).category === 'image')
    return convertFirstFrame(work.from, input, targetPath, tools)
  if (work.to === 'jpg' || work.to === 'png') return videoToImage(work, input, tools)
  const { path, from } = await predecodeAudio(input.path, work.from, tools)
  const request = { path, from, to: work.to, target: targetPath }
  const isMediaConversion = work.operation === 'convert' && formatById(work.to).category !== 'image'
  const copyResult =
    isMediaConversion && (await copyByHeader({ ...request, ...parseMediaTarget(work) }, tools))
  if (copyResult) return copyResult
  const media = await probeCached(input, { path, from }, tools)
  const source = { path, from, media, size: input.size }
  if (work.operation === 'compress') return compressMedia(work, source, targetPath, tools)
  if (work.operation === 'watermark') return watermarkVideo(work, source, targetPath, tools)
  if (formatById(work.to).category === 'image') return convertToAnimation(work, source, targetPath, tools)
  return transcode({ ...request, media, ...parseMediaTarget(work) }, tools)
}

async function convertFirstFrame(
  from: FormatId,
  input: InputFile,
  targetPath: string,
  tools: Tools,
): Promise<EngineResult> {
  if (from === 'avif') await extractAvifFrame(input.path, targetPath, tools)
  else await extractFirstFrame(input.path, from, targetPath, tools)
  if (from === 'apng') tools.warn('ANIMATION_DROPPED', 'Only the first frame of the animation was kept.')
  tools.progress(1)
  return { files: [{ path: targetPath }] }
}

async function convertToAnimation(
  work: EngineWork,
  { path, from, media }: { path: string; from: FormatId; media: MediaInfo },
  targetPath: string,
  tools: Tools,
): Promise<EngineResult> {
  if (!media.video) throw createMissingStreamError('video track', from, work.to)
  const clip = { source: path, target: targetPath, from, media }
  warnHdrConverted(media.video, tools)
  if (work.to === 'gif') await makeGif(clip, gifOptions.parse(work.options), tools)
  else if (work.to === 'apng') await makeAnimatedPng(clip, animatedPngOptions.parse(work.options), tools)
  else if (work.to === 'webp') await makeAnimatedWebp(clip, animatedWebpOptions.parse(work.options), tools)
  else throw new AppError('UNSUPPORTED_CONVERSION', `Animations cannot be converted to ${work.to}.`)
  tools.progress(1)
  return { files: [{ path: targetPath }], method: 'encode' }
}
