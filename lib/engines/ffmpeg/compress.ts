import { copyFile, stat } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import { defined } from '../../validation/defined.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { toQualityNumber } from '../options.ts'
import { computeMinBitrate, hasVideo, planAudioBudget, planVideoBudget } from './bitrate-budget.ts'
import { findCodecIdByName } from './codecs.ts'
import type { Container } from './containers.ts'
import { type CompressOptions, createCompressOptions, type MediaOptions } from './options.ts'
import type { MediaInfo } from './probe.ts'
import { getContainer, type Transcoding, transcode } from './transcode.ts'

export interface CompressSource {
  readonly path: string
  readonly from: FormatId
  readonly media: MediaInfo
  readonly size: number
}

const maxTries = 4

/**
 * Makes a file smaller without changing its format, by quality or to a target size. The result is never larger.
 * @throws AppError CONVERSION_FAILED (`targetSize` is too small), INVALID_INPUT (its duration is unknown), and what
 * `transcode` throws.
 */
export async function compressMedia(
  work: EngineWork,
  source: CompressSource,
  targetPath: string,
  jobTools: Tools,
): Promise<EngineResult> {
  const container = getContainer(work.to)
  const options = createCompressOptions(container).parse(work.options)
  const tools = dropBudgetWarnings(jobTools, options)
  const transcoding = { ...source, to: work.to, container, target: targetPath }
  const { targetSize } = options
  if (targetSize === undefined) return compressByQuality(transcoding, options, source.size, tools)
  if (source.size <= targetSize) return returnUnchanged(source, targetPath, tools)
  return compressToSize(transcoding, options, targetSize, tools)
}

/** Drops warnings about options that the client did not send but that the planned bit rates require. */
function dropBudgetWarnings(tools: Tools, sentOptions: object): Tools {
  return {
    ...tools,
    warn: (code, message, details) => {
      const isAboutBudget = code === 'OPTION_NOT_USED' && !details?.names?.some((name) => name in sentOptions)
      if (!isAboutBudget) tools.warn(code, message, details)
    },
  }
}

type TranscodingBase = Omit<Transcoding, 'options'>

async function compressByQuality(
  transcoding: TranscodingBase,
  { quality = 'medium', resolution, fps }: CompressOptions,
  size: number,
  tools: Tools,
): Promise<EngineResult> {
  const { media, container } = transcoding
  const kbits = Math.round(
    typeof quality === 'number'
      ? 32 + quality * 1.6
      : toQualityNumber(quality, { low: 64, medium: 96, high: 128, highest: 192 }),
  )
  const hasAudio = container.video.length > 0 && container.audio.length > 0 && media.audio.length > 0
  const options = {
    mode: 'encode',
    quality,
    ...preferSourceCodec(transcoding),
    ...defined({ resolution, fps }),
    ...(hasAudio && { audioBitrate: kbits * 1000 }),
  } as const
  const result = await transcode({ ...transcoding, options }, tools)
  if ((await stat(transcoding.target)).size < size) return result
  return returnUnchanged({ path: transcoding.path }, transcoding.target, tools)
}

/** Returns a copy of the source with a warning, because it is already small enough. */
async function returnUnchanged(
  { path }: { path: string },
  targetPath: string,
  tools: Tools,
): Promise<EngineResult> {
  await copyFile(path, targetPath)
  tools.warn('NOT_SMALLER', 'The file is already small enough and was left unchanged.')
  tools.progress(1)
  return { files: [{ path: targetPath }], method: 'stream-copy' }
}

async function compressToSize(
  transcoding: TranscodingBase,
  options: CompressOptions,
  targetSize: number,
  tools: Tools,
): Promise<EngineResult> {
  const { media, to, target } = transcoding
  const { durationS } = media
  if (durationS === undefined) {
    const message = `targetSize: the duration of the ${formatById(to).name} is unknown. Use quality instead.`
    throw new AppError('INVALID_INPUT', message, { field: 'targetSize' })
  }
  const codecOption = preferSourceCodec(transcoding)
  let targetBytes = targetSize
  let reachedBytes = 0
  for (let tries = 0; tries < maxTries; tries++) {
    // Reserves 4 % for the container's overhead.
    const bitrate = (targetBytes * 8 * 0.96) / durationS
    const planBudget = hasVideo(transcoding) ? planVideoBudget : planAudioBudget
    const budgetOptions = planBudget(bitrate, transcoding, options)
    if (!budgetOptions) break
    const result = await transcode({ ...transcoding, options: { ...budgetOptions, ...codecOption } }, tools)
    reachedBytes = (await stat(target)).size
    if (reachedBytes <= targetSize) return result
    // Aims slightly lower, or the next attempt could miss the target again.
    targetBytes *= (targetSize / reachedBytes) * 0.97
  }
  throw createTargetTooSmallError(targetSize, reachedBytes, estimateMinBytes(transcoding, durationS))
}

/**
 * Estimates the smallest possible size, for the error message. Near the minimum, encoders exceed the requested bit
 * rate.
 */
function estimateMinBytes(transcoding: TranscodingBase, durationS: number): number {
  return Math.ceil((computeMinBitrate(transcoding) * durationS) / 8 / 0.75)
}

function createTargetTooSmallError(
  targetSize: number,
  reachedBytes: number,
  estimatedBytes: number,
): AppError {
  const neededBytes = Math.max(reachedBytes, estimatedBytes)
  const message = `targetSize: ${targetSize} bytes are too few for the duration of the file; about ${neededBytes} are needed. Increase targetSize or send a shorter file.`
  return new AppError('CONVERSION_FAILED', message, { field: 'targetSize', targetSize, least: neededBytes })
}

/** Keeps the source's video codec, which may be better than the default one, if the container supports encoding it. */
export function preferSourceCodec({
  media,
  container,
}: {
  media: MediaInfo
  container: Container
}): CodecOption {
  const codec = media.video && findCodecIdByName(media.video.codec_name)
  return codec && container.video.includes(codec) ? { codec } : {}
}

type CodecOption = Pick<MediaOptions, 'codec'>
