import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { maxSidePx } from '../formats/image-limits.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import { keysOf } from '../validation/keys-of.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import { buildColorArgs } from './imagemagick/color-args.ts'
import { type Frame, hasMetadata, pickFrame, readFrames } from './imagemagick/frames.ts'
import { readLargestSide } from './imagemagick/header-dimensions.ts'
import { normalizeInput } from './imagemagick/normalize-input.ts'
import { reduceToPalette } from './imagemagick/palette.ts'
import { runMagick } from './imagemagick/run.ts'
import {
  getMagickSource,
  type MagickSourceId,
  magickSources,
  mayHaveDeepColor,
} from './imagemagick/sources.ts'
import {
  createSizeArgs,
  getMagickTarget,
  hasDeepColor,
  type MagickTargetId,
  magickTargets,
  parseColorSpace,
  parseIconSides,
  storesMetadata,
} from './imagemagick/targets.ts'
import { packPages } from './pdf/pack-pages.ts'
import { createPageFileName, type PageFile } from './pdf/page-files.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { warnAboutDepth } from './shared/image/depth.ts'
import { getResizeBox, parseImageOptions } from './shared/image/options.ts'
import { createThumbnailRows } from './shared/image/thumbnail-options.ts'
import { createFeatureError } from './unsupported-feature.ts'
import { createCorruptImageError } from './vips/image-error.ts'
import { makeThumbnail } from './vips/thumbnail.ts'

const sourceIds = keysOf(magickSources)
const targetIds = keysOf(magickTargets)
/** The ICO header stores each side in one byte, where 0 means 256. */
const maxIconSide = 256

/** Converts image formats of design, film and legacy software that libvips does not support. */
export const imagemagick: Engine = {
  id: 'imagemagick',
  image: 'image',
  capabilities: [
    ...targetIds.map((to): Capability => {
      const { cost, options } = getMagickTarget(to)
      return { operation: 'convert', from: sourceIds, to: [to], same: true, options, cost }
    }),
    ...createThumbnailRows(sourceIds, {}, 0.3),
  ],
  limits: { memoryMb: 3008, diskMb: 2048, timeoutS: 120 },
  version: ['convert', '-version'],
  run,
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  const from = sourceIds.find((id) => id === work.from)
  const to = targetIds.find((id) => id === work.to)
  if (!input || !from || !to) {
    throw new Error(`ImageMagick does not support ${work.from} to ${work.to}.`)
  }
  try {
    const request = { input, from, to, work, tools }
    const step: Step = { ...request, ...(await normalizeInput(from, input, tools)) }
    const result = await (work.operation === 'thumbnail' ? createThumbnail(step) : convert(step))
    tools.progress(1)
    return result
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    const unsupportedTexture = from === 'dds' ? await findUnsupportedTexture(input.path) : undefined
    if (unsupportedTexture !== undefined) throw createFeatureError(from, unsupportedTexture, error)
    throw (await readLargestSide(input.path, from)) > maxSidePx
      ? createImageTooLargeError(error)
      : explainFailure(error, from)
  }
}

interface Step {
  readonly input: InputFile
  /** Arguments after the input file, in addition to the arguments of the source format. */
  readonly args?: readonly string[]
  readonly from: MagickSourceId
  readonly to: MagickTargetId
  readonly work: EngineWork
  readonly tools: Tools
}

/** Decodes with ImageMagick but scales with libvips, so that all thumbnails look alike. */
async function createThumbnail(step: Step): Promise<EngineResult> {
  const { input, from, work, tools } = step
  const { frame, index } = pickFrame(await readFrames(input.path, from, tools), from)
  const path = join(tools.workDir, 'first.png')
  const fullSizeStep: Step = { ...step, to: 'png', work: { ...work, options: {} } }
  await writeFrame(fullSizeStep, `${getMagickSource(from).coder}:${input.path}[${index}]`, frame, path)
  return makeThumbnail({ ...work, inputs: [{ ...input, path, format: 'png' }] }, tools)
}

