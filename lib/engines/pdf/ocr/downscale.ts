import { join } from 'node:path'
import type { Tools } from '../../engine.ts'

/** Pixels per inch at which letters are read, and from which on pictures are made coarser. */
const [readable, tooFine] = [300, 450]
/** Pixels of a picture; smaller ones are read soon enough as they are. */
const large = 20_000_000

/**
 * Pages of very fine pictures, as printers' programs make them, take Tesseract minutes each and are read no better for
 * it.
 * @returns the path itself where no picture is like that.
 */
export async function coarser(path: string, tools: Tools): Promise<string> {
  if (!(await hasFinePictures(path, tools))) return path
  tools.warn(
    'PICTURES_REDUCED',
    `The pages are pictures of more than ${tooFine} pixels per inch. They were reduced to ${readable}, at which their text is read.`,
  )
  const out = join(tools.workDir, 'coarser.pdf')
  const reduced = ['Color', 'Gray', 'Mono'].flatMap((kind) => [
    `-dDownsample${kind}Images=true`,
    `-d${kind}ImageResolution=${readable}`,
    `-d${kind}ImageDownsampleThreshold=${tooFine / readable}`,
  ])
  const means = ['-dColorImageDownsampleType=/Average', '-dGrayImageDownsampleType=/Average']
  await tools.exec('gs', [
    ...['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pdfwrite', '-dAutoRotatePages=/None'],
    ...[...reduced, ...means, '-o', out, path],
  ])
  return out
}

async function hasFinePictures(path: string, tools: Tools): Promise<boolean> {
  const { stdout } = await tools.exec('pdfimages', ['-list', path])
  return stdout.split('\n').some((line) => {
    // Page, number, type, width, height, color, components, bits, encoding, smoothed, object and generation, density.
    const fields = line.trim().split(/\s+/)
    const [width, height, dpi] = [fields[3], fields[4], fields[12]].map(Number)
    return (dpi ?? 0) > tooFine && (width ?? 0) * (height ?? 0) > large
  })
}
