import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../engine.ts'
import { pictureOptions, pictureShape } from '../image/options.ts'
import type { Size } from '../image/svg-layout.ts'
import { sheetOn, type Watermark, watermarkOf } from '../image/watermark.ts'
import { stampInputs, watermarkOptions, watermarkShape } from '../image/watermark-options.ts'
import { quality } from '../options.ts'
import { extensionOf, isPaged, joinPages } from './convert.ts'
import { writerOf } from './encoders.ts'
import { loadSharp, openPicture, type Picture, pixels } from './image.ts'
import { type PixelTargetId, pixelTargetOf } from './targets.ts'

const formats = [
  'jpg',
  'png',
  'webp',
  'gif',
  'apng',
  'tiff',
  'avif',
  'heic',
  'jxl',
  'bmp',
] as const satisfies readonly (FormatId & PixelTargetId)[]

const { metadata } = pictureShape
const Exact = z.object({ ...watermarkShape, metadata })
const Lossy = Exact.extend({ quality: quality.optional() })

export const watermarkRows: readonly Capability[] = formats.map((id) => ({
  operation: 'watermark',
  from: [id],
  to: [id],
  same: true,
  more: stampInputs,
  options: 'quality' in pixelTargetOf(id).options.shape ? Lossy : Exact,
  cost: 0.3,
}))

interface Marking {
  readonly picture: Picture
  readonly to: PixelTargetId
  readonly watermark: Watermark
  readonly options: unknown
  readonly tools: Tools
}

/**
 * Draws a text or another image over an image, over each page of a TIFF and over each frame of an animation.
 * @throws AppError INVALID_INPUT, CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function watermarkPicture(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input, stamp] = work.inputs
  const to = formats.find((id) => id === work.to)
  if (!input || !to) throw new Error(`vips was asked to mark ${work.to}, which it does not declare.`)
  const watermark = await watermarkOf(watermarkOptions(work.options), stamp)
  const picture = await openPicture(input, to, tools)
  tools.progress(0.3)
  const marking = { picture, to, watermark, options: work.options, tools }
  const path = join(work.outDir, `output.${extensionOf(to)}`)
  if (isPaged(picture)) {
    await writePages(marking, path)
    return { files: [{ path }], details: { pages: picture.pages } }
  }
  const moving = picture.pages > 1 && pixelTargetOf(to).holds === 'frames'
  const { width, height } = await write(marking, moving ? -1 : 0, path)
  return { files: [{ path }], details: { width, height, ...(moving && { frames: picture.pages }) } }
}

async function writePages(marking: Marking, path: string): Promise<void> {
  const { picture, to, tools } = marking
  const paths: string[] = []
  for (let page = 0; page < picture.pages; page++) {
    tools.signal.throwIfAborted()
    const file = join(tools.workDir, `marked-${page}.${extensionOf(to)}`)
    await write(marking, page, file)
    paths.push(file)
    tools.progress(0.3 + (0.6 * (page + 1)) / picture.pages, 'pages')
  }
  await joinPages(to, paths, path, tools)
}

/** @param page index of the page; -1 selects all frames, as a vertical strip. */
async function write(
  { picture, to, watermark, options, tools }: Marking,
  page: number,
  path: string,
): Promise<Size> {
  const moving = page === -1
  const surface = await sizeOf(picture, moving ? 0 : page)
  const kept = pictureOptions({ metadata: Exact.parse(options).metadata })
  const plain = await pixels(picture, to, { page, options: kept })
  const sheet = sheetOn(surface, watermark)
  const { svg, left, top } = sheet ?? { svg: '', left: 0, top: 0 }
  // An embedded image may exceed librsvg's limits for untrusted text; this SVG is our own.
  const layers = Array.from({ length: moving ? picture.pages : 1 }, (_, frame) => ({
    ...{ input: Buffer.from(svg), unlimited: true },
    ...{ left, top: top + frame * surface.height },
  }))
  const marked = sheet ? plain.composite(layers) : plain
  // Compositing the watermark added an alpha channel.
  const opaque = picture.metadata.hasAlpha ? marked : marked.removeAlpha()
  const encoded = pixelTargetOf(to).encode(opaque, options)
  // The original palette does not contain the colors of the watermark.
  const image = to === 'gif' ? encoded.gif({ reuse: false }) : encoded
  return writerOf(to)({ image, picture, moving, path, options, tools })
}

/** Size of the upright page. */
async function sizeOf({ path }: Picture, page: number): Promise<Size> {
  const sharp = await loadSharp()
  const { autoOrient } = await sharp(path, page > 0 ? { page } : {}).metadata()
  return autoOrient
}
