import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import sharp from 'sharp'
import type { EngineId } from '../../lib/engines/engine.ts'

const run = promisify(execFile)

/** Of the grid of dots that are compared: a loss of a five-hundredth of a large picture is seen. */
const [minSide, maxSide] = [8, 24]
/** Of a dot on each side: coders of photographs soften lines that are finer. */
const minPixelsPerCell = 4

interface Reader {
  /** Engine that it shares its code with. */
  readonly kin: EngineId
  read(path: string, side: number): Promise<Uint8Array>
}

const readers: readonly Reader[] = [
  {
    kin: 'imagemagick',
    read: async (path, side) =>
      grid(
        'convert',
        '-quiet',
        ...((await isFits(path)) ? [path, ...asOneFits] : [`${path}[0]`]),
        '-auto-orient',
        '-background',
        'white',
        '-alpha',
        'remove',
        '-colorspace',
        'sRGB',
        '-filter',
        'box',
        '-resize',
        `${side}x${side}!`,
        '-depth',
        '8',
        'rgb:-',
      ),
  },
  {
    kin: 'vips',
    read: async (path, side) => {
      const picture = sharp(path, { limitInputPixels: 2 ** 28, failOn: 'none' })
        .autoOrient()
        .flatten({ background: '#fff' })
      return picture
        .resize(side, side, { fit: 'fill' })
        .toColorspace('srgb')
        .removeAlpha()
        .raw({ depth: 'uchar' })
        .toBuffer()
    },
  },
  {
    kin: 'ffmpeg',
    read: (path, side) =>
      grid(
        'ffmpeg',
        '-v',
        'error',
        '-i',
        path,
        '-frames:v',
        '1',
        '-vf',
        `scale=${side}:${side}:flags=area`,
        '-f',
        'rawvideo',
        '-pix_fmt',
        'rgb24',
        '-',
      ),
  },
]

/** Three planes of a FITS are the colors of one picture, and its values have no black and white. */
const asOneFits = ['-set', 'colorspace', 'Gray', '-combine', '-auto-level']

async function isFits(path: string): Promise<boolean> {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0)
  return buffer.toString('latin1') === 'SIMPLE  '
}

async function grid(bin: string, ...args: string[]): Promise<Uint8Array> {
  const { stdout } = await run(bin, args, { encoding: 'buffer', maxBuffer: 2 ** 24, timeout: 30_000 })
  return stdout
}

/** Light of a dot, 0 to 255, that may differ: other programs know other colors by the same numbers. */
const maxCellDifference = 60
/** And on average, of the whole picture. */
const maxMeanDifference = 24

/**
 * Share of the picture that looks the same in both, as programs see them that had no part in it; undefined where none
 * can read the first. Where two disagree about the source, who finds it again is believed.
 */
export async function imageSimilarity(
  source: string,
  result: string,
  way: string,
): Promise<number | undefined> {
  const isKin = ({ kin }: Reader) => way.includes(kin)
  const side = await gridSideFor(result)
  let best: number | undefined
  for (const reader of [...readers.filter((one) => !isKin(one)), ...readers.filter(isKin)]) {
    const before = await reader.read(source, side).catch(() => undefined)
    if (before?.length !== side * side * 3) continue
    const after = await anyRead(result, reader, side)
    best = Math.max(best ?? 0, after ? shareOfSimilarCells(before, after, side) : 0)
    if (best >= 0.98) return best
  }
  return best
}

async function gridSideFor(path: string): Promise<number> {
  const { width = 0, height = 0 } = await sharp(path)
    .metadata()
    .catch(() => ({ width: 0, height: 0 }))
  return Math.max(minSide, Math.min(maxSide, Math.floor(Math.min(width, height) / minPixelsPerCell)))
}

async function anyRead(path: string, first: Reader, side: number): Promise<Uint8Array | undefined> {
  for (const reader of [first, ...readers]) {
    const dots = await reader.read(path, side).catch(() => undefined)
    if (dots?.length === side * side * 3) return dots
  }
  return undefined
}

/** A dot is there that is like one around its place: coders of photographs let the color of a neighbor in. */
function shareOfSimilarCells(before: Uint8Array, after: Uint8Array, side: number): number {
  const apart = before.reduce((sum, dot, at) => sum + Math.abs(dot - (after[at] ?? 0)), 0) / before.length
  if (apart > maxMeanDifference) return 1 - apart / 255
  let same = 0
  for (let at = 0; at < side * side; at++) {
    const around = neighbors(at, side).map((place) => place * 3)
    const isThere = [0, 1, 2].every((color) => {
      const [dot, lights] = [after[at * 3 + color] ?? 0, around.map((place) => before[place + color] ?? 0)]
      return dot >= Math.min(...lights) - maxCellDifference && dot <= Math.max(...lights) + maxCellDifference
    })
    if (isThere) same++
  }
  return same / (side * side)
}

function neighbors(at: number, side: number): number[] {
  const [x, y] = [at % side, Math.floor(at / side)]
  const near = (place: number) => [place - 1, place, place + 1].filter((one) => one >= 0 && one < side)
  return near(y).flatMap((row) => near(x).map((column) => row * side + column))
}
