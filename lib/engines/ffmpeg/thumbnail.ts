import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, OutputFile, Tools } from '../engine.ts'
import { thumbnailCount, thumbnailRows } from '../image/thumbnail-options.ts'
import { thumbnailTargetOf, writeThumbnail } from '../vips/thumbnail.ts'
import { time } from './options.ts'
import type { Size } from './video-filters.ts'
import { openFilm, sensibleStill, stillAt, timesOf } from './video-still.ts'

const shape = {
  timestamp: time
    .optional()
    .describe(
      'Where in the film, as HH:MM:SS.ms or seconds; the first, where count asks for several. About a third in when left out, where there is something to see.',
    ),
  count: thumbnailCount.describe('So many pictures, evenly over the film.'),
}
const FilmOptions = z.object(shape)

export const filmThumbnailRows = (from: readonly FormatId[]) => thumbnailRows(from, shape, 0.5)

/**
 * Pictures out of a film.
 * @throws AppError UNSUPPORTED_CONVERSION (no picture in it), INVALID_INPUT (`timestamp` is behind its end), CORRUPT_FILE;
 * ProcessFailure.
 */
export async function thumbnailFilm(work: EngineWork, input: InputFile, tools: Tools): Promise<EngineResult> {
  const { timestamp, count } = FilmOptions.parse(work.options)
  const film = await openFilm(input, work, timestamp, tools)
  const to = thumbnailTargetOf(work.to)
  const files: OutputFile[] = []
  let size: Size | undefined
  for (const [index, atS] of timesOf(film, timestamp, count).entries()) {
    tools.signal.throwIfAborted()
    const still =
      atS === undefined ? await sensibleStill(film, tools) : await stillAt(film, atS, index, tools)
    const suffix = `-${String(index + 1).padStart(3, '0')}`
    const target = join(work.outDir, `output${suffix}.${to}`)
    const picture = { ...input, path: still, format: 'png' } as const
    size = await writeThumbnail(picture, { to, path: target, options: work.options }, tools)
    await rm(still)
    files.push(count > 1 ? { path: target, suffix } : { path: target })
    tools.progress((0.95 * (index + 1)) / count)
  }
  tools.progress(1)
  const [first, ...rest] = files
  if (!first) throw new Error('A film was asked for no picture.')
  return { files: [first, ...rest], details: { ...size, durationS: film.lengthS } }
}
