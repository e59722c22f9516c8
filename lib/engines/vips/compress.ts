import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../engine.ts'
import { integer, type QualityScale, quality, toQualityNumber } from '../options.ts'
import { compressedFormats, type Effort, recompressImage } from './compress-formats.ts'
import { type CompressionAttempt, compressToSize, maxCompressionAttempts } from './compress-to-size.ts'
import { openImage } from './image.ts'

const CompressOptions = z.object({
  quality: quality.optional(),
  targetSize: integer(200, 2_000_000_000)
    .optional()
    .describe('Maximum size of the result in bytes; quality and then dimensions are reduced until it fits.'),
})

const scale: QualityScale = { low: 40, medium: 60, high: 75, highest: 90 }

export const compressImageRows: readonly Capability[] = compressedFormats.map((id) => ({
  operation: 'compress',
  from: [id],
  to: [id],
  same: true,
  options: CompressOptions,
  cost: 1,
}))

/** Recompresses an image; returns the original if that is smaller. */
export async function compressImage(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  const to = compressedFormats.find((id) => id === work.to)
  if (!input || !to) throw new Error(`vips does not support compressing ${work.to}.`)
  const options = CompressOptions.parse(work.options)
  const { targetSize } = options
  const source = await openImage(input, to, tools)
  let count = 0
  const attempt = async (effort: Effort): Promise<CompressionAttempt> => {
    tools.signal.throwIfAborted()
    const path = join(tools.workDir, `attempt-${count++}.${to}`)
    await recompressImage({ source, input, to, path, effort, tools })
    tools.progress(
      Math.min(0.9, 0.1 + (0.8 * count) / (targetSize === undefined ? 1 : 2 * maxCompressionAttempts)),
    )
    return { path, size: (await stat(path)).size }
  }
  const originalAttempt: CompressionAttempt = { path: input.path, size: input.size }
  const requestedQuality = toQualityNumber(options.quality ?? 'medium', scale)
  const result =
    targetSize === undefined
      ? await attempt({ quality: requestedQuality, scale: 1 })
      : input.size <= targetSize
        ? originalAttempt
        : await compressToSize(targetSize, options.quality === undefined ? 95 : requestedQuality, attempt)
  const bestAttempt = result.size < originalAttempt.size ? result : originalAttempt
  warnAboutSize(bestAttempt, originalAttempt, to, targetSize, tools)
  const path = join(work.outDir, `output.${to}`)
  await copyFile(bestAttempt.path, path)
  const targetFacts = targetSize === undefined ? {} : { targetSize, reached: bestAttempt.size <= targetSize }
  return {
    files: [{ path }],
    details: { sizeBefore: originalAttempt.size, sizeAfter: bestAttempt.size, ...targetFacts },
  }
}

function warnAboutSize(
  bestAttempt: CompressionAttempt,
  originalAttempt: CompressionAttempt,
  to: FormatId,
  targetSize: number | undefined,
  tools: Tools,
): void {
  if (targetSize !== undefined && bestAttempt.size > targetSize) {
    const message = `The ${to} image could not be reduced to ${targetSize} bytes: the smallest possible result has ${bestAttempt.size} bytes.`
    tools.warn('TARGET_NOT_REACHED', message)
  } else if (bestAttempt === originalAttempt && targetSize === undefined) {
    const message = `The ${to} image could not be made smaller, so it is returned unchanged.`
    tools.warn('NOT_SMALLER', message)
  }
}
