import { copyFile, stat } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { qualityNumber } from '../options.ts'
import { audioBudget, hasVideo, minBitrate, videoBudget } from './bitrate-budget.ts'
import { codecIdByName } from './codecs.ts'
import type { Container } from './containers.ts'
import { type CompressOptions, compressOptions, type MediaOptions } from './options.ts'
import type { MediaInfo } from './probe.ts'
import { containerFor, type Transcoding, transcode } from './transcode.ts'

export interface CompressSource {
  readonly path: string
  readonly from: FormatId
  readonly media: MediaInfo
  readonly size: number
}

const maxTries = 4

/**
 * The same format in fewer bytes: by quality, or into so many bytes. It never gets larger.
 * @throws AppError CONVERSION_FAILED (`targetSize` is too small), INVALID_INPUT (its length is not known), and what
 * `transcode` throws.
 */
export async function compressMedia(
  work: EngineWork,
  source: CompressSource,
  target: string,
  tools: Tools,
): Promise<EngineResult> {
  const container = containerFor(work.to)
  const options = compressOptions(container).parse(work.options)
  const transcoding = { ...source, to: work.to, container, target }
  const { targetSize } = options
  if (targetSize === undefined) return compressByQuality(transcoding, options, source.size, tools)
  if (source.size <= targetSize) return returnUnchanged(source, target, tools)
  return compressToSize(transcoding, options, targetSize, tools)
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
      : qualityNumber(quality, { low: 64, medium: 96, high: 128, highest: 192 }),
  )
  const hasAudio = container.video.length > 0 && container.audio.length > 0 && media.audio.length > 0
  const options = {
    mode: 'encode',
    quality,
    ...preferSourceCodec(transcoding),
    ...(resolution !== undefined && { resolution }),
    ...(fps !== undefined && { fps }),
    ...(hasAudio && { audioBitrate: kbits * 1000 }),
  } as const
  const result = await transcode({ ...transcoding, options }, tools)
  if ((await stat(transcoding.target)).size < size) return result
  return returnUnchanged({ path: transcoding.path }, transcoding.target, tools)
}

/** Given back as it came, which is no failure: it was small already. */
async function returnUnchanged(
  { path }: { path: string },
  target: string,
  tools: Tools,
): Promise<EngineResult> {
  await copyFile(path, target)
  tools.warn('NOT_SMALLER', 'The file is as small as asked for already, and was left as it is.')
  tools.progress(1)
  return { files: [{ path: target }], method: 'stream-copy' }
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
    const sentence = `targetSize: the ${formatById(to).name} does not tell how long it is. Ask for a quality instead.`
    throw new AppError('INVALID_INPUT', sentence, { field: 'targetSize' })
  }
  const codecOption = preferSourceCodec(transcoding)
  let targetBytes = targetSize
  let reachedBytes = 0
  for (let tries = 0; tries < maxTries; tries++) {
    // Containers add some bytes to each packet.
    const bits = (targetBytes * 8 * 0.96) / durationS
    const budget = hasVideo(transcoding) ? videoBudget : audioBudget
    const budgetOptions = budget(bits, transcoding, options)
    if (!budgetOptions) break
    const result = await transcode({ ...transcoding, options: { ...budgetOptions, ...codecOption } }, tools)
    reachedBytes = (await stat(target)).size
    if (reachedBytes <= targetSize) return result
    // A little less than that, or the next try may miss by as little.
    targetBytes *= (targetSize / reachedBytes) * 0.97
  }
  throw targetTooSmallError(targetSize, reachedBytes, minBytes(transcoding, durationS))
}

/** To tell the client what can be asked for: near the least rate, encoders and containers take more than is asked. */
function minBytes(transcoding: TranscodingBase, durationS: number): number {
  return Math.ceil((minBitrate(transcoding) * durationS) / 8 / 0.75)
}

function targetTooSmallError(targetSize: number, reachedBytes: number, estimate: number): AppError {
  const least = Math.max(reachedBytes, estimate)
  const sentence = `targetSize: ${targetSize} bytes are too few for its length; about ${least} are needed. Allow more, or send a shorter part.`
  return new AppError('CONVERSION_FAILED', sentence, { field: 'targetSize', targetSize, least })
}

/** A better codec than the usual one of its container is kept, where it can be made again. */
export function preferSourceCodec({
  media,
  container,
}: {
  media: MediaInfo
  container: Container
}): CodecOption {
  const codec = media.video && codecIdByName(media.video.codec_name)
  return codec && container.video.includes(codec) ? { codec } : {}
}

type CodecOption = Pick<MediaOptions, 'codec'>
