import { join } from 'node:path'
import type { Tools } from '../../engine.ts'

/** Resolution at which text is read, and resolution above which images are downscaled, in pixels per inch. */
const [targetDpi, maxDpi] = [300, 450]
/** Images with fewer pixels than this are read fast enough. */
const maxPixels = 20_000_000

/**
 * Downscales very fine page images, such as those from print shops: Tesseract needs minutes for each of them and reads
 * them no better.
 * @returns the original path when no image is that fine.
 */
export async function downscaleFineImages(path: string, tools: Tools): Promise<string> {
  if (!(await hasFineImages(path, tools))) return path
  tools.warn(
    'PICTURES_REDUCED',
    `The page images have more than ${maxDpi} pixels per inch. They were downscaled to ${targetDpi} for OCR.`,
  )
  const outputPath = join(tools.workDir, 'coarser.pdf')
  const downscaleArgs = ['Color', 'Gray', 'Mono'].flatMap((kind) => [
    `-dDownsample${kind}Images=true`,
    `-d${kind}ImageResolution=${targetDpi}`,
    `-d${kind}ImageDownsampleThreshold=${maxDpi / targetDpi}`,
  ])
  const averagingArgs = ['-dColorImageDownsampleType=/Average', '-dGrayImageDownsampleType=/Average']
  await tools.exec('gs', [
    ...['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pdfwrite', '-dAutoRotatePages=/None'],
    ...[...downscaleArgs, ...averagingArgs, '-o', outputPath, path],
  ])
  return outputPath
}

async function hasFineImages(path: string, tools: Tools): Promise<boolean> {
  const { stdout } = await tools.exec('pdfimages', ['-list', path])
  return stdout.split('\n').some((line) => {
    // Columns: page, number, type, width, height, color, components, bits, encoding, …, object, …, density.
    const fields = line.trim().split(/\s+/)
    const [width, height, dpi] = [fields[3], fields[4], fields[12]].map(Number)
    return (dpi ?? 0) > maxDpi && (width ?? 0) * (height ?? 0) > maxPixels
  })
}
