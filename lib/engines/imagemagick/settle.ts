import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile, Tools } from '../engine.ts'
import { loadSharp } from '../vips/image.ts'
import { usualPlanes } from '../vips/tiff-samples.ts'
import { factorFor } from './brightness.ts'
import { fitsPicture } from './fits.ts'
import { magick } from './run.ts'
import { sampleRangeArgs } from './sample-range.ts'
import type { SourceId } from './sources.ts'

/** A file that ImageMagick reads as it is meant, and what it is told besides. */
interface Settled {
  readonly from: SourceId
  readonly input: InputFile
  readonly args?: readonly string[]
  /** What it is told before it reads. */
  readonly before?: readonly string[]
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
      return tiff(from, input, tools)
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

async function tiff(from: SourceId, asSent: InputFile, tools: Tools): Promise<Settled> {
  const input = await usualPlanes(asSent, await loadSharp(), tools)
  return { from, input, before: await sampleRangeArgs(input.path, tools) }
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
  const values = bytes.subarray(header.length)
  const factor = factorFor(brightest(values, sign === '-'), scale)
  if (factor === scale) return input
  const path = join(tools.workDir, 'in-range.pfm')
  await writeFile(path, Buffer.concat([Buffer.from(`${sides}${sign}${factor}${end}`), values]))
  return { ...input, path }
}

function brightest(values: Buffer, isLittleEndian: boolean): number {
  let most = 0
  for (let at = 0; at + 4 <= values.length; at += 4) {
    const value = isLittleEndian ? values.readFloatLE(at) : values.readFloatBE(at)
    if (value > most && value < Number.POSITIVE_INFINITY) most = value
  }
  return most
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
