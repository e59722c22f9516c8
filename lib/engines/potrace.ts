import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { FormatId } from '../formats/index.ts'
import { keysOf } from '../validation/keys-of.ts'
import type { Engine, EngineResult, EngineWork, Tools } from './engine.ts'
import { flag, integer } from './options.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { readRawPixels } from './shared/image/raw-pixels.ts'
import { traceableFormats, warnAboutUntracedImages } from './shared/image/tracing.ts'

const baseOptionShape = {
  threshold: integer(1, 99)
    .default(50)
    .describe('Everything darker than this brightness, in percent, is traced.'),
  invert: flag().default(false).describe('Traces the light parts instead of the dark ones.'),
  filterSpeckle: integer(0, 10_000).default(2).describe('Removes speckles of up to this many pixels.'),
  smoothness: integer(0, 100)
    .default(75)
    .describe('How much corners are rounded: 0 keeps all of them sharp, 100 rounds all of them.'),
}
const OutlineOptions = z.object(baseOptionShape)
const ShapeOptions = OutlineOptions.extend({
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'Expected a color such as #1a2b3c.')
    .default('#000000')
    .describe('Color of the shapes, such as #1a2b3c.'),
})

/**
 * Target formats. Their costs are higher than those of tracers that keep colors, because potrace is for clients that
 * explicitly want one color.
 */
const targets = {
  svg: { backend: 'svg', options: ShapeOptions, cost: 1 },
  svgz: { backend: 'svg', options: ShapeOptions, cost: 1 },
  eps: { backend: 'eps', options: ShapeOptions, cost: 1 },
  pdf: { backend: 'pdf', options: ShapeOptions, cost: 1 },
  dxf: { backend: 'dxf', options: OutlineOptions, cost: 0.2 },
} as const satisfies Partial<Record<FormatId, { backend: string; options: z.ZodObject; cost: number }>>
type TargetId = keyof typeof targets
const targetIds = keysOf(targets)

/** Longest side in pixels, about that of a page printed at 600 dpi. More pixels do not change the curves. */
const maxSide = 8000
/** Resolution at which one pixel becomes one point. */
const dotsPerInch = 72

/** Traces drawings, stamps and scans as smooth shapes of one color. */
export const potrace: Engine = {
  id: 'potrace',
  image: 'image',
  capabilities: targetIds.map((to) => {
    const { options, cost } = targets[to]
    const lossWarning = 'Colors were lost: the image was traced as shapes of one color.'
    return { operation: 'convert', from: traceableFormats, to: [to], options, cost, lossWarning } as const
  }),
  limits: { memoryMb: 3008, diskMb: 2048, timeoutS: 120 },
  version: ['potrace', '--version'],
  run,
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  const to = targetIds.find((id) => id === work.to)
  if (!input || !to) throw new Error(`Potrace does not support the target ${work.to}.`)
  const pixels = await readRawPixels(input, {
    page: 0,
    maxSide,
    transparency: 'over white',
    prepare: (image) => image.greyscale().toColourspace('b-w'),
  })
  warnAboutUntracedImages(input.format, to, pixels.pages, tools)
  const source = join(tools.workDir, 'image.pgm')
  const header = Buffer.from(`P5 ${pixels.width} ${pixels.height} 255\n`)
  await writeFile(source, [header, pixels.data])
  tools.progress(0.3)
  const path = join(work.outDir, `output.${to}`)
  const resolution = (dotsPerInch * pixels.width) / pixels.original.width
  const args = [...buildArgs(to, work.options), `--resolution=${resolution.toFixed(4)}`]
  try {
    await tools.exec('potrace', [...args, `--output=${path}`, '--', source])
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    const message = 'The image cannot be traced.'
    throw new AppError('CONVERSION_FAILED', message, undefined, { cause: error })
  }
  if (to === 'svgz') await writeFile(path, await promisify(gzip)(await readFile(path), { level: 9 }))
  tools.progress(1)
  return { files: [{ path }] }
}

/** Maximum of --alphamax: above it, all corners are smoothed (Potrace's manual). */
const maxAlpha = 1.334

function buildArgs(to: TargetId, raw: unknown): string[] {
  const { threshold, invert, filterSpeckle, smoothness } = OutlineOptions.parse(raw)
  return [
    `--backend=${targets[to].backend}`,
    `--blacklevel=${threshold / 100}`,
    `--turdsize=${filterSpeckle}`,
    `--alphamax=${((smoothness / 100) * maxAlpha).toFixed(4)}`,
    ...(invert ? ['--invert'] : []),
    ...(to === 'dxf' ? [] : [`--color=${ShapeOptions.parse(raw).color}`]),
  ]
}
