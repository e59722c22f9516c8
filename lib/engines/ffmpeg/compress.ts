import { copyFile, stat } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { qualityNumber } from '../options.ts'
import { hasPicture, leastRate, soundBudget, videoBudget } from './bitrate-budget.ts'
import { codecIdOf } from './codecs.ts'
import type { Container } from './containers.ts'
import { type CompressOptions, compressOptions, type MediaOptions } from './options.ts'
import type { Media } from './probe.ts'
import { containerOf, type Transcoding, transcode } from './transcode.ts'

export interface Source {
  readonly path: string
  readonly from: FormatId
  readonly media: Media
  readonly size: number
}

const maxTries = 4

/**
 * The same format in fewer bytes: by quality, or into so many bytes. It never gets larger.
 * @throws AppError CONVERSION_FAILED (`targetSize` is too small), INVALID_INPUT (its length is not known), and what
 * `transcode` throws.
 */
export async function compress(
  work: EngineWork,
  source: Source,
  target: string,
  tools: Tools,
): Promise<EngineResult> {
  const container = containerOf(work.to)
  const options = compressOptions(container).parse(work.options)
  const transcoding = { ...source, to: work.to, container, target }
  const { targetSize } = options
  if (targetSize === undefined) return byQuality(transcoding, options, source.size, tools)
  if (source.size <= targetSize) return unchanged(source, target, tools)
  return intoSize(transcoding, options, targetSize, tools)
}

type Unrated = Omit<Transcoding, 'options'>

async function byQuality(
  transcoding: Unrated,
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
  const sound = container.video.length > 0 && container.audio.length > 0 && media.audio.length > 0
  const options = {
    mode: 'encode',
    quality,
    ...ownCodec(transcoding),
    ...(resolution !== undefined && { resolution }),
    ...(fps !== undefined && { fps }),
    ...(sound && { audioBitrate: kbits * 1000 }),
  } as const
  const result = await transcode({ ...transcoding, options }, tools)
  if ((await stat(transcoding.target)).size < size) return result
  return unchanged({ path: transcoding.path }, transcoding.target, tools)
}

/** Given back as it came, which is no failure: it was small already. */
async function unchanged({ path }: { path: string }, target: string, tools: Tools): Promise<EngineResult> {
  await copyFile(path, target)
  tools.warn('NOT_SMALLER', 'The file is as small as asked for already, and was left as it is.')
  tools.progress(1)
  return { files: [{ path: target }], method: 'stream-copy' }
}

async function intoSize(
  transcoding: Unrated,
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
  const own = ownCodec(transcoding)
  let wanted = targetSize
  let reached = 0
  for (let tries = 0; tries < maxTries; tries++) {
    // Containers add some bytes to each packet.
    const bits = (wanted * 8 * 0.96) / durationS
    const budget = hasPicture(transcoding) ? videoBudget : soundBudget
    const rated = budget(bits, transcoding, options)
    if (!rated) break
    const result = await transcode({ ...transcoding, options: { ...rated, ...own } }, tools)
    reached = (await stat(target)).size
    if (reached <= targetSize) return result
    // A little less than that, or the next try may miss by as little.
    wanted *= (targetSize / reached) * 0.97
  }
  throw tooSmall(targetSize, reached, leastBytes(transcoding, durationS))
}

/** To tell the client what can be asked for: near the least rate, encoders and containers take more than is asked. */
function leastBytes(transcoding: Unrated, durationS: number): number {
  return Math.ceil((leastRate(transcoding) * durationS) / 8 / 0.75)
}

function tooSmall(targetSize: number, reached: number, estimate: number): AppError {
  const least = Math.max(reached, estimate)
  const sentence = `targetSize: ${targetSize} bytes are too few for its length; about ${least} are needed. Allow more, or send a shorter part.`
  return new AppError('CONVERSION_FAILED', sentence, { field: 'targetSize', targetSize, least })
}

/** A better codec than the usual one of its container is kept, where it can be made again. */
export function ownCodec({ media, container }: { media: Media; container: Container }): Codec {
  const codec = media.video && codecIdOf(media.video.codec_name)
  return codec && container.video.includes(codec) ? { codec } : {}
}

type Codec = Pick<MediaOptions, 'codec'>
