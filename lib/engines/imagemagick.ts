import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import { adobeRgbProfile, srgbProfile } from './image/color-profiles.ts'
import { boxOf, pictureOptions } from './image/options.ts'
import { thumbnailRowsOf } from './image/thumbnail-options.ts'
import { claimedSide } from './imagemagick/header-dimensions.ts'
import { maxSide } from './imagemagick/limits.ts'
import { settled } from './imagemagick/normalize-input.ts'
import { magick } from './imagemagick/run.ts'
import { type SourceId, sourceOf, sources } from './imagemagick/sources.ts'
import { colorSpaceOf, iconSides, sizeArgs, type TargetId, targetOf, targets } from './imagemagick/targets.ts'
import { packPages } from './pdf/pack-pages.ts'
import { type PageFile, pageFileName } from './pdf/page-files.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { unsupportedFeatureError } from './unsupported-feature.ts'
import { makeThumbnail } from './vips/thumbnail.ts'

const sourceIds = Object.keys(sources) as SourceId[] // Object.keys forgets the names that the table has.
const targetIds = Object.keys(targets) as TargetId[]
/** The header has a byte for it, in which 0 is 256. */
const maxIconSide = 256

/** Pictures of design, film and old programs, which libvips does not know. */
export const imagemagick: Engine = {
  id: 'imagemagick',
  image: 'image',
  capabilities: [
    ...targetIds.map((to): Capability => {
      const { cost, options } = targetOf(to)
      return { operation: 'convert', from: sourceIds, to: [to], same: true, options, cost }
    }),
    ...thumbnailRowsOf(sourceIds, {}, 0.3),
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
    throw new Error(`ImageMagick was asked for ${work.from} to ${work.to}, which it does not declare.`)
  }
  try {
    const asked = { input, from, to, work, tools }
    const step: Step = { ...asked, ...(await settled(from, input, tools)) }
    const result = await (work.operation === 'thumbnail' ? thumbnail(step) : convert(step))
    tools.progress(1)
    return result
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    const texture = from === 'dds' ? await unknownTexture(input.path) : undefined
    if (texture !== undefined) throw unsupportedFeatureError(from, texture, error)
    throw (await claimedSide(input.path, from)) > maxSide ? tooLarge(error) : explained(error, from)
  }
}

interface Step {
  readonly input: InputFile
  /** After reading, besides those of its format. */
  readonly args?: readonly string[]
  readonly from: SourceId
  readonly to: TargetId
  readonly work: EngineWork
  readonly tools: Tools
}

interface Frame {
  readonly width: number
  readonly height: number
  readonly colorspace: string
  /** Says itself what its numbers mean. */
  readonly profiled: boolean
}

/** Read here and made small where all thumbnails are, so that they look alike. */
async function thumbnail(step: Step): Promise<EngineResult> {
  const { input, from, work, tools } = step
  const { frame, index } = pick(await framesOf(step), from)
  const path = join(tools.workDir, 'first.png')
  const whole: Step = { ...step, to: 'png', work: { ...work, options: {} } }
  await write(whole, `${sourceOf(from).coder}:${input.path}[${index}]`, frame, path)
  return makeThumbnail({ ...work, inputs: [{ ...input, path, format: 'png' }] }, tools)
}

async function convert(step: Step): Promise<EngineResult> {
  const { input, from, to, work, tools } = step
  const frames = await framesOf(step)
  tools.progress(0.2)
  const picked = pick(frames, from)
  const { holds } = targetOf(to)
  const many = frames.length > 1 && sourceOf(from).takes === undefined
  const pages = many && formatById(from).multiPage === true
  const path = join(work.outDir, `output.${extensionOf(to)}`)
  if (pages && holds !== 'pages') return pagesToZip(step, frames)
  if (many && holds) {
    const fit = pages ? [] : ['-coalesce']
    await write(step, `${sourceOf(from).coder}:${input.path}`, picked.frame, path, fit)
    return { files: [{ path }], details: { frames: frames.length } }
  }
  if (many) {
    tools.warn(
      'ANIMATION_DROPPED',
      `Only the first of ${frames.length} frames was kept: ${to} holds one picture.`,
    )
  }
  await write(step, `${sourceOf(from).coder}:${input.path}[${picked.index}]`, picked.frame, path)
  return { files: [{ path }] }
}

