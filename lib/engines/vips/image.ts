import { open } from 'node:fs/promises'
import type { Metadata, Sharp, SharpOptions } from 'sharp'
import { readingFrom, view } from '../../formats/detect/source.ts'
import type { FormatId } from '../../formats/index.ts'
import type { InputFile, Tools } from '../engine.ts'
import { adobeRgbProfile } from '../image/color-profiles.ts'
import { type Box, boxOf, type PictureOptions } from '../image/options.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { unsupportedFeatureError } from '../unsupported-feature.ts'
import { framesAsWebp } from './animation-frames.ts'
import { apngFrames, readApng } from './apng/read.ts'
import { type Decoded, decoderOf } from './decoders.ts'
import { hasAllPixels } from './gif-completeness.ts'
import { withCodedColors, withToldColors } from './icc-from-metadata.ts'
import { damaged, pictureError } from './image-error.ts'
import { maxPixels, timeoutS } from './limits.ts'
import { headOfPng } from './png-head.ts'
import { drawingInPixels, pixelsPerInch, usualLetters } from './svg-lengths.ts'
import { isExact, type PixelTargetId, pixelTargetOf } from './targets.ts'
import { usualTiff } from './tiff-extra-planes.ts'
import { bright, codesOfHeif, inUsualRange, rangeOfPng } from './tone-mapping.ts'

/** A file that libvips can read, with its metadata. */
export interface Picture {
  readonly path: string
  readonly format: FormatId
  /** The format that the client sent, before any decoding. */
  readonly source: FormatId
  readonly metadata: Metadata
  readonly pages: number
}

/** Loads sharp on first use: the planner and the API import this engine but never open an image. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // Every file is new and file names are reused, so a cache keyed by name would only waste memory.
  sharp.cache(false)
  return sharp
}

/**
 * Makes an image readable for libvips, with the pixels and frames that the target can keep.
 * @throws AppError CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function openPicture(
  input: InputFile,
  to: PixelTargetId | 'pdf',
  tools: Tools,
  options: unknown = {},
): Promise<Picture> {
  const exact = to !== 'pdf' && isExact(to, options)
  const { path, format } = await decoded(input, to, exact, tools).catch((error: unknown) => {
    throw error instanceof ProcessFailure ? damaged(input.format, error) : pictureError(error, input.format)
  })
  const metadata = await metadataOf(path).catch((error: unknown) => {
    throw pictureError(error, input.format)
  })
  // libvips turns these images black.
  if (metadata.space?.startsWith('lab') && metadata.hasAlpha)
    throw unsupportedFeatureError(input.format, 'Lab colors with transparency')
  // libvips uses only the lowest byte of each of these samples as the color.
  if (wholeNumbers.some((depth) => depth === metadata.depth))
    throw unsupportedFeatureError(input.format, 'samples of an unusual depth')
  if (input.format === 'gif') await lookIntoGif(input, metadata, tools)
  const still = format === 'png' && input.format === 'apng'
  const pages = still ? await apngFrames(path) : (metadata.pages ?? 1)
  return { path, format, source: input.format, metadata, pages }
}

async function lookIntoGif(
  { path, size }: InputFile,
  { width, height }: Metadata,
  tools: Tools,
): Promise<void> {
  await using file = await open(path)
  const canvas = view(await readingFrom(file)(0, 10))
  // If a side exceeds 2,048, libvips ignores the canvas size and uses the first frame as the whole image.
  if (width < canvas.getUint16(6, true) || height < canvas.getUint16(8, true))
    throw unsupportedFeatureError('gif', 'a first picture that is smaller than its canvas')
  if (size <= mostCounted && !hasAllPixels(await file.readFile()))
    tools.warn('MAY_BE_DAMAGED', 'The GIF breaks off within a picture: look whether anything is missing.')
}

/** Largest GIF, in bytes, whose pixels are counted; counting takes about a second per few dozen megabytes. */
const mostCounted = 64 * 1024 * 1024

/** Integer sample types other than unsigned 8 and 16 bits. */
const wholeNumbers = ['char', 'short', 'int', 'uint']

