import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metadata } from 'sharp'
import { AppError } from '../../errors.ts'
import type { EngineWork, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { parseImageOptions } from '../shared/image/options.ts'
import { noUnit, readResolutionUnit, setExifDensity } from './exif-fields.ts'
import { renderImage, type SourceImage } from './image.ts'
import { isDensityInCentimeters, replaceJfifDensity } from './jfif-density.ts'
import { buildPaperArgs } from './pdf-paper.ts'
import { setPngDensity } from './png-density.ts'
import { readPngHead } from './png-head.ts'

/** Formats that img2pdf embeds unchanged in a PDF. */
const embeddableFormats = ['jpg', 'png', 'tiff']

/** EXIF orientations that img2pdf applies. It ignores mirrored orientations, and every orientation of a TIFF. */
const orientationsOfImg2pdf = [1, 3, 6, 8]

/**
 * Writes a PDF with one page per image or TIFF page and returns its path.
 * @throws AppError CORRUPT_FILE, INVALID_INPUT.
 */
export async function imagesToPdf(
  images: readonly SourceImage[],
  { outDir, options }: Pick<EngineWork, 'outDir' | 'options'>,
  tools: Tools,
): Promise<string> {
  const path = join(outDir, 'output.pdf')
  const args = [...buildPaperArgs(options), '--output', path]
  const failure = await runImg2pdf(args, await preparePages(images, true, tools), tools)
  // An image that img2pdf refuses to embed, such as one with a zero resolution, may work once it is decoded.
  const secondFailure = failure && (await runImg2pdf(args, await preparePages(images, false, tools), tools))
  if (!secondFailure) return path
  const message = 'The image is damaged or cannot be placed on a PDF page.'
  throw new AppError('CORRUPT_FILE', message, undefined, { cause: secondFailure })
}

/** Returns paths of files that img2pdf can read. @param mayEmbed whether to use images without decoding if possible. */
async function preparePages(
  images: readonly SourceImage[],
  mayEmbed: boolean,
  tools: Tools,
): Promise<string[]> {
  const paths: string[] = []
  for (const [index, source] of images.entries()) {
    const { depth, hasAlpha, orientation = 1 } = source.metadata
    const declaredDensity = await readDensity(source)
    const density = choosePageDensity(source.metadata, declaredDensity)
    const appliedOrientations = source.format === 'tiff' ? [1] : orientationsOfImg2pdf
    const isPlain =
      depth === 'uchar' && !hasAlpha && density === undefined && appliedOrientations.includes(orientation)
    const canEmbed =
      mayEmbed && embeddableFormats.includes(source.format) && isPlain && !(await hasInvertedInks(source))
    if (canEmbed) paths.push(await findEmbeddablePath(source, index, tools))
    else
      paths.push(...(await decodeToPngs(source, index, tools, density ?? declaredDensity ?? defaultDensity)))
    tools.progress((index + 1) / (images.length + 1))
  }
  return paths
}

/**
 * Returns a path that can be embedded. img2pdf reads a resolution without a unit as pixels per inch, and ignores dots
 * per centimeter, so a copy of such a JPEG declares the resolution in pixels per inch.
 */
async function findEmbeddablePath(source: SourceImage, index: number, tools: Tools) {
  const { path, format, metadata } = source
  if (format !== 'jpg') return path
  const density = await readDensity(source)
  const hasNoUnit = metadata.exif !== undefined && density === undefined
  const isMetric = density !== undefined && (await isDensityInCentimeters(path))
  if (!hasNoUnit && !isMetric) return path
  const bytes = await readFile(path)
  const copyPath = join(tools.workDir, `embed-${index}.jpg`)
  // Avoids `copyFile`, which would copy the read-only mode of the file.
  await writeFile(copyPath, isMetric ? replaceJfifDensity(bytes, Math.round(density)) : bytes)
  if (hasNoUnit) await setExifDensity(copyPath, defaultDensity)
  return copyPath
}

async function runImg2pdf(
  args: readonly string[],
  paths: readonly string[],
  tools: Tools,
): Promise<ProcessFailure | undefined> {
  try {
    // Ignores an invalid EXIF rotation, as viewers do.
    await tools.exec('img2pdf', ['--rotation=ifvalid', ...args, '--', ...paths])
    return undefined
  } catch (error) {
    if (error instanceof ProcessFailure) return error
    throw error
  }
}

/**
 * Returns the density of an image in dpi. libvips takes values without a unit, which only tell the shape of a pixel,
 * for pixels per millimeter.
 */
async function readDensity({ path, format, metadata }: SourceImage): Promise<number | undefined> {
  const { density, exif, resolutionUnit } = metadata
  const hasUnit =
    format === 'png'
      ? (await readPngHead(path)).get('pHYs')?.at(-1) !== 0
      : format === 'tiff'
        ? resolutionUnit !== undefined
        : !exif || (await readResolutionUnit(exif)) !== noUnit
  return hasUnit ? density : undefined
}

/** Adobe's APP14 marker with its length. */
const adobeMarker = Buffer.from('ffee000e41646f6265', 'hex')

/**
 * Whether a CMYK JPEG would come out inverted: without an Adobe marker, img2pdf does not invert the inks, while image
 * viewers always do.
 */
async function hasInvertedInks({ format, metadata, path }: SourceImage): Promise<boolean> {
  return format === 'jpg' && metadata.space === 'cmyk' && !(await readFile(path)).includes(adobeMarker)
}

/** Page side limits in points: 3 is img2pdf's minimum, 14,400 the maximum of PDF readers (ISO 32000-1, annex C). */
const [minSidePt, maxSidePt] = [3, 14_400]
/** img2pdf's default for images without a density. */
const defaultDensity = 96

/**
 * Returns the density in dpi at which a very thin or very large image fits a page; undefined if it fits at its own
 * density.
 */
function choosePageDensity(
  { width, height }: Pick<Metadata, 'width' | 'height'>,
  density = defaultDensity,
): number | undefined {
  const maxDensity = (Math.min(width, height) * 72) / minSidePt
  const minDensity = (Math.max(width, height) * 72) / maxSidePt
  if (minDensity > maxDensity || (density >= minDensity && density <= maxDensity)) return undefined
  // Keeps a distance of 1 % from the limit, because files store the density rounded, in dots per meter.
  return density < minDensity ? minDensity * 1.01 : maxDensity * 0.99
}

/** Decodes each page to a lossless PNG, rendered as for JPEG: opaque on white, 8 bits per channel. */
async function decodeToPngs(
  source: SourceImage,
  index: number,
  tools: Tools,
  density: number,
): Promise<string[]> {
  const pages = source.format === 'tiff' ? source.pages : 1
  const paths: string[] = []
  for (let page = 0; page < pages; page++) {
    const path = join(tools.workDir, `embed-${index}-${page}.png`)
    const image = await renderImage(source, 'jpg', { page, options: parseImageOptions({}) })
    await image.png({ compressionLevel: 3 }).toFile(path)
    await setPngDensity(path, density)
    paths.push(path)
  }
  return paths
}