/** What lies in the file, from its headers. */
async function framesOf({ input, from, tools }: Step): Promise<[Frame, ...Frame[]]> {
  const { coder, takes } = sourceOf(from)
  const path = `${coder}:${input.path}${takes === 'first' ? '[0]' : ''}`
  const { stdout } = await magick(tools, 'identify', [
    '-ping',
    '-format',
    '%w %h %[colorspace] %[profile:icc]\n',
    path,
  ])
  const [first, ...rest] = stdout
    .trim()
    .split('\n')
    .map((line): Frame => {
      const [width, height, colorspace = '', ...profile] = line.split(' ')
      return {
        width: Number(width),
        height: Number(height),
        colorspace,
        profiled: profile.join('').trim() !== '',
      }
    })
  if (!first || !(first.width > 0 && first.height > 0)) throw corrupt(from)
  return [first, ...rest]
}

function pick(frames: readonly [Frame, ...Frame[]], from: SourceId): { frame: Frame; index: number } {
  if (sourceOf(from).takes !== 'largest') return { frame: frames[0], index: 0 }
  const frame = frames.reduce((best, next) => (next.width > best.width ? next : best))
  return { frame, index: frames.indexOf(frame) }
}

async function pagesToZip(step: Step, frames: readonly Frame[]): Promise<EngineResult> {
  const { input, from, to, work, tools } = step
  const files: PageFile[] = []
  for (const [index, frame] of frames.entries()) {
    const page = index + 1
    const path = join(work.outDir, pageFileName(page, frames.length, extensionOf(to)))
    await write(step, `${sourceOf(from).coder}:${input.path}[${index}]`, frame, path)
    files.push({ page, path })
    tools.progress(0.2 + (0.7 * page) / frames.length, 'pages')
  }
  const path = await packPages(work.outDir, files, { format: to, options: work.options })
  return { files: [{ path, format: 'zip' }], details: { pages: frames.length } }
}

async function write(
  { input, from, to, work, tools, args: settling = [] }: Step,
  source: string,
  frame: Frame,
  path: string,
  joined: readonly string[] = [],
): Promise<void> {
  const { coder, opaque, profiled, quality, args = [] } = targetOf(to)
  const { rotate, background, metadata } = pictureOptions(work.options)
  const asItIs = sourceOf(from).mixed && !(await isOfPhotoshop(input.path))
  const mayShow = opaque === true && background === undefined
  const { stdout } = await magick(tools, 'convert', [
    ...(asItIs ? ['-define', 'psd:alpha-unblend=off'] : []),
    source,
    ...(sourceOf(from).args ?? []),
    ...settling,
    ...joined,
    '-auto-orient',
    ...(rotate ? ['-rotate', String(rotate), '+repage'] : []),
    ...colorArgs(frame, profiled === true, colorSpaceOf(work.options)),
    // Comments and places are nobody's business.
    ...(metadata === 'strip' ? ['+profile', '!icc,*', '+set', 'comment'] : []),
    ...(mayShow ? ['-print', '%[opaque]\\n'] : []),
    ...['-background', background ?? (opaque ? 'white' : 'none')],
    ...(opaque || background ? ['-alpha', 'remove', '-alpha', 'off'] : []),
    ...sizeArgs(work.options),
    ...(to === 'ico' || to === 'cur' ? iconArgs(frame, to, work.options) : []),
    ...(to === 'jp2' || to === 'j2k' ? waveletArgs(frame, work.options) : []),
    ...(to === 'webp' && (await hasFewColors(source, tools)) ? ['-define', 'webp:lossless=true'] : []),
    ...(quality?.(work.options) ?? []),
    ...args,
    `${coder}:${path}`,
  ])
  if (to === 'cur') await makeCursor(path)
  if (stdout.includes('false')) tellTransparency(to, tools)
}

const told = new WeakSet<Tools>()

/** Once for all pages. */
function tellTransparency(to: TargetId, tools: Tools): void {
  if (told.has(tools)) return
  told.add(tools)
  const message = `Transparent parts became white: ${to} has none. The option background takes another color.`
  tools.warn('TRANSPARENCY_DROPPED', message)
}

