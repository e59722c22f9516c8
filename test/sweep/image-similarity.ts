import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import sharp from 'sharp'
import type { EngineId } from '../../lib/component-ids.ts'

const run = promisify(execFile)

/** Cells per side of the compared grid: a loss of 1/500 of a large image is noticed. */
const [minSide, maxSide] = [8, 24]
/** Minimum pixels per side of a cell: lossy codecs blur finer lines. */
const minPixelsPerCell = 4

interface Reader {
  /** The engine that uses the same code as the reader. */
  readonly engine: EngineId
  read(path: string, side: number): Promise<Uint8Array>
}

const readers: readonly Reader[] = [
  {
    engine: 'imagemagick',
    read: async (path, side) =>
      readGrid(
        'convert',
        '-quiet',
        ...((await isFits(path)) ? [path, ...combineToOneFits] : [`${path}[0]`]),
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
    engine: 'vips',
    read: async (path, side) => {
      const image = sharp(path, { limitInputPixels: 2 ** 28, failOn: 'none' })
        .autoOrient()
        .flatten({ background: '#fff' })
      return image
        .resize(side, side, { fit: 'fill' })
        .toColorspace('srgb')
        .removeAlpha()
        .raw({ depth: 'uchar' })
        .toBuffer()
    },
  },
  {
    engine: 'ffmpeg',
    read: (path, side) =>
      readGrid(
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

/** Combines the three planes of a FITS file to the colors of one image, and normalizes its values. */
const combineToOneFits = ['-set', 'colorspace', 'Gray', '-combine', '-auto-level']

async function isFits(path: string): Promise<boolean> {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0)
  return buffer.toString('latin1') === 'SIMPLE  '
}

async function readGrid(bin: string, ...args: string[]): Promise<Uint8Array> {
  const { stdout } = await run(bin, args, { encoding: 'buffer', maxBuffer: 2 ** 24, timeout: 30_000 })
  return stdout
}

/** Allowed brightness difference of a cell, 0 to 255: programs interpret the same color values differently. */
const maxCellDifference = 60
/** Allowed mean brightness difference of the whole image. */
const maxMeanDifference = 24

/**
 * Returns the share of the image that looks the same in the source and in the result, as read with programs that did
 * not convert it. Returns undefined if no program can read the source. If two programs disagree, the higher share
 * counts.
 */
export async function measureSimilarity(
  source: string,
  result: string,
  route: string,
): Promise<number | undefined> {
  const isRelated = ({ engine }: Reader) => route.includes(engine)
  const side = await chooseGridSide(result)
  let bestShare: number | undefined
  for (const reader of [...readers.filter((one) => !isRelated(one)), ...readers.filter(isRelated)]) {
    const cellsBefore = await reader.read(source, side).catch(() => undefined)
    if (cellsBefore?.length !== side * side * 3) continue
    const cellsAfter = await readWithAnyReader(result, reader, side)
    bestShare = Math.max(
      bestShare ?? 0,
      cellsAfter ? computeSimilarCellShare(cellsBefore, cellsAfter, side) : 0,
    )
    if (bestShare >= 0.98) return bestShare
  }
  return bestShare
}

async function chooseGridSide(path: string): Promise<number> {
  const { width = 0, height = 0 } = await sharp(path)
    .metadata()
    .catch(() => ({ width: 0, height: 0 }))
  return Math.max(minSide, Math.min(maxSide, Math.floor(Math.min(width, height) / minPixelsPerCell)))
}

async function readWithAnyReader(
  path: string,
  firstReader: Reader,
  side: number,
): Promise<Uint8Array | undefined> {
  for (const reader of [firstReader, ...readers]) {
    const gridCells = await reader.read(path, side).catch(() => undefined)
    if (gridCells?.length === side * side * 3) return gridCells
  }
  return undefined
}

/**
 * Returns the share of cells that are similar to the same or an adjacent cell, because lossy codecs blend adjacent
 * colors.
 */
function computeSimilarCellShare(cellsBefore: Uint8Array, cellsAfter: Uint8Array, side: number): number {
  const totalDifference =
    cellsBefore.reduce((sum, dot, at) => sum + Math.abs(dot - (cellsAfter[at] ?? 0)), 0) / cellsBefore.length
  if (totalDifference > maxMeanDifference) return 1 - totalDifference / 255
  let similarCells = 0
  for (let at = 0; at < side * side; at++) {
    const cellsAround = listNeighbors(at, side).map((index) => index * 3)
    const isCellFound = [0, 1, 2].every((color) => {
      const [dot, lights] = [
        cellsAfter[at * 3 + color] ?? 0,
        cellsAround.map((index) => cellsBefore[index + color] ?? 0),
      ]
      return dot >= Math.min(...lights) - maxCellDifference && dot <= Math.max(...lights) + maxCellDifference
    })
    if (isCellFound) similarCells++
  }
  return similarCells / (side * side)
}

function listNeighbors(at: number, side: number): number[] {
  const [x, y] = [at % side, Math.floor(at / side)]
  const listNear = (index: number) =>
    [index - 1, index, index + 1].filter((candidate) => candidate >= 0 && candidate < side)
  return listNear(y).flatMap((row) => listNear(x).map((column) => row * side + column))
}
