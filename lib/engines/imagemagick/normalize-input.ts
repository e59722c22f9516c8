import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { view } from '../../formats/detect/source.ts'
import type { InputFile, Tools } from '../engine.ts'
import { SampleRange, type Samples, shadesOf, shareOf } from '../image/sample-range.ts'
import { loadSharp } from '../vips/image.ts'
import { normalizeTiff } from '../vips/tiff-extra-planes.ts'
import { fitsPicture } from './fits.ts'
import { magick } from './run.ts'
import type { SourceId } from './sources.ts'

/** A file that ImageMagick reads as it is meant, and what it is told besides. */
interface Settled {
  readonly from: SourceId
  readonly input: InputFile
  readonly args?: readonly string[]
}

/** What its readers get wrong is put right before all else. */
export async function settled(from: SourceId, input: InputFile, tools: Tools): Promise<Settled> {
  switch (from) {
    case 'sixel':
      return sixel(input, tools)
    case 'pfm':
      return { from, input: await inRange(input, tools) }
    case 'fits':
      return fits(input, tools)
    case 'tiff':
    case 'ptif':
      return { from, input: await normalizeTiff(input, await loadSharp(), tools) }
    case 'tga':
      return { from, input, args: (await isBlankAlpha(input, tools)) ? ['-alpha', 'off'] : [] }
    default:
      return { from, input }
  }
}

/** Its reader gives dots that any change of them makes black (ImageMagick 6.9.11); written once, they are right. */
async function sixel(input: InputFile, tools: Tools): Promise<Settled> {
  const path = join(tools.workDir, 'settled.png')
  await magick(tools, 'convert', [`sixel:${input.path}[0]`, `png:${path}`])
  return { from: 'png', input: { ...input, path } }
}

/** A file of which nothing can be read stays as it is: ImageMagick says what is wrong. */
async function fits(input: InputFile, tools: Tools): Promise<Settled> {
  const path = join(tools.workDir, 'settled.pnm')
  const picture = await fitsPicture(input.path, path)
  if (!picture) return { from: 'fits', input }
  const { isColored, dropped } = picture
  if (dropped > 0) {
    const kept = isColored ? 'The first three planes' : 'The first plane'
    tools.warn('PLANES_DROPPED', `${kept} of ${dropped + (isColored ? 3 : 1)} made the picture.`)
  }
  return { from: 'pnm', input: { ...input, path } }
}

const pfmHeader = /^(P[Ff]\s+\d+\s+\d+\s+)(-?)(\d*\.?\d+(?:e[-+]?\d+)?)(\s)/i

/** What is multiplied by the scale of its header is taken for shades from 0 to 1, and all above that is white. */
async function inRange(input: InputFile, tools: Tools): Promise<InputFile> {
  const bytes = await readFile(input.path)
  const [header = '', sides = '', sign = '', text = '1', end = '\n'] =
    pfmHeader.exec(bytes.toString('latin1', 0, 200)) ?? []
  const scale = Number(text)
  if (header === '' || !(scale > 0)) return input
  const rest = bytes.subarray(header.length)
  const values = view(rest)
  const isLittleEndian = sign === '-'
  const range = new SampleRange()
  for (let at = 0; at + 4 <= values.byteLength; at += 4) range.add(values.getFloat32(at, isLittleEndian))
  const samples = range.samples(header.startsWith('PF'))
  const factor = meantFactor(samples, scale)
  if (factor === scale) return input
  if (factor === undefined) {
    const shades = shadesOf(samples, tools)
    for (let at = 0; at + 4 <= values.byteLength; at += 4) {
      values.setFloat32(at, shareOf(values.getFloat32(at, isLittleEndian), shades), isLittleEndian)
    }
  }
  const path = join(tools.workDir, 'in-range.pfm')
  await writeFile(path, Buffer.concat([Buffer.from(`${sides}${sign}${factor ?? 1}${end}`), rest]))
  return { ...input, path }
}

/** Programs mean the scale in three ways: as a factor, as the brightest value, or not at all. */
function meantFactor({ least, most }: Samples, scale: number): number | undefined {
  return least < 0 ? undefined : [scale, 1, 1 / scale].find((factor) => most * factor <= 1.0001)
}

/**
 * Whether the fourth byte of each dot is none of transparency: the descriptor counts no bits of it, and all are 0
 * (Truevision TGA specification 2.0, field 5.6). Some writers leave out the count and mean what stands there.
 */
async function isBlankAlpha({ path }: InputFile, tools: Tools): Promise<boolean> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(18), 0, 18, 0)
  if (bytesRead < 18 || buffer[16] !== 32 || ((buffer[17] ?? 0) & 0b1111) !== 0) return false
  const { stdout } = await magick(tools, 'identify', ['-format', '%[fx:maxima.a]', `tga:${path}`])
  return Number(stdout) === 0
}
