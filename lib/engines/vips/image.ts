import { open } from 'node:fs/promises'
import type { Metadata, Sharp, SharpOptions } from 'sharp'
import { readingFrom, view } from '../../formats/detect/source.ts'
import type { FormatId } from '../../formats/index.ts'
import type { InputFile, Tools } from '../engine.ts'
import { adobeRgbProfile } from '../image/color-profiles.ts'
import { type Box, boxOf, type PictureOptions } from '../image/options.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { unknownFeature } from '../unsupported-feature.ts'
import { apngFrames, readApng } from './apng/read.ts'
import { type Decoded, decoderOf } from './decoders.ts'
import { drawingInPixels, pixelsPerInch, usualLetters } from './svg-lengths.ts'
import { bright, codesOfHeif, inUsualRange, rangeOfPng } from './tone-mapping.ts'
import { framesAsWebp } from './animation-frames.ts'
import { hasAllPixels } from './gif-completeness.ts'
import { withCodedColors, withToldColors } from './icc-from-metadata.ts'
import { damaged, pictureError } from './image-error.ts'
import { maxPixels, timeoutS } from './limits.ts'
import { headOfPng } from './png-head.ts'
import { isExact, type PixelTargetId, pixelTargetOf } from './targets.ts'
import { usualTiff } from './tiff-extra-planes.ts'

/** A file that libvips can read, and what is known about it. */
export interface Picture {
  readonly path: string
  readonly format: FormatId
  /** What the client sent, before any program read it for us. */
  readonly source: FormatId
  readonly metadata: Metadata
  readonly pages: number
}

/** Loaded when first needed: the planner and the API know this engine and never open a picture. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // Every file is new, and names come back: a cache by name would only hold memory.
  sharp.cache(false)
  return sharp
}

/**
 * Makes a picture readable for libvips, with the pixels and frames that the target can keep.
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
  // libvips makes them black.
  if (metadata.space?.startsWith('lab') && metadata.hasAlpha)
    throw unknownFeature(input.format, 'Lab colors with transparency')
  // It takes the lowest byte of each number for the color.
  if (wholeNumbers.some((depth) => depth === metadata.depth))
    throw unknownFeature(input.format, 'samples of an unusual depth')
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
  // Of one with a side above 2,048 libvips believes nothing, and takes the first picture for all of it.
  if (width < canvas.getUint16(6, true) || height < canvas.getUint16(8, true))
    throw unknownFeature('gif', 'a first picture that is smaller than its canvas')
  if (size <= mostCounted && !hasAllPixels(await file.readFile()))
    tools.warn('MAY_BE_DAMAGED', 'The GIF breaks off within a picture: look whether anything is missing.')
}

/** Bytes of a GIF whose pixels are counted; that takes a second for each of some dozens. */
const mostCounted = 64 * 1024 * 1024

/** Of other samples than 8 or 16 bits without a sign, or fractions. */
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

/** libvips sees the first frame only, which is enough for targets that do not move. */
async function decodedApng(input: InputFile, to: PixelTargetId | 'pdf', tools: Tools): Promise<Decoded> {
  const path = await withToldColors(input, await headOfPng(input.path), tools)
  if (to === 'pdf' || pixelTargetOf(to).holds !== 'frames') return { path, format: 'png' }
  const sharp = await loadSharp()
  const animation = await readApng(path, sharp)
  return framesAsWebp(animation, sharp, tools)
}

/** How the pixels are wanted. */
export interface View {
  /** Which pages or frames: -1 is all of them in one picture. */
  readonly page: number
  readonly options: PictureOptions
  readonly colorSpace?: 'srgb' | 'adobe-rgb' | 'gray' | undefined
  /** Of shapes: pixels per inch. */
  readonly dpi?: number | undefined
}

/** The pixels upright, in the asked size and colors, with no more than the target can hold. */
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
    // The numbers stay as they are, and so does what they mean.
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
 * A profile of more colors than sRGB survives where the target can hold it. "jpg to png: […] Metadata is not carried
 * over" is the interface's own rule, and takes the profile with it.
 */
function keepsProfile(picture: Picture, to: PixelTargetId, { colorSpace }: View): boolean {
  const { source, metadata } = picture
  if (!metadata.icc || colorSpace !== undefined || !pixelTargetOf(to).profiled) return false
  if (source === 'jpg' && to === 'png') return false
  return isWide(metadata)
}

/** It has a profile of colors that sRGB may not have. */
function isWide({ icc, space }: Metadata): boolean {
  if (!icc || (space !== 'srgb' && space !== 'rgb16')) return false
  return !/s\0?R\0?G\0?B/.test(icc.toString('latin1'))
}

/** Says what of a picture the target has no place for. */
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

/** Shapes are drawn at the size that is asked for, not enlarged as pixels. */
export function svgDensity(metadata: Metadata, box: Box | undefined, dpi: number | undefined): number {
  // At which libvips makes one pixel of one.
  const usual = 72
  if (dpi !== undefined) return (usual * dpi) / pixelsPerInch
  if (!box || box.fit === 'max' || !metadata.width || !metadata.height) return usual
  const scale = Math.max((box.width ?? 0) / metadata.width, (box.height ?? 0) / metadata.height, 1)
  return Math.min(usual * scale, 10_000)
}
