import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Sharp } from 'sharp'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import { integer } from './options.ts'
import { EngineCrash } from './sandbox/engine-crash.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { type RawPixels, readRawPixels } from './shared/image/raw-pixels.ts'
import { traceableFormats, warnAboutUntracedImages } from './shared/image/tracing.ts'

const Options = z.object({
  colorMode: z
    .enum(['color', 'bw'])
    .default('color')
    .describe('color traces all colors, bw traces the dark parts in black.'),
  threshold: integer(1, 99)
    .default(50)
    .describe('For bw: everything darker than this brightness, in percent, is black.'),
  colorPrecision: integer(1, 8)
    .default(6)
    .describe('Bits per color channel: fewer bits give fewer, larger shapes.'),
  filterSpeckle: integer(0, 128)
    .default(4)
    .describe('Removes speckles smaller than this many pixels on a side.'),
  curveMode: z
    .enum(['spline', 'polygon', 'pixel'])
    .default('spline')
    .describe('Outlines as curves (spline), straight lines (polygon) or pixel steps (pixel).'),
})
type Options = z.output<typeof Options>

const packageFolder = fileURLToPath(
  new URL('../../node_modules/@neplex/vectorizer-linux-x64-gnu/', import.meta.url),
)
const program = fileURLToPath(new URL('../../layers/tracing/trace.mjs', import.meta.url))

/** More pixels would make the file unwieldy without making the curves finer. */
const maxSide = 3000

/** Traces images as color drawings, and compresses or decompresses SVG. */
export const vtracer: Engine = {
  id: 'vtracer',
  image: 'image',
  capabilities: [
    { operation: 'convert', from: traceableFormats, to: ['svg', 'svgz'], options: Options, cost: 0.5 },
    { operation: 'convert', from: ['svg', 'svgz'], to: ['svg', 'svgz'], options: z.object({}), cost: 0.02 },
  ],
  limits: { memoryMb: 3008, diskMb: 2048, timeoutS: 120 },
  version: () => {
    const { version }: { version: string } = JSON.parse(
      readFileSync(join(packageFolder, 'package.json'), 'utf8'),
    )
    return `vectorizer ${version}`
  },
  run,
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('VTracer was called without an input.')
  const { from, to, outDir } = work
  const svg =
    from === 'svg' || from === 'svgz' ? await readDrawing(input) : await traceImage(input, work, tools)
  const path = join(outDir, `output.${to}`)
  await writeFile(path, to === 'svgz' ? await promisify(gzip)(svg, { level: 9 }) : svg)
  tools.progress(1)
  return { files: [{ path }] }
}

const maxDrawingBytes = 512 * 1024 * 1024

async function readDrawing({ path, format }: InputFile): Promise<Buffer> {
  const bytes = await readFile(path)
  try {
    const svg =
      format === 'svgz' ? await promisify(gunzip)(bytes, { maxOutputLength: maxDrawingBytes }) : bytes
    if (/<(?:\w+:)?svg\b/.test(svg.toString('latin1', 0, 1024 * 1024))) return svg
    throw new Error('The file has no svg element.')
  } catch (cause) {
    const message = `The ${format} drawing is damaged.`
    throw new AppError('CORRUPT_FILE', message, { field: 'file', format }, { cause })
  }
}

async function traceImage(input: InputFile, work: EngineWork, tools: Tools): Promise<Buffer> {
  const options = Options.parse(work.options)
  const isBlackAndWhite = options.colorMode === 'bw'
  const image = await readRawPixels(input, {
    page: 0,
    maxSide,
    transparency: isBlackAndWhite ? 'over white' : 'keep',
    // Applies the threshold here, because the tracer's own threshold is fixed.
    prepare: (image) => (isBlackAndWhite ? toBlackAndWhite(image, options.threshold) : image),
  })
  warnAboutUntracedImages(input.format, work.to, image.pages, tools)
  tools.progress(0.2)
  const pixelsPath = join(tools.workDir, 'pixels')
  const path = join(tools.workDir, 'traced.svg')
  await writeFile(pixelsPath, image.data)
  const { width, height } = image
  const settings = JSON.stringify(toVtracerSettings(options))
  const bindingPath = join(packageFolder, 'vectorizer.linux-x64-gnu.node')
  const args = [program, bindingPath, pixelsPath, String(width), String(height), path, settings]
  try {
    await tools.exec(process.execPath, args, { readOnly: [process.execPath, program, packageFolder] })
  } catch (error) {
    throw error instanceof ProcessFailure || error instanceof EngineCrash
      ? createTooDetailedError(error)
      : error
  }
  tools.progress(0.9)
  return restoreOriginalSize(await readFile(path), image)
}

const toBlackAndWhite = (image: Sharp, threshold: number) =>
  image
    .threshold(Math.round(threshold * 2.55))
    .toColourspace('srgb')
    .ensureAlpha()

/**
 * Returns the settings of VTracer's module, which defines modes as numbers. Settings without an option have the values
 * of VTracer's preset for photos.
 */
function toVtracerSettings({ colorMode, colorPrecision, filterSpeckle, curveMode }: Options) {
  return {
    colorMode: { color: 0, bw: 1 }[colorMode],
    hierarchical: 0,
    mode: { pixel: 0, polygon: 1, spline: 2 }[curveMode],
    colorPrecision,
    filterSpeckle,
    layerDifference: 16,
    cornerThreshold: 60,
    lengthThreshold: 4,
    maxIterations: 10,
    spliceThreshold: 45,
    pathPrecision: 2,
  }
}

function restoreOriginalSize(svg: Buffer, { width, height, original }: RawPixels): Buffer {
  const sizeAttributes = `width="${original.width}" height="${original.height}"`
  const end = svg.indexOf('<path')
  const head = svg
    .subarray(0, end)
    .toString()
    .replace(/width="\d+" height="\d+"/, `${sizeAttributes} viewBox="0 0 ${width} ${height}"`)
  return Buffer.concat([Buffer.from(head), svg.subarray(end)])
}

function createTooDetailedError(cause: Error): AppError {
  const message =
    'The image has too many details to be traced: use a lower colorPrecision or a larger filterSpeckle.'
  return new AppError('CONVERSION_FAILED', message, undefined, { cause })
}
