import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sharp } from 'sharp'
import type { Tools } from '../engine.ts'
import { splitFrames } from './animation-frames.ts'
import { encodeApng } from './apng/write.ts'
import { encodeBitmap } from './bitmap.ts'
import { loadSharp, type SourceImage } from './image.ts'
import { replaceJfifDensity } from './jfif-density.ts'
import { setPngDensity } from './png-density.ts'
import { chooseEncoderQuality, chooseGifColors, type PixelTargetId } from './targets.ts'

/** Size of the written image, or of one frame of an animation. */
export interface EncodedSize {
  readonly width: number
  readonly height: number
}

interface EncodeJob {
  /** Result of the target's `encode`. */
  readonly image: Sharp
  readonly source: SourceImage
  /** Whether the image is a vertical strip of all frames. */
  readonly isAnimated: boolean
  readonly path: string
  /** Pixels per inch, if known. */
  readonly density?: number | undefined
  readonly options: unknown
  readonly tools: Tools
}

type Encoder = (job: EncodeJob) => Promise<EncodedSize>

const encodeWithSharp: Encoder = async ({ image, path }) => {
  const { width, height, pageHeight } = await image.toFile(path)
  return { width, height: pageHeight ?? height }
}

/** Pixels per inch assumed for an image that does not state its resolution. */
export const defaultDensity = 72

const png: Encoder = async (job) => {
  const size = await encodeWithSharp(job)
  // A drawing keeps the density at which libvips rendered it.
  if (job.density === undefined && job.source.metadata.format !== 'svg')
    await setPngDensity(job.path, defaultDensity)
  return size
}

/** Adds the density, which libvips drops together with other metadata. */
const jpg: Encoder = async (job) => {
  const size = await encodeWithSharp(job)
  const { path, density = defaultDensity } = job
  const pixelsPerInch = Math.round(density)
  if (pixelsPerInch === defaultDensity || pixelsPerInch < 1 || pixelsPerInch > 0xffff) return size
  await writeFile(path, replaceJfifDensity(await readFile(path), pixelsPerInch))
  return size
}

const bmp: Encoder = async ({ image, path, density }) => {
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  await writeFile(path, encodeBitmap({ width: info.width, height: info.height, data, density }))
  return info
}

/** Returns an encoder that writes the pixels to a temporary file and runs an external program on it. */
function createProgramEncoder(
  extension: string,
  command: (file: string, job: EncodeJob) => string[],
): Encoder {
  return async (job) => {
    const { image, path, tools } = job
    const file = join(tools.workDir, `pixels-${path.replace(/^.*\//, '')}.${extension}`)
    const info = await image.toFile(file)
    const [bin = '', ...args] = command(file, job)
    await tools.exec(bin, args)
    await rm(file)
    return info
  }
}

const heic = createProgramEncoder('png', (file, { path, options }) => [
  'heif-enc',
  '-q',
  String(chooseEncoderQuality('heic', options)),
  '-o',
  path,
  file,
])

/** For lower values, cjxl 0.7 fails, because the distance would exceed its maximum of 25. */
const minJxlQuality = 6

const jxl = createProgramEncoder('png', (file, { path, options }) => [
  'cjxl',
  file,
  path,
  '--quiet',
  '-e',
  '4',
  '-q',
  String(Math.max(minJxlQuality, chooseEncoderQuality('jxl', options))),
])

const jxr = createProgramEncoder('tif', (file, { path, options }) => [
  'JxrEncApp',
  '-i',
  file,
  '-o',
  path,
  '-q',
  String(chooseEncoderQuality('jxr', options) / 100),
])

/** The quality is the number of wavelet slices: 76 is coarse, 108 is nearly lossless. */
const djvu: Encoder = async ({ image, path, density, options, tools }) => {
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  const file = `${path}.ppm`
  const { width, height, channels } = info
  await writeFile(
    file,
    Buffer.concat([Buffer.from(`P${channels === 1 ? 5 : 6}\n${width} ${height}\n255\n`), data]),
  )
  const sliceCount = Math.round(65 + chooseEncoderQuality('djvu', options) * 0.45)
  // c44 accepts 25 to 4800 and replaces anything else with 100.
  const dpi =
    density !== undefined && density >= 25 && density <= 4800 ? ['-dpi', String(Math.round(density))] : []
  await tools.exec('c44', ['-slice', String(sliceCount), ...dpi, file, path])
  await rm(file)
  return info
}

const iconSides = [16, 32, 48, 128, 256, 512, 1024]

const icns: Encoder = async ({ image, path, tools }) => {
  const sharp = await loadSharp()
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  const maxSide = Math.max(info.width, info.height)
  const sides = iconSides.filter((side) => side <= maxSide)
  const files: string[] = []
  for (const side of sides.length > 0 ? sides : iconSides.slice(0, 1)) {
    const file = join(tools.workDir, `icon-${side}.png`)
    const square = { width: side, height: side, fit: 'contain', background: '#00000000' } as const
    await sharp(data).ensureAlpha().resize(square).png().toFile(file)
    files.push(file)
  }
  await tools.exec('png2icns', [path, ...files])
  const largestSide = sides.at(-1) ?? 16
  return { width: largestSide, height: largestSide }
}

const apng: Encoder = async (job) => {
  const { image, source, isAnimated, path } = job
  if (!isAnimated) return png(job)
  const sharp = await loadSharp()
  const { data, info } = await image
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { metadata, pages } = source
  const { width } = info
  const height = info.height / pages
  const frames = splitFrames(data, { width, height, pages })
  const { delay: delaysMs = [], loop = 0 } = metadata
  await writeFile(path, await encodeApng({ width, height, frames, delaysMs, loop }, sharp))
  return { width, height }
}

/** libvips only knows palettes of 2, 4, 16 and 256 colors, so gifsicle reduces them further. */
const gif: Encoder = async (job) => {
  const size = await encodeWithSharp(job)
  const { path, options, tools } = job
  const colors = chooseGifColors(options)
  if (colors < 256)
    await tools.exec('gifsicle', ['--batch', '-O3', '--dither', '--colors', String(colors), path])
  return size
}

const encoders: Partial<Record<PixelTargetId, Encoder>> = {
  jpg,
  png,
  bmp,
  heic,
  jxl,
  jxr,
  djvu,
  icns,
  apng,
  gif,
}

/** Returns the encoder of a format: an external program where libvips cannot write it, otherwise libvips. */
export function getEncoder(to: PixelTargetId): Encoder {
  return encoders[to] ?? encodeWithSharp
}