async function convert(step: Step): Promise<EngineResult> {
  const { input, from, to, work, tools } = step
  const frames = await readFrames(input.path, from, tools)
  const keepsMetadata = parseImageOptions(work.options).metadata === 'keep'
  if (keepsMetadata && !storesMetadata(to) && (await hasMetadata(input.path, frames)))
    tools.warn('METADATA_NOT_KEPT', `metadata=keep has no effect: ${to} files are written without metadata.`)
  if (mayHaveDeepColor(work.from) && !hasDeepColor(to) && frames.some(({ depth }) => depth > 8))
    warnAboutDepth(to, tools)
  tools.progress(0.2)
  const chosenFrame = pickFrame(frames, from)
  const { stores } = getMagickTarget(to)
  const hasManyFrames = frames.length > 1 && getMagickSource(from).only === undefined
  const hasPages = hasManyFrames && formatById(from).multiPage === true
  const path = join(work.outDir, `output.${getExtension(to)}`)
  if (hasPages && stores !== 'pages') return writePagesAsZip(step, frames)
  if (hasManyFrames && stores) {
    const coalesceArgs = hasPages ? [] : ['-coalesce']
    await writeFrame(
      step,
      `${getMagickSource(from).coder}:${input.path}`,
      chosenFrame.frame,
      path,
      coalesceArgs,
    )
    return { files: [{ path }], details: { frames: frames.length } }
  }
  if (hasManyFrames) {
    tools.warn(
      'ANIMATION_DROPPED',
      `Only the first of ${frames.length} frames was kept: ${to} stores a single image.`,
    )
  }
  await writeFrame(
    step,
    `${getMagickSource(from).coder}:${input.path}[${chosenFrame.index}]`,
    chosenFrame.frame,
    path,
  )
  return { files: [{ path }] }
}

async function writePagesAsZip(step: Step, frames: readonly Frame[]): Promise<EngineResult> {
  const { input, from, to, work, tools } = step
  const files: PageFile[] = []
  for (const [index, frame] of frames.entries()) {
    const page = index + 1
    const path = join(work.outDir, createPageFileName(page, frames.length, getExtension(to)))
    await writeFrame(step, `${getMagickSource(from).coder}:${input.path}[${index}]`, frame, path)
    files.push({ page, path })
    tools.progress(0.2 + (0.7 * page) / frames.length, 'pages')
  }
  const path = await packPages(work.outDir, files, { format: to, options: work.options })
  return { files: [{ path, format: 'zip' }], details: { pages: frames.length } }
}

async function writeFrame(
  { input, from, to, work, tools, args: inputArgs = [] }: Step,
  sourcePath: string,
  frame: Frame,
  path: string,
  frameArgs: readonly string[] = [],
): Promise<void> {
  const { coder, isOpaque, supportsProfile, quality, args = [] } = getMagickTarget(to)
  const { rotate, background, metadata } = parseImageOptions(work.options)
  const keepsBlendedWhite =
    getMagickSource(from).mayBeBlendedWithWhite && !(await isWrittenByPhotoshop(input.path))
  const checksOpacity = isOpaque === true && background === undefined
  const { stdout } = await runMagick(tools, 'convert', [
    ...(keepsBlendedWhite ? ['-define', 'psd:alpha-unblend=off'] : []),
    sourcePath,
    ...(getMagickSource(from).args ?? []),
    ...inputArgs,
    ...frameArgs,
    '-auto-orient',
    ...(rotate ? ['-rotate', String(rotate), '+repage'] : []),
    ...(await buildColorArgs(frame, supportsProfile === true, parseColorSpace(work.options), tools)),
    // Removes comments and the location, because they are private.
    ...(metadata === 'strip' ? ['+profile', '!icc,*', '+set', 'comment'] : []),
    ...(checksOpacity ? ['-print', '%[opaque]\\n'] : []),
    ...['-background', background ?? (isOpaque ? 'white' : 'none')],
    ...(isOpaque || background ? ['-alpha', 'remove', '-alpha', 'off'] : []),
    ...createSizeArgs(work.options),
    ...(to === 'ico' || to === 'cur' ? buildIconArgs(frame, to, work.options) : []),
    ...(to === 'jp2' || to === 'j2k' ? buildWaveletArgs(frame, work.options) : []),
    ...(to === 'webp' && (await hasFewColors(sourcePath, tools)) ? ['-define', 'webp:lossless=true'] : []),
    ...(quality?.(work.options) ?? []),
    ...args,
    `${coder}:${path}`,
  ])
  await finishFile(path, to, work.options)
  if (stdout.includes('false')) warnAboutTransparency(to, tools)
}

async function finishFile(path: string, to: MagickTargetId, options: unknown): Promise<void> {
  if (to === 'cur') await makeCursor(path)
  if (to === 'png') await reduceToPalette(path, options)
}

const toolsWithWarning = new WeakSet<Tools>()

