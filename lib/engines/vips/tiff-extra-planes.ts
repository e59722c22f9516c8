import { join, parse } from 'node:path'
import type Sharp from 'sharp'
import type { Sharp as Image, Metadata, SharpOptions } from 'sharp'
import type { InputFile, Tools } from '../engine.ts'
import { rescaleTiffSamples } from '../shared/image/rescale-tiff-samples.ts'
import { readTiffTag, tags } from '../shared/image/tiff-tag.ts'
import { maxPixels } from './limits.ts'

const mmPerInch = 25.4
const anyPlaneCount: SharpOptions = { limitInputPixels: maxPixels, limitInputChannels: 0 }

/**
 * Returns the TIFF, or a copy in which libvips interprets the samples correctly: rescaled, and without planes that are
 * neither colors nor alpha.
 * @throws AppError UNSUPPORTED_FORMAT.
 */
export async function normalizeTiff(
  originalFile: InputFile,
  sharp: typeof Sharp,
  tools: Tools,
): Promise<InputFile> {
  const input = await rescaleTiffSamples(originalFile, tools)
  const metadata = await sharp(input.path, anyPlaneCount)
    .metadata()
    .catch(() => undefined)
  // The reader reports a file that is unreadable or too large.
  if (!metadata) return input
  const planes = await analyzePlanes(metadata, input.path)
  const { droppedCount, areSupported } = planes
  if (areSupported) return input
  if (droppedCount > 0) {
    const droppedText = droppedCount === 1 ? 'one plane was' : `${droppedCount} planes were`
    const message = `Besides the color planes, ${droppedText} left out: an image cannot store more planes.`
    tools.warn('PLANES_DROPPED', message)
  }
  return { ...input, path: await dropExtraPlanes(input, metadata, planes, sharp, tools) }
}

interface Planes {
  /** Whether the plane after the colors is an alpha channel. */
  readonly hasAlpha: boolean
  readonly droppedCount: number
  /** Whether libvips interprets the planes in this way too, so that the file can stay as it is. */
  readonly areSupported: boolean
}

const inkCountByColorSpace: Readonly<Record<string, number>> = { 'b-w': 1, grey16: 1, cmyk: 4 }

/** Determines which planes are colors or alpha. Three or more planes without a declared meaning count as colors. */
async function analyzePlanes({ channels, space }: Metadata, path: string): Promise<Planes> {
  const inkCount = inkCountByColorSpace[space] ?? 3
  const colors = inkCount === 1 && channels > 2 ? 3 : inkCount
  const extraCount = Math.max(0, channels - colors)
  // A single unnamed extra plane is an alpha channel, but after four inks it is a fifth ink.
  const isDeclared = extraCount > 0 && ((await readTiffTag(path, tags.extraSamples)) ?? 0) > 0
  const hasAlpha =
    inkCount === colors &&
    (space === 'cmyk' ? isDeclared && extraCount === 1 : isDeclared || extraCount === 1)
  const droppedCount = extraCount - (hasAlpha ? 1 : 0)
  return { hasAlpha, droppedCount, areSupported: droppedCount === 0 && inkCount === colors }
}

/** Writes the pages with only the color and alpha planes. */
async function dropExtraPlanes(
  input: InputFile,
  { space, density = 72, pages = 1 }: Metadata,
  { hasAlpha }: Planes,
  sharp: typeof Sharp,
  tools: Tools,
): Promise<string> {
  const isGray = inkCountByColorSpace[space] === 1
  const isDeep = space === 'grey16' || space === 'rgb16'
  const target = space === 'cmyk' ? 'cmyk' : isDeep ? 'rgb16' : 'srgb'
  const pixelsPerMm = density / mmPerInch
  const write = async (image: Image, name: string) => {
    const path = createOutputPath(input, tools, name)
    await image
      .keepIccProfile()
      .tiff({ compression: 'none', xres: pixelsPerMm, yres: pixelsPerMm })
      .toFile(path)
    return path
  }
  const paths: string[] = []
  for (let page = 0; page < pages; page++) {
    const openImage = () => sharp(input.path, { ...anyPlaneCount, page, ignoreIcc: true }).autoOrient()
    const grayColorSpace = isDeep ? 'grey16' : 'b-w'
    const writePlane = (index: 0 | 1 | 2) =>
      write(openImage().extractChannel(index).toColourspace(grayColorSpace), `${page}-plane-${index}`)
    if (isGray) {
      const [firstPlane, ...otherPlanes] = [await writePlane(0), await writePlane(1), await writePlane(2)]
      const joinedImage = sharp(firstPlane, { ignoreIcc: true })
        .joinChannel(otherPlanes)
        .toColourspace(target)
      paths.push(await write(joinedImage, `${page}`))
    } else if (hasAlpha) {
      // PNG keeps exactly the first four planes; other formats cannot drop the rest without dropping alpha too.
      const imageWithAlpha = await openImage()
        .toColourspace(target)
        .keepIccProfile()
        .png({ compressionLevel: 1 })
        .toBuffer()
      paths.push(await write(sharp(imageWithAlpha, { ignoreIcc: true }).toColourspace(target), `${page}`))
    } else {
      const image = openImage().removeAlpha().toColourspace(target)
      // Without a CMYK pipeline, inks would be converted to RGB and back.
      paths.push(await write(target === 'cmyk' ? image.pipelineColourspace(target) : image, `${page}`))
    }
  }
  const path = createOutputPath(input, tools, 'image')
  await tools.exec('tiffcp', [...paths, path])
  return path
}

const createOutputPath = (input: InputFile, tools: Tools, name: string) =>
  join(tools.workDir, `${parse(input.path).name}-${name}.tif`)
