import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, OutputFile, Tools } from '../engine.ts'
import { thumbnailCount, thumbnailRows } from '../image/thumbnail-options.ts'
import { thumbnailTargetOf, writeThumbnail } from '../vips/thumbnail.ts'
import { extractFrame, findRepresentativeFrame, frameTimes, openVideo } from './extract-frames.ts'
import { timestampOption } from './options.ts'
import type { VideoSize } from './video-filters.ts'

const shape = {
  timestamp: timestampOption
    .optional()
    .describe(
      'Where in the film, as HH:MM:SS.ms or seconds; the first, where count asks for several. About a third in when left out, where there is something to see.',
    ),
  count: thumbnailCount.describe('So many pictures, evenly over the film.'),
}
const VideoThumbnailOptions = z.object(shape)

export const videoThumbnailRows = (from: readonly FormatId[]) => thumbnailRows(from, shape, 0.5)

/**
 * Pictures out of a film.
 * @throws AppError UNSUPPORTED_CONVERSION (no picture in it), INVALID_INPUT (`timestamp` is behind its end), CORRUPT_FILE;
 * ProcessFailure.
 */
export async function thumbnailVideo(
  work: EngineWork,
  input: InputFile,
  tools: Tools,
): Promise<EngineResult> {
  const { timestamp, count } = VideoThumbnailOptions.parse(work.options)
  const video = await openVideo(input, work, timestamp, tools)
  const to = thumbnailTargetOf(work.to)
  const files: OutputFile[] = []
  let size: VideoSize | undefined
  for (const [index, atS] of frameTimes(video, timestamp, count).entries()) {
    tools.signal.throwIfAborted()
    const framePath =
      atS === undefined
        ? await findRepresentativeFrame(video, tools)
        : await extractFrame(video, atS, index, tools)
    const suffix = `-${String(index + 1).padStart(3, '0')}`
    const target = join(work.outDir, `output${suffix}.${to}`)
    const image = { ...input, path: framePath, format: 'png' } as const
    size = await writeThumbnail(image, { to, path: target, options: work.options }, tools)
    await rm(framePath)
    files.push(count > 1 ? { path: target, suffix } : { path: target })
    tools.progress((0.95 * (index + 1)) / count)
  }
  tools.progress(1)
  const [first, ...rest] = files
  if (!first) throw new Error('A film was asked for no picture.')
  return { files: [first, ...rest], details: { ...size, durationS: video.lengthS } }
}
