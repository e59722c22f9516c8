import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { Tools } from '../engine.ts'
import { pictureOptions } from '../picture/options.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { type Picture, pixels } from './image.ts'

/** Formats that img2pdf puts into a PDF as they are, without touching a pixel. */
const embeddable = ['jpg', 'png', 'tiff']

/** One PDF with a page per picture, and per page of a TIFF; its path. @throws AppError CORRUPT_FILE. */
export async function picturesToPdf(
  pictures: readonly Picture[],
  outDir: string,
  tools: Tools,
): Promise<string> {
  const sources: string[] = []
  for (const [index, picture] of pictures.entries()) {
    const { depth, hasAlpha } = picture.metadata
    const embeds = embeddable.includes(picture.format) && depth === 'uchar' && !hasAlpha
    sources.push(...(embeds ? [picture.path] : await asPngs(picture, index, tools)))
    tools.progress((index + 1) / (pictures.length + 1))
  }
  const path = join(outDir, 'output.pdf')
  try {
    // A wrong EXIF rotation is ignored, as viewers do.
    await tools.exec('img2pdf', ['--rotation=ifvalid', '--output', path, '--', ...sources])
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    const sentence = 'The image is damaged, or of a kind that fits no PDF page.'
    throw new AppError('CORRUPT_FILE', sentence, undefined, { cause: error })
  }
  return path
}

/** Paper is white and has 8 bits, which are the traits of a JPEG; the pixels themselves stay exact. */
async function asPngs(picture: Picture, index: number, tools: Tools): Promise<string[]> {
  const pages = picture.format === 'tiff' ? picture.pages : 1
  const paths: string[] = []
  for (let page = 0; page < pages; page++) {
    const path = join(tools.workDir, `embed-${index}-${page}.png`)
    const image = await pixels(picture, 'jpg', { page, options: pictureOptions({}) })
    await image.png({ compressionLevel: 3 }).toFile(path)
    paths.push(path)
  }
  return paths
}
