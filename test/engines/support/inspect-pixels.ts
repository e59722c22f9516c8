// Reads the pixels of images and videos.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from './inspect-result.ts'

const run = promisify(execFile)
const folder = scratchFolder('pixels')
let files = 0

/** Pixels of an image in rows from the top, with three bytes each; transparent parts have a white background. */
export interface PixelData {
  readonly width: number
  readonly height: number
  readonly data: Buffer
}

async function decodePixels(input: string | Buffer, page = 0): Promise<PixelData> {
  const { data, info } = await sharp(input, page > 0 ? { page } : {})
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  assert.equal(info.channels, 3)
  return { width: info.width, height: info.height, data }
}

/** Decoders for formats that sharp does not read. */
const readers: Partial<Record<FormatId, (from: string, to: string) => [bin: string, ...args: string[]]>> = {
  heic: (from, to) => ['heif-convert', from, to],
  jxl: (from, to) => ['djxl', from, to, '--quiet'],
  bmp: (from, to) => ['ffmpeg', '-v', 'error', '-i', from, to],
}

/** Reads an image, or the frame or page with this number. */
export async function readPixels(path: string, format: FormatId, page = 0): Promise<PixelData> {
  if (format === 'apng') return readFrame(path, `eq(n,${page})`)
  const command = readers[format]?.(path, join(folder, `${files++}.png`))
  if (!command) return decodePixels(path, page)
  const [bin, ...args] = command
  await readStdout(bin, ...args)
  return decodePixels(join(folder, `${files - 1}.png`))
}

/** Reads the first frame of a video that matches a condition of ffmpeg's filter `select`. */
export async function readFrame(path: string, condition: string): Promise<PixelData> {
  const selectArgs = [
    '-vf',
    `select='${condition}',format=rgb24`,
    '-frames:v',
    '1',
    '-f',
    'image2pipe',
    '-c:v',
    'png',
  ]
  const args = ['-v', 'error', '-i', path, ...selectArgs, '-']
  const { stdout } = await run('ffmpeg', args, { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 })
  return decodePixels(stdout)
}

export const colorAt = ({ width, data }: PixelData, x: number, y: number): number[] => [
  ...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
]

/** Fails unless a pixel has this color, within the tolerance for lossy codecs. */
export function assertColor(
  dots: PixelData,
  [x, y]: readonly [number, number],
  color: string,
  tolerance = 12,
) {
  const wantedChannels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const foundColor = colorAt(dots, x, y)
  const isNear = foundColor.every(
    (level, index) => Math.abs(level - (wantedChannels[index] ?? 0)) <= tolerance,
  )
  assert.ok(isNear, `at ${x}, ${y}: ${foundColor.join(' ')} instead of ${wantedChannels.join(' ')}`)
}

export interface ChangedArea {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  /** Number of pixels that differ. */
  readonly count: number
}

/** Returns the bounding box of all pixels that differ by more than the tolerance. Right and bottom are exclusive. */
export function findChangedArea(frameBefore: PixelData, frameAfter: PixelData, tolerance = 0): ChangedArea {
  assert.deepEqual([frameAfter.width, frameAfter.height], [frameBefore.width, frameBefore.height])
  let [left, top, right, bottom, count] = [frameBefore.width, frameBefore.height, 0, 0, 0]
  for (let y = 0; y < frameBefore.height; y++) {
    for (let x = 0; x < frameBefore.width; x++) {
      const [colorBefore, colorAfter] = [colorAt(frameBefore, x, y), colorAt(frameAfter, x, y)]
      if (!colorBefore.some((level, index) => Math.abs(level - (colorAfter[index] ?? 0)) > tolerance))
        continue
      left = Math.min(left, x)
      top = Math.min(top, y)
      right = Math.max(right, x + 1)
      bottom = Math.max(bottom, y + 1)
      count++
    }
  }
  return { left, top, right, bottom, count }
}
