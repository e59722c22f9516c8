import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import type { Capability, EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { integer } from '../options.ts'
import { parseImageOptions } from '../shared/image/options.ts'
import { getExtension, parseImageView, writeImage } from '../vips/convert.ts'
import { loadSharp, openImage, warnAboutLosses } from '../vips/image.ts'
import { maxPixels } from '../vips/limits.ts'
import { getPixelTarget } from '../vips/targets.ts'
import {
  chooseFrameTimes,
  extractFrame,
  findRepresentativeFrame,
  openVideo,
  type VideoSource,
} from './extract-frames.ts'
import { timestampOption } from './options.ts'

const maxCellsPerSide = 12
/** Default cell width in pixels, so that a contact sheet has a reasonable size. */
const defaultCellWidth = 320
const maxSide = 30_000

const createGridOption = (otherSide: string) =>
  integer(1, maxCellsPerSide)
    .optional()
    .describe(
      `Number of ${otherSide} of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.`,
    )

const shape = {
  timestamp: timestampOption
    .optional()
    .describe(
      'Time of the frame, as HH:MM:SS.ms or seconds; for a contact sheet, the time of its first frame. Defaults to a frame that is not blank.',
    ),
  rows: createGridOption('rows'),
  columns: createGridOption('columns'),
}
const VideoFrameOptions = z.object(shape)

const targets = ['jpg', 'png'] as const
type Target = (typeof targets)[number]

export const createVideoImageRows = (from: readonly FormatId[]): readonly Capability[] =>
  targets.map((to) => ({
    operation: 'convert',
    from,
    to: [to],
    cost: 1,
    options: getPixelTarget(to).options.extend(shape),
  }))

/**
 * Extracts a frame of a video, or a contact sheet of several frames.
 * @throws AppError UNSUPPORTED_CONVERSION (no video track), INVALID_INPUT (`timestamp` is after the end),
 * FILE_TOO_LARGE (the contact sheet), CORRUPT_FILE; ProcessFailure.
 */
export async function videoToImage(work: EngineWork, input: InputFile, tools: Tools): Promise<EngineResult> {
  const to = targets.find((target) => target === work.to)
  if (!to) throw new Error(`Frames cannot be extracted as ${work.to}.`)
  const { timestamp, ...grid } = VideoFrameOptions.parse(work.options)
  const video = await openVideo(input, work, timestamp, tools)
  const rows = grid.rows ?? grid.columns ?? 1
  const columns = grid.columns ?? grid.rows ?? 1
  const times = chooseFrameTimes(video, timestamp, rows * columns)
  const imagePath =
    times.length > 1
      ? await drawContactSheet(
          video,
          { times, columns, rows, width: parseImageOptions(work.options).width },
          tools,
        )
      : await extractSingleFrame(video, times[0], tools)
  const path = join(work.outDir, `output.${getExtension(to)}`)
  const size = await renderImage({ ...input, path: imagePath, format: 'png' }, { to, path, work }, tools)
  tools.progress(1)
  return { files: [{ path }], details: { ...size, pictures: times.length, durationS: video.lengthS } }
}

const extractSingleFrame = (video: VideoSource, atS: number | undefined, tools: Tools) =>
  atS === undefined ? findRepresentativeFrame(video, tools) : extractFrame(video, atS, 0, tools)

async function renderImage(
  frame: InputFile,
  { to, path, work }: { to: Target; path: string; work: EngineWork },
  tools: Tools,
) {
  if (parseImageOptions(work.options).metadata === 'keep')
    tools.warn('METADATA_NOT_KEPT', 'metadata=keep has no effect: the frames of a video have no metadata.')
  const image = await openImage(frame, to, tools, work.options)
  await warnAboutLosses(image, to, parseImageView(work.options), tools)
  return writeImage(image, to, { page: 0, path, options: work.options }, tools)
}

interface ContactSheet {
  /** Times of the cells in seconds, row by row. */
  readonly times: readonly (number | undefined)[]
  readonly rows: number
  readonly columns: number
  /** Requested width in pixels. */
  readonly width: number | undefined
}

async function drawContactSheet(
  video: VideoSource,
  { times, rows, columns, width }: ContactSheet,
  tools: Tools,
): Promise<string> {
  const sharp = await loadSharp()
  const cells: Buffer[] = []
  let cell = { width: 0, height: 0 }
  for (const [index, atS = 0] of times.entries()) {
    tools.signal.throwIfAborted()
    const frame = await extractFrame(video, atS, index, tools)
    // All cells have the size of the first, so that rows and columns are aligned.
    const box =
      index > 0 ? cell : { width: width === undefined ? defaultCellWidth : Math.ceil(width / columns) }
    const { data, info } = await sharp(frame)
      .resize({
        ...box,
        fit: 'fill',
        ...(index === 0 && { fit: 'inside' as const, withoutEnlargement: true }),
      })
      .png({ compressionLevel: 1 })
      .toBuffer({ resolveWithObject: true })
    await rm(frame)
    cell = { width: info.width, height: info.height }
    if (index === 0) requireSheetSize(cell.width * columns, cell.height * rows)
    cells.push(data)
    tools.progress((0.9 * (index + 1)) / times.length, 'stills')
  }
  const path = join(tools.workDir, 'sheet.png')
  const sheet = { width: cell.width * columns, height: cell.height * rows }
  await sharp({ create: { ...sheet, channels: 4, background: '#00000000' } })
    .composite(
      cells.map((input, index) => ({
        input,
        left: (index % columns) * cell.width,
        top: Math.floor(index / columns) * cell.height,
      })),
    )
    .png({ compressionLevel: 1 })
    .toFile(path)
  return path
}

function requireSheetSize(width: number, height: number): void {
  if (width <= maxSide && height <= maxSide && width * height <= maxPixels) return
  const message = `The contact sheet would have ${width} × ${height} pixels, which is more than allowed. Use a smaller width or fewer rows and columns.`
  throw new AppError('FILE_TOO_LARGE', message, { width, height, maxSide, maxPixels })
}
