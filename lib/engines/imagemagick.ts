import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import type { Capability, Engine, InputFile, Result, Tools, Work } from './engine.ts'
import { ProcessFailure } from './exec.ts'
import {
  optionsOf,
  qualityArgs,
  type SourceId,
  sizeArgs,
  sourceOf,
  sources,
  type TargetId,
  targetOf,
  targets,
} from './imagemagick-coders.ts'
import { type PageFile, packPages, pageFileName } from './page-files.ts'

const sourceIds = Object.keys(sources) as SourceId[] // Object.keys forgets the names that the table has.
const targetIds = Object.keys(targets) as TargetId[]
const policy = fileURLToPath(new URL('../../layers/imagemagick/policy.xml', import.meta.url))
const maxIconSide = 256

/** Pictures of design, film and old programs, which libvips does not know. */
export const imagemagick: Engine = {
  id: 'imagemagick',
  image: 'image',
  capabilities: targetIds.map((to): Capability => {
    const { cost } = targetOf(to)
    return { operation: 'convert', from: sourceIds, to: [to], same: true, options: optionsOf(to), cost }
  }),
  limits: { memoryMb: 3008, diskMb: 2048, timeoutS: 120 },
  version: ['convert', '-version'],
  run,
}

async function run(work: Work, tools: Tools): Promise<Result> {
  const [input] = work.inputs
  const from = sourceIds.find((id) => id === work.from)
  const to = targetIds.find((id) => id === work.to)
  if (!input || !from || !to) {
    throw new Error(`ImageMagick was asked for ${work.from} to ${work.to}, which it does not declare.`)
  }
  try {
    const result = await convert({ input, from, to, work, tools })
    tools.progress(1)
    return result
  } catch (error) {
    throw error instanceof ProcessFailure ? explained(error, from) : error
  }
}

interface Step {
  readonly input: InputFile
  readonly from: SourceId
  readonly to: TargetId
  readonly work: Work
  readonly tools: Tools
}

interface Frame {
  readonly width: number
  readonly height: number
  readonly colorspace: string
}

async function convert(step: Step): Promise<Result> {
  const { input, from, to, work, tools } = step
  const frames = await framesOf(step)
  tools.progress(0.2)
  const picked = pick(frames, from)
  const { holds } = targetOf(to)
  const many = frames.length > 1 && sourceOf(from).takes === undefined
  const pages = many && from === 'tiff'
  const path = join(work.outDir, `output.${extensionOf(to)}`)
  if (pages && holds !== 'pages') return pagesToZip(step, frames)
  if (many && holds) {
    const fit = from === 'tiff' ? [] : ['-coalesce']
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
  const { stdout } = await magick(tools, 'identify', ['-ping', '-format', '%w %h %[colorspace]\n', path])
  const [first, ...rest] = stdout
    .trim()
    .split('\n')
    .map((line): Frame => {
      const [width, height, colorspace = ''] = line.split(' ')
      return { width: Number(width), height: Number(height), colorspace }
    })
  if (!first || !(first.width > 0 && first.height > 0)) throw corrupt(from)
  return [first, ...rest]
}

function pick(frames: readonly [Frame, ...Frame[]], from: SourceId): { frame: Frame; index: number } {
  if (sourceOf(from).takes !== 'largest') return { frame: frames[0], index: 0 }
  const frame = frames.reduce((best, next) => (next.width > best.width ? next : best))
  return { frame, index: frames.indexOf(frame) }
}

async function pagesToZip(step: Step, frames: readonly Frame[]): Promise<Result> {
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
  { from, to, work, tools }: Step,
  source: string,
  frame: Frame,
  path: string,
  joined: readonly string[] = [],
): Promise<void> {
  const { coder, opaque, args = [] } = targetOf(to)
  await magick(tools, 'convert', [
    source,
    ...(sourceOf(from).args ?? []),
    ...joined,
    '-auto-orient',
    // Profiles of other color spaces would be wrong after the change; comments and places are nobody's business.
    ...(frame.colorspace === 'CMYK' ? ['-colorspace', 'sRGB', '+profile', '*'] : ['-colorspace', 'sRGB']),
    ...['+profile', '!icc,*', '+set', 'comment'],
    ...['-background', opaque ? 'white' : 'none'],
    ...(opaque ? ['-alpha', 'remove', '-alpha', 'off'] : []),
    ...sizeArgs(work.options),
    ...(to === 'ico' ? iconArgs(frame, work.options) : []),
    ...qualityArgs(to, work.options),
    ...args,
    `${coder}:${path}`,
  ])
}

/** A square with the usual sizes in it, none of them larger than the picture. */
function iconArgs({ width, height }: Frame, options: unknown): string[] {
  const sized = sizeArgs(options).length > 0
  const side = Math.min(maxIconSide, Math.max(width, height))
  const smaller = [128, 64, 48, 32, 16].filter((size) => size < side)
  const square = ['-resize', `${maxIconSide}x${maxIconSide}>`, '-gravity', 'center']
  if (sized) return square
  return [
    ...square,
    '-extent',
    `${side}x${side}`,
    '-define',
    `icon:auto-resize=${[side, ...smaller].join(',')}`,
  ]
}

const extensionOf = (to: FormatId) => formatById(to).extensions[0] ?? to

/** Runs with our policy, which stands in the work folder because a sandbox sees nothing of ours elsewhere. */
async function magick(tools: Tools, bin: 'identify' | 'convert', args: readonly string[]) {
  const folder = join(tools.workDir, 'policy')
  await mkdir(folder, { recursive: true })
  await copyFile(policy, join(folder, 'policy.xml'))
  const env = { MAGICK_CONFIGURE_PATH: folder, MAGICK_TEMPORARY_PATH: tools.workDir }
  const done = await tools.exec(bin, args, { env })
  // It goes on after some kinds of damage and calls it a warning.
  if (/unexpected end|premature end|corrupt|insufficient image data|not enough/i.test(done.stderr)) {
    throw new ProcessFailure(bin, 0, done.stderr)
  }
  return done
}

function explained(error: ProcessFailure, from: SourceId): AppError {
  const { stderr } = error
  if (
    /exceeds limit|memory allocation|resources exhausted|resource limit|list length|too many/i.test(stderr)
  ) {
    const sentence = 'The image is larger than the limit of 16,000 pixels per side or of its memory.'
    return new AppError('FILE_TOO_LARGE', sentence, { maxSide: 16_000 }, { cause: error })
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