/** Its name stands in the resources before the layers. */
async function isOfPhotoshop(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512 * 1024), 0, 512 * 1024, 0)
    return buffer.subarray(0, bytesRead).includes('Adobe Photoshop')
  } finally {
    await file.close()
  }
}

/** As libvips does: what both can show stays as it is, and black stays black. */
const faithful = ['-intent', 'Relative', '-black-point-compensation']

/** Numbers are given the meaning that sRGB has, by their profile where they have one, unless the target keeps it. */
function colorArgs(
  { colorspace, profiled }: Frame,
  keepsProfile: boolean,
  asked: ReturnType<typeof colorSpaceOf>,
): string[] {
  if (asked === 'adobe-rgb') {
    const known = profiled ? [] : ['-colorspace', 'sRGB', '+profile', 'icc', '-profile', srgbProfile]
    return [...known, '-profile', adobeRgbProfile]
  }
  const rgb = colorspace !== 'CMYK' && colorspace !== 'CMYKA'
  // Its numbers mean what they do without a profile, and the one of them is no other picture's.
  if (/Lab$/.test(colorspace)) return ['-colorspace', 'sRGB', '+profile', 'icc']
  if (profiled && keepsProfile && rgb && asked !== 'srgb') return ['-colorspace', 'sRGB']
  if (profiled) return [...faithful, '-profile', srgbProfile, '-colorspace', 'sRGB', '+profile', 'icc']
  return ['-colorspace', 'sRGB', '+profile', 'icc']
}

/** Edges between few colors would get others, as the format has half as many colors as dots. */
async function hasFewColors(source: string, tools: Tools): Promise<boolean> {
  const { stdout } = await magick(tools, 'identify', ['-format', '%k ', source])
  return Number(stdout.trim().split(' ')[0]) <= 256
}

/** The usual six halvings of a picture of a few dots overflow in OpenJPEG: its colors come out wrong. */
function waveletArgs({ width, height }: Frame, options: unknown): string[] {
  const asked = boxOf(pictureOptions(options))
  const side = Math.min(width, height, asked?.width ?? width, asked?.height ?? height)
  const levels = Math.max(1, Math.min(6, Math.floor(Math.log2(side)) - 2))
  return ['-define', `jp2:number-resolutions=${levels}`]
}

/**
 * A cursor is an icon with another number, and the place that points instead of planes and depth. Type and count of
 * entries stand at 2 and 4, the entries of 16 bytes from 6 on, and that place at 4 of each.
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

/** A square with the usual sizes in it, none of them larger than the picture. */
function iconArgs({ width, height }: Frame, to: 'ico' | 'cur', options: unknown): string[] {
  const square = ['-resize', `${maxIconSide}x${maxIconSide}>`, '-gravity', 'center']
  if (to === 'cur') return [...square, '-resize', '128x128>']
  const asked = iconSides(options)
  if (!asked && sizeArgs(options).length > 0) return square
  const side = Math.min(maxIconSide, Math.max(width, height))
  const smaller = [128, 64, 48, 32, 16].filter((size) => size < side)
  const sides = asked ?? [side, ...smaller]
  return [...square, '-extent', `${side}x${side}`, '-define', `icon:auto-resize=${sides.join(',')}`]
}

/** Of the compressions of textures it knows three, and none by its name of Direct3D 10. */
async function unknownTexture(path: string): Promise<string | undefined> {
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

const extensionOf = (to: FormatId) => formatById(to).extensions[0] ?? to

function tooLarge(cause: Error): AppError {
  const sentence = `The image is larger than the limit of ${maxSide} pixels per side or of its memory.`
  return new AppError('FILE_TOO_LARGE', sentence, { maxSide }, { cause })
}

function explained(error: ProcessFailure, from: SourceId): AppError {
  const { stderr } = error
  if (
    /exceeds limit|memory allocation|resources exhausted|resource limit|list length|too many/i.test(stderr)
  ) {
    return tooLarge(error)
  }
  if (/time limit/i.test(stderr)) {
    return new AppError('TIMEOUT', 'The image took longer than its limit.', undefined, { cause: error })
  }
  return corrupt(from, error)
}

function corrupt(format: FormatId, cause?: Error): AppError {
  const sentence = `The ${format} image is damaged or incomplete.`
  return new AppError('CORRUPT_FILE', sentence, { format }, { cause })
}