/** Warns about lost transparency, once for all pages. */
function warnAboutTransparency(to: MagickTargetId, tools: Tools): void {
  if (toolsWithWarning.has(tools)) return
  toolsWithWarning.add(tools)
  const message = `Transparent parts became white: ${to} has no transparency. Set background for another color.`
  tools.warn('TRANSPARENCY_DROPPED', message)
}

/** Whether Photoshop wrote the file. Photoshop writes its name into the image resources, which precede the layers. */
async function isWrittenByPhotoshop(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512 * 1024), 0, 512 * 1024, 0)
    return buffer.subarray(0, bytesRead).includes('Adobe Photoshop')
  } finally {
    await file.close()
  }
}

/** Whether an image has few colors, so that chroma subsampling of lossy WebP would blur its edges. */
async function hasFewColors(sourcePath: string, tools: Tools): Promise<boolean> {
  const { stdout } = await runMagick(tools, 'identify', ['-format', '%k ', sourcePath])
  return Number(stdout.trim().split(' ')[0]) <= 256
}

/**
 * Reduces the resolution levels for tiny images, for which the default of six overflows in OpenJPEG and makes the
 * colors wrong.
 */
function buildWaveletArgs({ width, height }: Frame, options: unknown): string[] {
  const box = getResizeBox(parseImageOptions(options))
  const side = Math.min(width, height, box?.width ?? width, box?.height ?? height)
  const levelCount = Math.max(1, Math.min(6, Math.floor(Math.log2(side)) - 2))
  return ['-define', `jp2:number-resolutions=${levelCount}`]
}

/**
 * Turns an icon into a cursor by changing the type number, and by writing a hotspot in place of planes and depth. The
 * type is at offset 2, the entry count at 4; entries of 16 bytes start at 6, with the hotspot at offset 4 of each.
 */
async function makeCursor(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.write(Buffer.from([2]), 0, 1, 2)
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 4)
    for (let entry = 0; entry < buffer.readUInt16LE(0); entry++) {
      await file.write(Buffer.alloc(4), 0, 4, 6 + 16 * entry + 4)
    }
  } finally {
    await file.close()
  }
}

/** Returns arguments for square icons in the common sizes, none larger than the image. */
function buildIconArgs({ width, height }: Frame, to: 'ico' | 'cur', options: unknown): string[] {
  const fitToIconArgs = ['-resize', `${maxIconSide}x${maxIconSide}>`, '-gravity', 'center']
  if (to === 'cur') return [...fitToIconArgs, '-resize', '128x128>']
  const requestedSides = parseIconSides(options)
  if (!requestedSides && createSizeArgs(options).length > 0) return fitToIconArgs
  const side = Math.min(maxIconSide, Math.max(width, height))
  const smallerSides = [128, 64, 48, 32, 16].filter((size) => size < side)
  const sides = requestedSides ?? [side, ...smallerSides]
  return [...fitToIconArgs, '-extent', `${side}x${side}`, '-define', `icon:auto-resize=${sides.join(',')}`]
}

/**
 * Returns the name of a texture feature that ImageMagick does not support: Direct3D 10 headers and all compressions
 * except DXT1, DXT3 and DXT5.
 */
async function findUnsupportedTexture(path: string): Promise<string | undefined> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(88), 0, 88, 0)
    const name = buffer.toString('latin1', 84)
    if (name === 'DX10') return 'a compression of Direct3D 10'
    return /^[A-Z][A-Z\d]{3}$/.test(name) && !/^DXT[135]$/.test(name) ? `${name} compression` : undefined
  } finally {
    await file.close()
  }
}

const getExtension = (to: FormatId) => formatById(to).extensions[0] ?? to

function createImageTooLargeError(cause: Error): AppError {
  const message = `The image exceeds the limit of ${maxSidePx} pixels per side, or needs too much memory.`
  return new AppError('FILE_TOO_LARGE', message, { maxSide: maxSidePx }, { cause })
}

function explainFailure(error: ProcessFailure, from: MagickSourceId): AppError {
  const { stderr } = error
  if (
    /exceeds limit|memory allocation|resources exhausted|resource limit|list length|too many/i.test(stderr)
  ) {
    return createImageTooLargeError(error)
  }
  if (/time limit/i.test(stderr)) {
    return new AppError('TIMEOUT', 'Processing the image exceeded the time limit.', undefined, {
      cause: error,
    })
  }
  return createCorruptImageError(from, error)
}
