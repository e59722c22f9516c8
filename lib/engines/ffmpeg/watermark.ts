import { join } from 'node:path'
import { defined } from '../../validation/defined.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { createOverlay, createWatermark, type WatermarkOverlay } from '../shared/image/watermark.ts'
import { parseWatermarkOptions } from '../shared/image/watermark-options.ts'
import { loadSharp } from '../vips/image.ts'
import { type CompressSource, preferSourceCodec } from './compress.ts'
import { videoWatermarkOptions } from './options.ts'
import { createMissingStreamError } from './probe.ts'
import { getContainer, transcode } from './transcode.ts'
import type { Overlay } from './video-filters.ts'
import { chooseVideoSize } from './video-stream.ts'

/**
 * Draws a text or an image over a whole video. ffmpeg gets a rendered image, so that no text of a client becomes part
 * of a filter graph.
 * @throws AppError UNSUPPORTED_CONVERSION (no video track), INVALID_INPUT, and what `transcode` throws.
 */
export async function watermarkVideo(
  work: EngineWork,
  source: CompressSource,
  targetPath: string,
  tools: Tools,
): Promise<EngineResult> {
  const { media, from } = source
  if (!media.video) throw createMissingStreamError('video track', from, work.to)
  const watermark = await createWatermark(parseWatermarkOptions(work.options), work.inputs[1])
  const container = getContainer(work.to)
  const { quality, preset } = videoWatermarkOptions.parse(work.options)
  const options = { mode: 'auto', quality, preset, ...preferSourceCodec({ media, container }) } as const
  const sheet = createOverlay(chooseVideoSize(media.video, container, options), watermark)
  const overlay = sheet && (await drawOverlay(sheet, tools))
  return transcode(
    { ...source, to: work.to, container, target: targetPath, options, ...defined({ overlay }) },
    tools,
  )
}

async function drawOverlay({ svg, left, top }: WatermarkOverlay, tools: Tools): Promise<Overlay> {
  const sharp = await loadSharp()
  const path = join(tools.workDir, 'watermark.png')
  // `unlimited`: an embedded image may exceed the parser's limit for untrusted XML, but this SVG is generated here.
  await sharp(Buffer.from(svg), { unlimited: true }).png().toFile(path)
  return { path, left, top }
}
