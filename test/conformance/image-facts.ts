import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import sharp from 'sharp'
import type { EngineId } from '../../lib/component-ids.ts'
import { defined } from '../../lib/validation/defined.ts'
import { readSixelFacts } from './sixel.ts'

const run = promisify(execFile)

export interface ImageFacts {
  readonly width: number
  readonly height: number
  /** Difference between the darkest and the lightest pixel, 0 to 255; near zero for a blank image. */
  readonly spread: number
  readonly reader: string
}

interface Reader {
  readonly id: string
  /** The engine that uses the same code as the reader. */
  readonly engine?: EngineId
  read(path: string): Promise<Omit<ImageFacts, 'reader'>>
}

const createCommandReader = (
  id: string,
  bin: string,
  args: (path: string) => string[],
  engine?: EngineId,
): Reader => ({
  id,
  ...defined({ engine }),
  read: async (path) => {
    const options = { encoding: 'buffer', maxBuffer: 512 * 1024 * 1024, timeout: 60_000 } as const
    return parsePgm((await run(bin, args(path), options)).stdout)
  },
})

const readers: readonly Reader[] = [
  {
    id: 'sharp',
    engine: 'vips',
    read: async (path) => {
      const image = sharp(path, { limitInputPixels: 2 ** 30 }).autoOrient()
      const { data, info } = await image
        .flatten({ background: '#fff' })
        .toColorspace('b-w')
        .raw({ depth: 'uchar' })
        .toBuffer({ resolveWithObject: true })
      return { width: info.width, height: info.height, spread: computeBrightnessSpread(data) }
    },
  },
  createCommandReader(
    'ffmpeg',
    'ffmpeg',
    (path) => [
      ...['-v', 'error'],
      // With the original extension, FFmpeg would read the file as raw pixels, and any bytes are valid pixels.
      ...(path.endsWith('.art') ? ['-format_whitelist', 'image2'] : []),
      ...['-i', path, '-frames:v', '1'],
      ...['-c:v', 'pgm', '-pix_fmt', 'gray', '-f', 'image2pipe', '-'],
    ],
    'ffmpeg',
  ),
  createCommandReader(
    'pdftoppm',
    'pdftoppm',
    (path) => ['-q', '-gray', '-r', '72', '-f', '1', '-l', '1', path],
    'pdf',
  ),
  createCommandReader(
    'gs',
    'gs',
    (path) => [
      '-q',
      '-dSAFER',
      '-dBATCH',
      '-dNOPAUSE',
      '-dEPSCrop',
      '-sDEVICE=pgmraw',
      '-dLastPage=1',
      '-sOutputFile=-',
      path,
    ],
    'ghostscript',
  ),
  createCommandReader('rsvg', 'sh', (path) => ['-c', 'rsvg-convert -b white "$0" | pngtopnm -', path]),
  {
    id: 'sixel',
    read: async (path) => readSixelFacts(await readFile(path, 'latin1')),
  },
  createCommandReader(
    'magick',
    'convert',
    (path) => [
      '-quiet',
      `${path}[0]`,
      '-background',
      'white',
      '-flatten',
      '-colorspace',
      'Gray',
      '-depth',
      '8',
      'pgm:-',
    ],
    'imagemagick',
  ),
]

/** Minimum brightness difference of an image that is not blank. */
export const minSpread = 8

/**
 * Reads an image with the first program that supports it and did not create it, or else with the program that created
 * it. If it looks blank, another reader must confirm that: FFmpeg reads some XPM files as blank.
 */
export async function readImageFacts(
  path: string,
  creator: EngineId | undefined,
): Promise<ImageFacts | undefined> {
  const isCreator = ({ engine }: Reader) => engine !== undefined && engine === creator
  let blankFacts: ImageFacts | undefined
  for (const reader of [...readers.filter((one) => !isCreator(one)), ...readers.filter(isCreator)]) {
    const facts = await reader.read(path).catch(() => undefined)
    if (!facts || facts.width === 0) continue
    if (facts.spread >= minSpread) return { ...facts, reader: reader.id }
    blankFacts ??= { ...facts, reader: reader.id }
  }
  return blankFacts
}

/** Parses a PGM: `P5 <width> <height> 255` and one byte per pixel. */
function parsePgm(bytes: Buffer): Omit<ImageFacts, 'reader'> {
  const header = /^P5\s(?:#.*\n)*\s*(\d+)\s+(\d+)\s+(\d+)\s/.exec(bytes.toString('latin1', 0, 200))
  if (!header) throw new Error('the reader returned no image')
  return {
    width: Number(header[1]),
    height: Number(header[2]),
    spread: computeBrightnessSpread(bytes.subarray(header[0].length)),
  }
}

function computeBrightnessSpread(pixels: Uint8Array): number {
  let [min, max] = [255, 0]
  for (const pixel of pixels) {
    if (pixel < min) min = pixel
    if (pixel > max) max = pixel
  }
  return max - min
}
