import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, OutputFile, Tools } from '../engine.ts'
import { createThumbnailRows, thumbnailCount } from '../shared/image/thumbnail-options.ts'
import { toThumbnailTarget, writeThumbnail } from '../vips/thumbnail.ts'
import { chooseFrameTimes, extractFrame, findRepresentativeFrame, openVideo } from './extract-frames.ts'
import { timestampOption } from './options.ts'
import type { VideoSize } from './video-filters.ts'

const shape = {
  timestamp: timestampOption
    .optional()
    .describe(
      'Time of the frame, as HH:MM:SS.ms or seconds; if count is more than 1, the time of the first frame. Defaults to a frame that is not blank, about a third into the video.',
    ),
  count: thumbnailCount.describe('Number of images, evenly spaced over the video.'),
}
const VideoThumbnailOptions = z.object(shape)

export const createVideoThumbnailRows = (from: readonly FormatId[]) => createThumbnailRows(from, shape, 0.5)

/**
 * Creates thumbnails of a video.
 * @throws AppError UNSUPPORTED_CONVERSION (no video track), INVALID_INPUT (`timestamp` is after the end), CORRUPT_FILE;
 * ProcessFailure.
 */
export async function thumbnailVideo(
  work: EngineWork,
  input: InputFile,
  tools: Tools,
): Promise<EngineResult> {
  const { timestamp, count } = VideoThumbnailOptions.parse(work.options)
  const video = await openVideo(input, work, timestamp, tools)
  const to = toThumbnailTarget(work.to)
  const files: OutputFile[] = []
  let size: VideoSize | undefined
  for (const [index, atS] of chooseFrameTimes(video, timestamp, count).entries()) {
    tools.signal.throwIfAborted()
    const framePath =
      atS === undefined
        ? await findRepresentativeFrame(video, tools)
        : await extractFrame(video, atS, index, tools)
    const suffix = `-${String(index + 1).padStart(3, '0')}`
    const targetPath = join(work.outDir, `output${suffix}.${to}`)
    const image = { ...input, path: framePath, format: 'png' } as const
    size = await writeThumbnail(image, { to, path: targetPath, options: work.options }, tools)
    await rm(framePath)
    files.push(count > 1 ? { path: targetPath, suffix } : { path: targetPath })
    tools.progress((0.95 * (index + 1)) / count)
  }
  tools.progress(1)
  const [firstFile, ...rest] = files
  if (!firstFile) throw new Error('A thumbnail was requested without any frames.')
  return { files: [firstFile, ...rest], details: { ...size, durationS: video.lengthS } }
}