async function metadataOf(path: string): Promise<Metadata> {
  const sharp = await loadSharp()
  return sharp(path, { limitInputPixels: maxPixels, ...usualLetters }).metadata()
}

async function decoded(
  input: InputFile,
  to: PixelTargetId | 'pdf',
  exact: boolean,
  tools: Tools,
): Promise<Decoded> {
  if (input.format === 'png') return { path: await usualPng(input, tools), format: 'png' }
  const isHeif = input.format === 'avif' || input.format === 'heic'
  const codes = isHeif ? await codesOfHeif(input.path) : undefined
  const read = await readable(input, to, exact || codes !== undefined, tools)
  if (!codes) return read
  const range = bright(codes)
  if (range) return { path: await inUsualRange(read.path, range, await loadSharp(), tools), format: 'png' }
  const path = await withCodedColors(read.path, codes, tools)
  return path === undefined ? read : { path, format: 'png' }
}

async function usualPng(input: InputFile, tools: Tools): Promise<string> {
  const head = await headOfPng(input.path)
  const range = rangeOfPng(head)
  if (range) return inUsualRange(input.path, range, await loadSharp(), tools)
  return withToldColors(input, head, tools)
}

async function readable(
  input: InputFile,
  to: PixelTargetId | 'pdf',
  exact: boolean,
  tools: Tools,
): Promise<Decoded> {
  if (input.format === 'apng') return decodedApng(input, to, tools)
  if (input.format === 'svg' || input.format === 'svgz')
    return { path: await drawingInPixels(input, tools), format: input.format }
  if (input.format === 'tiff') return usualTiff(input, await loadSharp(), tools)
  const decode = decoderOf(input.format)
  if (!decode) return input
  const hasAlpha = input.format === 'heic' && (await metadataOf(input.path)).hasAlpha === true
  return decode({
    input,
    exact: exact || hasAlpha,
    deep: to === 'tiff' || to === 'jxl',
    tools,
  })
}

/** libvips reads only the first frame of an APNG, which is enough for targets without animation. */
async function decodedApng(input: InputFile, to: PixelTargetId | 'pdf', tools: Tools): Promise<Decoded> {
  const path = await withToldColors(input, await headOfPng(input.path), tools)
  if (to === 'pdf' || pixelTargetOf(to).holds !== 'frames') return { path, format: 'png' }
  const sharp = await loadSharp()
  const animation = await readApng(path, sharp)
  return framesAsWebp(animation, sharp, tools)
}

/** How the pixels are to be rendered. */
export interface View {
  /** Index of the page or frame; -1 selects all of them as one image. */
  readonly page: number
  readonly options: PictureOptions
  readonly colorSpace?: 'srgb' | 'adobe-rgb' | 'gray' | undefined
  /** Pixels per inch at which vector drawings are rendered. */
  readonly dpi?: number | undefined
}

/** Returns the upright pixels in the requested size and colors, limited to what the target format supports. */
export async function pixels(picture: Picture, to: PixelTargetId, view: View): Promise<Sharp> {
  const sharp = await loadSharp()
  const { metadata } = picture
  const { page, options: asked } = view
  const box = boxOf(asked)
  const keepsColors = keepsProfile(picture, to, view)
  const options: SharpOptions = {
    limitInputPixels: maxPixels,
    failOn: 'error',
    sequentialRead: true,
    ...usualLetters,
    // Keep the sample values together with the profile that defines them.
    ignoreIcc: keepsColors,
  }
  if (picture.pages > 1) options.pages = page === -1 ? -1 : 1
  if (page > 0) options.page = page
  if (metadata.format === 'svg') options.density = svgDensity(metadata, box, view.dpi)
  let image = sharp(picture.path, options).timeout({ seconds: timeoutS }).autoOrient()
  if (asked.rotate) image = image.rotate(asked.rotate)
  if (box) image = resized(image, box)
  const { opaque, deep } = pixelTargetOf(to)
  if (opaque || asked.background !== undefined)
    image = image.flatten({ background: asked.background ?? '#ffffff' })
  image = image.toColourspace(spaceOf(view, deep === true && metadata.depth === 'ushort'))
  if (view.colorSpace === 'adobe-rgb') image = image.withIccProfile(adobeRgbProfile)
  if (keepsColors) image = image.keepIccProfile()
  return asked.metadata === 'keep' ? image.keepExif().keepXmp() : image
}

