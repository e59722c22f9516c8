import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metadata } from 'sharp'
import { AppError } from '../../errors.ts'
import type { Tools } from '../engine.ts'
import { pictureOptions } from '../image/options.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { type Picture, pixels } from './image.ts'
import { tellDensity } from './png-density.ts'

/** Formats that img2pdf puts into a PDF as they are, without touching a pixel. */
const embeddable = ['jpg', 'png', 'tiff']

/** Orientations of EXIF that are no mirror images, which it drops, as it drops all of a TIFF. */
const turnedByImg2pdf = [1, 3, 6, 8]

/** One PDF with a page per picture, and per page of a TIFF; its path. @throws AppError CORRUPT_FILE. */
export async function picturesToPdf(
  pictures: readonly Picture[],
  outDir: string,
  tools: Tools,
): Promise<string> {
  const path = join(outDir, 'output.pdf')
  const failure = await writePages(path, await pagesOf(pictures, true, tools), tools)
  // What it does not take as it is, as a resolution of none on one side, may do as pixels.
  const again = failure && (await writePages(path, await pagesOf(pictures, false, tools), tools))
  if (!again) return path
  const sentence = 'The image is damaged, or of a kind that fits no PDF page.'
  throw new AppError('CORRUPT_FILE', sentence, undefined, { cause: again })
}

/** @param asTheyAre pictures are not decoded where that does. */
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
    // A wrong EXIF rotation is ignored, as viewers do.
    await tools.exec('img2pdf', ['--rotation=ifvalid', '--output', path, '--', ...sources])
    return undefined
  } catch (error) {
    if (error instanceof ProcessFailure) return error
    throw error
  }
}

/** APP14 with its length, which tells that a JPEG was made by the rules of Adobe. */
const markOfAdobe = Buffer.from('ffee000e41646f6265', 'hex')

/**
 * img2pdf takes the inks of a JPEG as they are where it has no mark of Adobe; all that show pictures turn them around
 * with or without it.
 */
async function isNegative({ format, metadata, path }: Picture): Promise<boolean> {
  return format === 'jpg' && metadata.space === 'cmyk' && !(await readFile(path)).includes(markOfAdobe)
}

/** Sides of a page in points: 3 by img2pdf, and the most that readers take (ISO 32000-1, annex C). */
const [leastSide, mostSide] = [3, 14_400]
/** Of a picture that does not tell it, as img2pdf has it. */
const usualDensity = 96

/** Dots per inch at which a picture that is a line, or very large, has a page; undefined where its own will do. */
export function fittingDensity(metadata: Pick<Metadata, 'width' | 'height' | 'density'>): number | undefined {
  const { width, height, density = usualDensity } = metadata
  const most = (Math.min(width, height) * 72) / leastSide
  const least = (Math.max(width, height) * 72) / mostSide
  if (least > most || (density >= least && density <= most)) return undefined
  // Not quite at the bound: files tell it in dots per meter.
  return density < least ? least * 1.01 : most * 0.99
}

/** Paper is white and has 8 bits, which are the traits of a JPEG; the pixels themselves stay exact. */
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
