import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metadata } from 'sharp'
import { AppError } from '../../errors.ts'
import type { Tools } from '../engine.ts'
import { pictureOptions } from '../image/options.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { type Picture, pixels } from './image.ts'
import { tellDensity } from './png-density.ts'

/** Formats that img2pdf embeds unchanged in a PDF. */
const embeddable = ['jpg', 'png', 'tiff']

/** EXIF orientations that img2pdf applies. It ignores mirrored ones, and every orientation of a TIFF. */
const turnedByImg2pdf = [1, 3, 6, 8]

/** Writes a PDF with one page per image or TIFF page and returns its path. @throws AppError CORRUPT_FILE. */
export async function picturesToPdf(
  pictures: readonly Picture[],
  outDir: string,
  tools: Tools,
): Promise<string> {
  const path = join(outDir, 'output.pdf')
  const failure = await writePages(path, await pagesOf(pictures, true, tools), tools)
  // An image that img2pdf refuses to embed, such as one with a zero resolution, may work once it is decoded.
  const again = failure && (await writePages(path, await pagesOf(pictures, false, tools), tools))
  if (!again) return path
  const sentence = 'The image is damaged, or of a kind that fits no PDF page.'
  throw new AppError('CORRUPT_FILE', sentence, undefined, { cause: again })
}

/** @param asTheyAre whether images are embedded without decoding where possible. */
async function pagesOf(pictures: readonly Picture[], asTheyAre: boolean, tools: Tools): Promise<string[]> {
  const sources: string[] = []
  for (const [index, picture] of pictures.entries()) {
    const { depth, hasAlpha, orientation = 1 } = picture.metadata
    const density = fittingDensity(picture.metadata)
    const turns = picture.format === 'tiff' ? [1] : turnedByImg2pdf
    const isPlain = depth === 'uchar' && !hasAlpha && density === undefined && turns.includes(orientation)
    const embeds = asTheyAre && embeddable.includes(picture.format) && isPlain && !(await isNegative(picture))
    sources.push(...(embeds ? [picture.path] : await asPngs(picture, index, tools, density)))
    tools.progress((index + 1) / (pictures.length + 1))
  }
  return sources
}

async function writePages(
  path: string,
  sources: readonly string[],
  tools: Tools,
): Promise<ProcessFailure | undefined> {
  try {
    // Ignore an invalid EXIF rotation, as viewers do.
    await tools.exec('img2pdf', ['--rotation=ifvalid', '--output', path, '--', ...sources])
    return undefined
  } catch (error) {
    if (error instanceof ProcessFailure) return error
    throw error
  }
}

/** Adobe's APP14 marker with its length. */
const markOfAdobe = Buffer.from('ffee000e41646f6265', 'hex')

/**
 * Whether a CMYK JPEG would come out inverted: without an Adobe marker, img2pdf does not invert the inks, while image
 * viewers always do.
 */
async function isNegative({ format, metadata, path }: Picture): Promise<boolean> {
  return format === 'jpg' && metadata.space === 'cmyk' && !(await readFile(path)).includes(markOfAdobe)
}

/** Page side limits in points: 3 is img2pdf's minimum, 14,400 the maximum of PDF readers (ISO 32000-1, annex C). */
const [leastSide, mostSide] = [3, 14_400]
/** img2pdf's default for images without a density. */
const usualDensity = 96

/** Density in dpi at which a very thin or very large image fits a page; undefined if its own density does. */
export function fittingDensity(metadata: Pick<Metadata, 'width' | 'height' | 'density'>): number | undefined {
  const { width, height, density = usualDensity } = metadata
  const most = (Math.min(width, height) * 72) / leastSide
  const least = (Math.max(width, height) * 72) / mostSide
  if (least > most || (density >= least && density <= most)) return undefined
  // Keep 1 % off the bound: files store the density rounded, in dots per meter.
  return density < least ? least * 1.01 : most * 0.99
}

/** Decodes each page to a lossless PNG, rendered as for JPEG: opaque on white, 8 bits per channel. */
async function asPngs(
  picture: Picture,
  index: number,
  tools: Tools,
  density = picture.metadata.density ?? usualDensity,
): Promise<string[]> {
  const pages = picture.format === 'tiff' ? picture.pages : 1
  const paths: string[] = []
  for (let page = 0; page < pages; page++) {
    const path = join(tools.workDir, `embed-${index}-${page}.png`)
    const image = await pixels(picture, 'jpg', { page, options: pictureOptions({}) })
    await image.png({ compressionLevel: 3 }).toFile(path)
    await tellDensity(path, density)
    paths.push(path)
  }
  return paths
}