function spaceOf({ colorSpace }: View, deep: boolean): 'b-w' | 'grey16' | 'srgb' | 'rgb16' {
  if (colorSpace === 'gray') return deep ? 'grey16' : 'b-w'
  return deep ? 'rgb16' : 'srgb'
}

/**
 * Whether a profile wider than sRGB is kept because the target supports profiles. From JPEG to PNG it is dropped: the
 * API promises "Metadata is not carried over" for that pair.
 */
function keepsProfile(picture: Picture, to: PixelTargetId, { colorSpace }: View): boolean {
  const { source, metadata } = picture
  if (!metadata.icc || colorSpace !== undefined || !pixelTargetOf(to).profiled) return false
  if (source === 'jpg' && to === 'png') return false
  return isWide(metadata)
}

/** Whether the image has a profile with colors that sRGB may not contain. */
function isWide({ icc, space }: Metadata): boolean {
  if (!icc || (space !== 'srgb' && space !== 'rgb16')) return false
  return !/s\0?R\0?G\0?B/.test(icc.toString('latin1'))
}

/** Warns about colors and transparency that the target cannot store. */
export async function warnOfLosses(
  picture: Picture,
  to: PixelTargetId,
  view: Omit<View, 'page'>,
  tools: Tools,
): Promise<void> {
  const { metadata, path } = picture
  const target = pixelTargetOf(to)
  if (isWide(metadata) && !target.profiled && view.colorSpace === undefined) {
    tools.warn(
      'COLORS_CONVERTED',
      `The colors were converted to sRGB: ${to} holds no profile that tells of others.`,
    )
  }
  if (!metadata.hasAlpha || view.options.background !== undefined) return
  if (target.opaque) await warnOfWhite(path, to, tools)
  else if (target.clearOrOpaque) await warnOfHalfClear(picture, to, tools)
}

async function warnOfWhite(path: string, to: PixelTargetId, tools: Tools): Promise<void> {
  const sharp = await loadSharp()
  const { isOpaque } = await sharp(path, { limitInputPixels: maxPixels }).stats()
  if (isOpaque) return
  tools.warn(
    'TRANSPARENCY_DROPPED',
    `Transparent parts became white: ${to} has none. The option background takes another color.`,
  )
}

async function warnOfHalfClear({ path, pages }: Picture, to: PixelTargetId, tools: Tools): Promise<void> {
  const sharp = await loadSharp()
  const all = pages > 1 && pixelTargetOf(to).holds === 'frames' ? { pages: -1 } : {}
  const alpha = await sharp(path, { limitInputPixels: maxPixels, ...all, ...usualLetters })
    .toColourspace('srgb')
    .extractChannel('alpha')
    .raw({ depth: 'uchar' })
    .toBuffer()
  if (alpha.every((level) => level === 0 || level === 255)) return
  tools.warn(
    'TRANSPARENCY_DROPPED',
    `Half-transparent parts became opaque or clear: ${to} knows nothing between. The option background lays them over a color.`,
  )
}

function resized(image: Sharp, { width, height, fit }: Box): Sharp {
  const size = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) }
  if (fit === 'crop') return image.resize({ ...size, fit: 'cover' })
  return image.resize({ ...size, fit: 'inside', withoutEnlargement: fit === 'max' })
}

/** Density at which an SVG is rendered in the requested size, so that no pixels are enlarged afterwards. */
export function svgDensity(metadata: Metadata, box: Box | undefined, dpi: number | undefined): number {
  // At this density libvips renders one pixel per SVG pixel.
  const usual = 72
  if (dpi !== undefined) return (usual * dpi) / pixelsPerInch
  if (!box || box.fit === 'max' || !metadata.width || !metadata.height) return usual
  const scale = Math.max((box.width ?? 0) / metadata.width, (box.height ?? 0) / metadata.height, 1)
  return Math.min(usual * scale, 10_000)
}
