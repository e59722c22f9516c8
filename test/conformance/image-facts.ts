import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import sharp from 'sharp'
import type { EngineId } from '../../lib/engines/engine.ts'
import { sixelFacts } from './sixel.ts'

const run = promisify(execFile)

export interface ImageFacts {
  readonly width: number
  readonly height: number
  /** Between the darkest and the lightest dot, 0 to 255: nothing was drawn where it is near zero. */
  readonly spread: number
  readonly reader: string
}

interface Reader {
  readonly id: string
  /** Engine that it shares its code with. */
  readonly engine?: EngineId
  read(path: string): Promise<Omit<ImageFacts, 'reader'>>
}

const commandReader = (
  id: string,
  bin: string,
  args: (path: string) => string[],
  kin?: EngineId,
): Reader => ({
  id,
  ...(kin && { engine: kin }),
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
      const picture = sharp(path, { limitInputPixels: 2 ** 30 }).autoOrient()
      const { data, info } = await picture
        .flatten({ background: '#fff' })
        .toColorspace('b-w')
        .raw({ depth: 'uchar' })
        .toBuffer({ resolveWithObject: true })
      return { width: info.width, height: info.height, spread: brightnessSpread(data) }
    },
  },
  commandReader(
    'ffmpeg',
    'ffmpeg',
    (path) => [
      ...['-v', 'error'],
      // By its name it takes clip art for pictures of letters, which any bytes are.
      ...(path.endsWith('.art') ? ['-format_whitelist', 'image2'] : []),
      ...['-i', path, '-frames:v', '1'],
      ...['-c:v', 'pgm', '-pix_fmt', 'gray', '-f', 'image2pipe', '-'],
    ],
    'ffmpeg',
  ),
  commandReader(
    'pdftoppm',
    'pdftoppm',
    (path) => ['-q', '-gray', '-r', '72', '-f', '1', '-l', '1', path],
    'pdf',
  ),
  commandReader(
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
  commandReader('rsvg', 'sh', (path) => ['-c', 'rsvg-convert -b white "$0" | pngtopnm -', path]),
  {
    id: 'sixel',
    read: async (path) => sixelFacts(await readFile(path, 'latin1')),
  },
  commandReader(
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

/** Least difference of light that counts as a drawing. */
export const minSpread = 8

/**
 * A picture as the first program sees it that can read it and had no part in making it; else as its maker does.
 * A reader that sees nothing is asked to prove it by another: FFmpeg takes some XPM files for empty.
 */
export async function imageFacts(path: string, maker: EngineId | undefined): Promise<ImageFacts | undefined> {
  const isKin = ({ engine: kin }: Reader) => kin !== undefined && kin === maker
  let blank: ImageFacts | undefined
  for (const reader of [...readers.filter((one) => !isKin(one)), ...readers.filter(isKin)]) {
    const facts = await reader.read(path).catch(() => undefined)
    if (!facts || facts.width === 0) continue
    if (facts.spread >= minSpread) return { ...facts, reader: reader.id }
    blank ??= { ...facts, reader: reader.id }
  }
  return blank
}

/** Of a PGM: `P5 <width> <height> 255` and a byte for each dot. */
function parsePgm(bytes: Buffer): Omit<ImageFacts, 'reader'> {
  const header = /^P5\s(?:#.*\n)*\s*(\d+)\s+(\d+)\s+(\d+)\s/.exec(bytes.toString('latin1', 0, 200))
  if (!header) throw new Error('no picture came out')
  return {
    width: Number(header[1]),
    height: Number(header[2]),
    spread: brightnessSpread(bytes.subarray(header[0].length)),
  }
}

function brightnessSpread(dots: Uint8Array): number {
  let [least, most] = [255, 0]
  for (const dot of dots) {
    if (dot < least) least = dot
    if (dot > most) most = dot
  }
  return most - least
}
