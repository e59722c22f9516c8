import { open, readFile } from 'node:fs/promises'
import type { Metadata, Sharp, SharpOptions } from 'sharp'
import { createReader, view } from '../../formats/detect/byte-source.ts'
import type { FormatId } from '../../formats/index.ts'
import { defined } from '../../validation/defined.ts'
import type { InputFile, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { adobeRgbProfile } from '../shared/image/color-profiles.ts'
import { getDrawingBox, getResizeBox, type ImageOptions, type ResizeBox } from '../shared/image/options.ts'
import { warnAboutMissingFilesAt } from '../shared/image/svg-references.ts'
import { createFeatureError } from '../unsupported-feature.ts'
import { writeFramesAsWebp } from './animation-frames.ts'
import { countApngFrames, readApng } from './apng/read.ts'
import { hasOnlySequence } from './avif-still.ts'
import { type DecodedFile, getImageDecoder } from './decoders.ts'
import { hasAllPixels } from './gif-completeness.ts'
import { addProfileFromCodes, addProfileFromPng } from './icc-from-metadata.ts'
import { createCorruptImageError, toImageError } from './image-error.ts'
import { maxPixels, timeoutS } from './limits.ts'
import { normalizeJpeg } from './normalize-jpeg.ts'
import { readPngHead } from './png-head.ts'
import { pixelsPerInch, svgDefaults, writeSvgWithPixelLengths } from './svg-lengths.ts'
import { getPixelTarget, isLossless, type PixelTargetId } from './targets.ts'
import { normalizeTiff } from './tiff-extra-planes.ts'
import { keepHdrCodes, readHeifColorCodes, readPngHdrCodes, toneMap } from './tone-mapping.ts'

/** A file that libvips can read, with its metadata. */
export interface SourceImage {
  readonly path: string
  readonly format: FormatId
  /** The format that the client sent, before any decoding. */
  readonly sourceFormat: FormatId
  readonly metadata: Metadata
  /** Whether the file has metadata that is missing in `metadata`, because the decoder of its format skips it. */
  readonly hasUnreadMetadata: boolean
  readonly pages: number
}

/** Loads sharp on first use: the planner and the API import this engine but never open an image. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // Disables the cache: its keys are file names, which are reused for other files.
  sharp.cache(false)
  return sharp
}

/**
 * Makes an image readable for libvips, with the pixels and frames that the target can keep.
 * @throws AppError CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function openImage(
  input: InputFile,
  to: PixelTargetId | 'pdf',
  tools: Tools,
  options: unknown = {},
): Promise<SourceImage> {
  const needsLossless = to !== 'pdf' && isLossless(to, options)
  const { path, format } = await decodeSource(input, to, needsLossless, tools).catch((error: unknown) => {
    throw error instanceof ProcessFailure
      ? createCorruptImageError(input.format, error)
      : toImageError(error, input.format)
  })
  const metadata = await readMetadata(path).catch((error: unknown) => {
    throw toImageError(error, input.format)
  })
  // libvips renders Lab images that have transparency as black.
  if (metadata.space?.startsWith('lab') && metadata.hasAlpha)
    throw createFeatureError(input.format, 'Lab colors with transparency')
  // libvips uses only the lowest byte of each sample at these depths.
  if (integerDepths.some((depth) => depth === metadata.depth))
    throw createFeatureError(input.format, 'samples of an unusual depth')
  if (input.format === 'gif') await checkGif(input, metadata, tools)
  const isStill = format === 'png' && input.format === 'apng'
  const pages = isStill ? await countApngFrames(path) : (metadata.pages ?? 1)
  const hasUnreadMetadata = await hasSkippedMetadata(input, format)
  return { path, format, sourceFormat: input.format, metadata, hasUnreadMetadata, pages }
}

async function checkGif({ path, size }: InputFile, { width, height }: Metadata, tools: Tools): Promise<void> {
  await using file = await open(path)
  const gifHeader = view(await createReader(file)(0, 10))
  // If a side exceeds 2,048, libvips ignores the canvas size and uses the first frame as the whole image.
  if (width < gifHeader.getUint16(6, true) || height < gifHeader.getUint16(8, true))
    throw createFeatureError('gif', 'a first frame that is smaller than its canvas')
  if (size <= maxCountedGifBytes && !hasAllPixels(await file.readFile()))
    tools.warn('MAY_BE_DAMAGED', 'The GIF is truncated within a frame: check whether anything is missing.')
}

/** libvips skips the XMP of a GIF, and the frames of an APNG are decoded without its metadata. */
async function hasSkippedMetadata(
  { path, format, size }: InputFile,
  decodedFormat: FormatId,
): Promise<boolean> {
  if (format === 'gif') return size <= maxCountedGifBytes && (await readFile(path)).includes('XMP DataXMP')
  if (format !== 'apng' || decodedFormat === 'png') return false
  const { exif, xmp } = await readMetadata(path)
  return exif !== undefined || xmp !== undefined
}

/** Largest GIF, in bytes, whose pixels are counted; counting takes about a second per few dozen megabytes. */
const maxCountedGifBytes = 64 * 1024 * 1024

/** Integer sample types other than unsigned 8 and 16 bits. */
const integerDepths = ['char', 'short', 'int', 'uint']

async function readMetadata(path: string): Promise<Metadata> {
  const sharp = await loadSharp()
  return sharp(path, { limitInputPixels: maxPixels, ...svgDefaults }).metadata()
}

async function decodeSource(
  input: InputFile,
  to: PixelTargetId | 'pdf',
  isLossless: boolean,
  tools: Tools,
): Promise<DecodedFile> {
  if (input.format === 'png') return { path: await normalizePng(input, tools), format: 'png' }
  if (input.format === 'avif' && (await hasOnlySequence(input.path)))
    throw createFeatureError('avif', 'an image sequence without a still image')
  const isHeif = input.format === 'avif' || input.format === 'heic'
  const codes = isHeif ? await readHeifColorCodes(input.path) : undefined
  const decodedFile = await decodeFormat(input, to, isLossless || codes !== undefined, tools)
  if (!codes) return decodedFile
  const hdrCodes = keepHdrCodes(codes)
  if (hdrCodes)
    return { path: await toneMap(decodedFile.path, hdrCodes, await loadSharp(), tools), format: 'png' }
  const path = await addProfileFromCodes(decodedFile.path, codes, tools)
  return path === undefined ? decodedFile : { path, format: 'png' }
}

async function normalizePng(input: InputFile, tools: Tools): Promise<string> {
  const head = await readPngHead(input.path)
  const hdrCodes = readPngHdrCodes(head)
  if (hdrCodes) return toneMap(input.path, hdrCodes, await loadSharp(), tools)
  return addProfileFromPng(input, head, tools)
}

async function decodeFormat(
  input: InputFile,
  to: PixelTargetId | 'pdf',
  isLossless: boolean,
  tools: Tools,
): Promise<DecodedFile> {
  if (input.format === 'apng') return decodeApng(input, to, tools)
  if (input.format === 'svg' || input.format === 'svgz') {
    await warnAboutMissingFilesAt(input.path, tools)
    return { path: await writeSvgWithPixelLengths(input, tools), format: input.format }
  }
  if (input.format === 'tiff') return normalizeTiff(input, await loadSharp(), tools)
  if (input.format === 'jpg') return normalizeJpeg(input, tools)
  const decode = getImageDecoder(input.format)
  if (!decode) return input
  const hasAlpha = input.format === 'heic' && (await readMetadata(input.path)).hasAlpha === true
  return decode({
    input,
    isLossless: isLossless || hasAlpha,
    hasDeepColor: to !== 'pdf' && getPixelTarget(to).hasDeepColor === true,
    tools,
  })
}

/** libvips reads only the first frame of an APNG, which is enough for targets without animation. */
async function decodeApng(input: InputFile, to: PixelTargetId | 'pdf', tools: Tools): Promise<DecodedFile> {
  const path = await addProfileFromPng(input, await readPngHead(input.path), tools)
  if (to === 'pdf' || getPixelTarget(to).stores !== 'frames') return { path, format: 'png' }
  const sharp = await loadSharp()
  const animation = await readApng(path, sharp)
  return writeFramesAsWebp(animation, sharp, tools)
}

/** How the pixels are to be rendered. */
export interface ImageView {
  /** Index of the page or frame; -1 selects all of them as one image. */
  readonly page: number
  readonly options: ImageOptions
  readonly colorSpace?: 'srgb' | 'adobe-rgb' | 'gray' | undefined
  /** Pixels per inch at which vector drawings are rendered. */
  readonly dpi?: number | undefined
}

/** Returns the upright pixels in the requested size and colors, limited to what the target format supports. */
export async function renderImage(source: SourceImage, to: PixelTargetId, view: ImageView): Promise<Sharp> {
  const sharp = await loadSharp()
  const { metadata } = source
  const { page, options: imageOptions } = view
  const box = metadata.format === 'svg' ? getDrawingBox(imageOptions) : getResizeBox(imageOptions)
  const keepsSourceProfile = keepsProfile(source, to, view)
  const options: SharpOptions = {
    limitInputPixels: maxPixels,
    failOn: 'error',
    sequentialRead: true,
    ...svgDefaults,
    // Keeps the sample values together with the profile that defines them.
    ignoreIcc: keepsSourceProfile,
  }
  if (source.pages > 1) options.pages = page === -1 ? -1 : 1
  if (page > 0) options.page = page
  if (metadata.format === 'svg') options.density = computeSvgDensity(metadata, box, view.dpi)
  let image = sharp(source.path, options).timeout({ seconds: timeoutS }).autoOrient()
  if (imageOptions.rotate) image = image.rotate(imageOptions.rotate)
  if (box) image = resize(image, box)
  const { isOpaque, hasDeepColor } = getPixelTarget(to)
  if (isOpaque || imageOptions.background !== undefined)
    image = image.flatten({ background: imageOptions.background ?? '#ffffff' })
  image = image.toColourspace(chooseColorSpace(view, hasDeepColor === true && metadata.depth === 'ushort'))
  if (view.colorSpace === 'adobe-rgb') image = image.withIccProfile(adobeRgbProfile)
  if (keepsSourceProfile) image = image.keepIccProfile()
  return imageOptions.metadata === 'keep' ? image.keepExif().keepXmp() : image
}

function chooseColorSpace({ colorSpace }: ImageView, isDeep: boolean): 'b-w' | 'grey16' | 'srgb' | 'rgb16' {
  if (colorSpace === 'gray') return isDeep ? 'grey16' : 'b-w'
  return isDeep ? 'rgb16' : 'srgb'
}

/**
 * Whether to keep a profile wider than sRGB, if the target supports profiles. From JPEG to PNG, the profile is dropped:
 * the API promises "Metadata is not carried over" for that pair.
 */
function keepsProfile(source: SourceImage, to: PixelTargetId, { colorSpace }: ImageView): boolean {
  const { sourceFormat, metadata } = source
  if (!metadata.icc || colorSpace !== undefined || !getPixelTarget(to).supportsProfile) return false
  if (sourceFormat === 'jpg' && to === 'png') return false
  return hasWideGamutProfile(metadata)
}

/** Whether the image has a profile with colors that sRGB may not contain. */
function hasWideGamutProfile({ icc, space }: Metadata): boolean {
  if (!icc || (space !== 'srgb' && space !== 'rgb16')) return false
  return !/s\0?R\0?G\0?B/.test(icc.toString('latin1'))
}

const formatsWithoutMetadata: readonly PixelTargetId[] = ['gif', 'tiff', 'bmp', 'jxr', 'djvu', 'icns']
const storesMetadata = (to: PixelTargetId) => !formatsWithoutMetadata.includes(to)

export const hasMetadata = ({ metadata: { exif, xmp }, hasUnreadMetadata }: SourceImage) =>
  exif !== undefined || xmp !== undefined || hasUnreadMetadata

/** Warns that metadata of the source cannot be kept. */
export function warnAboutMetadata(source: SourceImage, to: PixelTargetId, tools: Tools): void {
  const { metadata, sourceFormat, hasUnreadMetadata } = source
  if (hasUnreadMetadata) {
    const message = `metadata=keep has no effect: the metadata of ${sourceFormat} files cannot be copied.`
    tools.warn('METADATA_NOT_KEPT', message)
  } else if (to === 'tiff' && metadata.xmp !== undefined && source.pages === 1) {
    const message = 'metadata=keep only keeps XMP: tiff files are written without other metadata.'
    tools.warn('METADATA_NOT_KEPT', message)
  } else if (hasMetadata(source) && !storesMetadata(to)) {
    tools.warn('METADATA_NOT_KEPT', `metadata=keep has no effect: ${to} files are written without metadata.`)
  }
}

/** Warns about metadata, colors and transparency that the target cannot store. */
export async function warnAboutLosses(
  source: SourceImage,
  to: PixelTargetId,
  view: Omit<ImageView, 'page'>,
  tools: Tools,
): Promise<void> {
  const { metadata, path } = source
  const target = getPixelTarget(to)
  if (hasWideGamutProfile(metadata) && !target.supportsProfile && view.colorSpace === undefined) {
    tools.warn(
      'COLORS_CONVERTED',
      `The colors were converted to sRGB: ${to} cannot store another color profile.`,
    )
  }
  if (view.options.metadata === 'keep') warnAboutMetadata(source, to, tools)
  if (!metadata.hasAlpha || view.options.background !== undefined) return
  if (target.isOpaque) await warnIfTransparent(path, to, tools)
  else if (target.hasBinaryAlpha) await warnIfHalfTransparent(source, to, tools)
}

async function warnIfTransparent(path: string, to: PixelTargetId, tools: Tools): Promise<void> {
  const sharp = await loadSharp()
  const { isOpaque } = await sharp(path, { limitInputPixels: maxPixels }).stats()
  if (isOpaque) return
  tools.warn(
    'TRANSPARENCY_DROPPED',
    `Transparent parts became white: ${to} has no transparency. Set background for another color.`,
  )
}

async function warnIfHalfTransparent(
  { path, pages }: SourceImage,
  to: PixelTargetId,
  tools: Tools,
): Promise<void> {
  const sharp = await loadSharp()
  const pageOptions = pages > 1 && getPixelTarget(to).stores === 'frames' ? { pages: -1 } : {}
  const alpha = await sharp(path, { limitInputPixels: maxPixels, ...pageOptions, ...svgDefaults })
    .toColourspace('srgb')
    .extractChannel('alpha')
    .raw({ depth: 'uchar' })
    .toBuffer()
  if (alpha.every((level) => level === 0 || level === 255)) return
  tools.warn(
    'TRANSPARENCY_DROPPED',
    `Partly transparent areas became fully opaque or transparent: ${to} supports nothing in between. Set background to flatten them onto a color.`,
  )
}

function resize(image: Sharp, { width, height, fit }: ResizeBox): Sharp {
  const size = { ...defined({ width, height }) }
  if (fit === 'crop') return image.resize({ ...size, fit: 'cover' })
  return image.resize({ ...size, fit: 'inside', withoutEnlargement: fit === 'max' })
}

/** Returns the density at which an SVG is rendered in the requested size, so that no pixels are enlarged afterwards. */
export function computeSvgDensity(
  metadata: Metadata,
  box: ResizeBox | undefined,
  dpi: number | undefined,
): number {
  // At this density libvips renders one pixel per SVG pixel.
  const defaultDensity = 72
  if (dpi !== undefined) return (defaultDensity * dpi) / pixelsPerInch
  if (!box || box.fit === 'max' || !metadata.width || !metadata.height) return defaultDensity
  const scale = Math.max((box.width ?? 0) / metadata.width, (box.height ?? 0) / metadata.height, 1)
  return Math.min(defaultDensity * scale, 10_000)
}
