import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { view } from '../../formats/detect/byte-source.ts'
import type { InputFile, Tools } from '../engine.ts'
import {
  chooseTonalRange,
  SampleCollector,
  type SampleStats,
  scaleSample,
} from '../shared/image/sample-range.ts'
import { loadSharp } from '../vips/image.ts'
import { normalizeTiff } from '../vips/tiff-extra-planes.ts'
import { writeFitsImage } from './fits.ts'
import { runMagick } from './run.ts'
import type { MagickSourceId } from './sources.ts'

/** A file that ImageMagick reads correctly, with extra arguments if needed. */
interface NormalizedInput {
  readonly from: MagickSourceId
  readonly input: InputFile
  readonly args?: readonly string[]
}

/** Works around bugs of ImageMagick's decoders before the conversion. */
export async function normalizeInput(
  from: MagickSourceId,
  input: InputFile,
  tools: Tools,
): Promise<NormalizedInput> {
  switch (from) {
    case 'sixel':
      return convertSixel(input, tools)
    case 'pfm':
      return { from, input: await rescalePfm(input, tools) }
    case 'fits':
      return convertFitsInput(input, tools)
    case 'tiff':
    case 'ptif':
      return { from, input: await normalizeTiff(input, await loadSharp(), tools) }
    case 'tga':
      return { from, input, args: (await isBlankAlpha(input, tools)) ? ['-alpha', 'off'] : [] }
    default:
      return { from, input }
  }
}

/** Writes a PNG first: any operation on pixels from the sixel decoder turns them black (ImageMagick 6.9.11). */
async function convertSixel(input: InputFile, tools: Tools): Promise<NormalizedInput> {
  const path = join(tools.workDir, 'normalized.png')
  await runMagick(tools, 'convert', [`sixel:${input.path}[0]`, `png:${path}`])
  return { from: 'png', input: { ...input, path } }
}

/**
 * Converts the first image of a FITS file to PGM or PPM. Returns a file without an image unchanged, because ImageMagick
 * reports what is wrong.
 */
async function convertFitsInput(input: InputFile, tools: Tools): Promise<NormalizedInput> {
  const path = join(tools.workDir, 'normalized.pnm')
  const image = await writeFitsImage(input.path, path)
  if (!image) return { from: 'fits', input }
  const { isColored, droppedPlaneCount } = image
  if (droppedPlaneCount > 0) {
    const keptPlanesPhrase = isColored ? 'The first three planes' : 'The first plane'
    tools.warn(
      'PLANES_DROPPED',
      `${keptPlanesPhrase} of ${droppedPlaneCount + (isColored ? 3 : 1)} became the image; the others were dropped.`,
    )
  }
  return { from: 'pnm', input: { ...input, path } }
}

const pfmHeaderPattern = /^(P[Ff]\s+\d+\s+\d+\s+)(-?)(\d*\.?\d+(?:e[-+]?\d+)?)(\s)/i

/**
 * Rewrites PFM files that ImageMagick reads incorrectly: it multiplies samples by the header's scale and clips them
 * above 1.
 */
async function rescalePfm(input: InputFile, tools: Tools): Promise<InputFile> {
  const bytes = await readFile(input.path)
  const [header = '', sides = '', sign = '', text = '1', end = '\n'] =
    pfmHeaderPattern.exec(bytes.toString('latin1', 0, 200)) ?? []
  const scale = Number(text)
  if (header === '' || !(scale > 0)) return input
  const rest = bytes.subarray(header.length)
  const values = view(rest)
  const isLittleEndian = sign === '-'
  const collector = new SampleCollector()
  for (let at = 0; at + 4 <= values.byteLength; at += 4) collector.add(values.getFloat32(at, isLittleEndian))
  const stats = collector.stats(header.startsWith('PF'))
  const scaleFactor = computeScaleFactor(stats, scale)
  if (scaleFactor === scale) return input
  if (scaleFactor === undefined) {
    const tonalRange = chooseTonalRange(stats, tools)
    for (let at = 0; at + 4 <= values.byteLength; at += 4) {
      values.setFloat32(at, scaleSample(values.getFloat32(at, isLittleEndian), tonalRange), isLittleEndian)
    }
  }
  const path = join(tools.workDir, 'in-range.pfm')
  await writeFile(path, Buffer.concat([Buffer.from(`${sides}${sign}${scaleFactor ?? 1}${end}`), rest]))
  return { ...input, path }
}

/**
 * Returns the factor for samples. Programs use the scale in three ways: as a factor, as the maximum value, or not at
 * all.
 */
function computeScaleFactor({ min, max }: SampleStats, scale: number): number | undefined {
  return min < 0 ? undefined : [scale, 1, 1 / scale].find((scaleFactor) => max * scaleFactor <= 1.0001)
}

/**
 * Whether the fourth byte of each pixel is not alpha: the descriptor declares no alpha bits, and all bytes are 0
 * (Truevision TGA specification 2.0, field 5.6). Some programs declare no alpha bits but store alpha.
 */
async function isBlankAlpha({ path }: InputFile, tools: Tools): Promise<boolean> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(18), 0, 18, 0)
  if (bytesRead < 18 || buffer[16] !== 32 || ((buffer[17] ?? 0) & 0b1111) !== 0) return false
  const { stdout } = await runMagick(tools, 'identify', ['-format', '%[fx:maxima.a]', `tga:${path}`])
  return Number(stdout) === 0
}
