import { randomUUID } from 'node:crypto'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { EngineResult, Tools } from '../../engine.ts'
import { qualityNumber } from '../../options.ts'
import { qpdf } from '../qpdf.ts'
import { distill, type Pages, pagesIn, warnLost, withoutForm } from './distill.ts'
import { bytesOf, finish, type Tool, type ToolJob } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'

/** How pictures are kept: pixels per inch, and the quantization factor of their JPEG, where more is coarser. */
interface Level {
  readonly dpi: number
  readonly coarseness: number
}

/** From the best to the smallest. */
const levels = [
  { dpi: 300, coarseness: 0.15 },
  { dpi: 250, coarseness: 0.25 },
  { dpi: 200, coarseness: 0.4 },
  { dpi: 150, coarseness: 0.6 },
  { dpi: 120, coarseness: 0.76 },
  { dpi: 96, coarseness: 1 },
  { dpi: 72, coarseness: 1.3 },
  { dpi: 50, coarseness: 2 },
  { dpi: 36, coarseness: 3 },
] as const satisfies readonly Level[]

type Preset = ToolOptions<'compress-pdf'>['pdfQuality']
type How = Level | Preset

export const compressPdf: Tool<ToolOptions<'compress-pdf'>> = async (job) => {
  const plain = await withoutForm(job.pdf, job.tools)
  return result(job, await smaller(plain, job.options.pdfQuality, job.tools), {})
}

export const compress: Tool<ToolOptions<'compress'>> = async (job) => {
  const { pdf, options, tools } = job
  const plain = await withoutForm(pdf, tools)
  if (options.targetSize !== undefined) return fit(job, plain, options.targetSize)
  return result(job, await smaller(plain, howFor(options), tools), {})
}

const words = { low: 25, medium: 60, high: 80, highest: 100 } as const
const smallest = levels[levels.length - 1] ?? levels[0]

function howFor({ profile, quality }: ToolOptions<'compress'>): How {
  if (profile === 'max') return smallest
  if (profile !== undefined) return profile === 'web' ? 'ebook' : profile
  const share = (100 - qualityNumber(quality ?? 'medium', words)) / 99
  return levels[Math.round(share * (levels.length - 1))] ?? smallest
}

/** The best level whose result fits: each try halves what is left to try. */
async function fit(job: ToolJob<unknown>, plain: Pages, targetSize: number): Promise<EngineResult> {
  const { pdf, tools } = job
  const before = await bytesOf(pdf.source)
  // A cipher pads every text and stream by up to 32 bytes.
  const room = pdf.encrypted ? Math.min(targetSize * 0.1, 32_768) : 0
  if (before <= targetSize) {
    return result(job, { path: pdf.source, size: before }, { targetSize, reached: true })
  }
  const tries = Math.ceil(Math.log2(levels.length + 1))
  let low = 0
  let high: number = levels.length
  let best: Made | undefined
  let least: Made | undefined
  for (let count = 0; low < high; count++) {
    const middle = Math.floor((low + high) / 2)
    const made = await smaller(plain, levels[middle] ?? smallest, tools, {
      from: count / tries,
      share: 1 / tries,
    })
    if (!least || made.size < least.size) least = made
    if (made.size <= targetSize - room) {
      best = made
      high = middle
    } else low = middle + 1
  }
  const made = best ?? least
  if (!made) throw new Error('No level was tried.')
  if (!best) {
    const size = Math.min(made.size, before)
    const sentence = `The PDF could not be made as small as ${targetSize} bytes: it has ${size} at least.`
    tools.warn('TARGET_NOT_REACHED', sentence)
  }
  return result(job, made, { targetSize, reached: best !== undefined })
}

interface Made {
  readonly path: string
  readonly size: number
}

async function smaller(
  plain: Pages,
  how: How,
  tools: Tools,
  { from, share } = { from: 0, share: 1 },
): Promise<Made> {
  const name = randomUUID()
  const distilled = join(tools.workDir, `${name}-distilled.pdf`)
  const onProgress = (ratio: number) => tools.progress((from + share * ratio) * 0.9, 'pages')
  await distill(plain, { ...settingsOf(how), output: distilled, onProgress }, tools)
  if ((await pagesIn(distilled, tools)) !== plain.sizes.length) {
    throw new AppError('CORRUPT_FILE', 'The PDF is damaged: some of its pages cannot be written anew.')
  }
  const path = join(tools.workDir, `${name}.pdf`)
  await qpdf({ inputFile: distilled, objectStreams: 'generate', outputFile: path }, tools)
  await rm(distilled)
  return { path, size: await bytesOf(path) }
}

function settingsOf(how: How): { args: string[]; prolog?: string } {
  if (typeof how === 'string') return { args: [`-dPDFSETTINGS=/${how}`] }
  const { dpi, coarseness } = how
  const kinds = ['Color', 'Gray']
  const args = kinds.flatMap((kind) => [
    `-dDownsample${kind}Images=true`,
    `-d${kind}ImageDownsampleType=/Bicubic`,
    `-d${kind}ImageResolution=${dpi}`,
    `-d${kind}ImageDownsampleThreshold=1.1`,
  ])
  const samples = '/HSamples [2 1 1 2] /VSamples [2 1 1 2]'
  const jpeg = `<< /QFactor ${coarseness} /Blend 1 ${samples} >>`
  return {
    // A JPEG that need not be made smaller would be copied as it is.
    args: [...args, '-dPassThroughJPEGImages=false', '-dMonoImageResolution=300'],
    prolog: `<< ${kinds.map((kind) => `/${kind}ACSImageDict ${jpeg} /${kind}ImageDict ${jpeg}`).join(' ')} >> setdistillerparams`,
  }
}

interface Facts {
  readonly targetSize?: number
  readonly reached?: boolean
}

/** Never larger than what came. */
async function result(
  job: ToolJob<unknown>,
  made: Made,
  { targetSize, reached }: Facts,
): Promise<EngineResult> {
  const { pdf, work, tools } = job
  const before = await bytesOf(pdf.source)
  const facts = { pages: pdf.sizes.length, sizeBefore: before }
  const wanted = targetSize === undefined ? {} : { targetSize, reached: reached === true }
  if (made.size < before) {
    warnLost(pdf, tools)
    const { files } = await finish(job, made.path)
    return { files, details: { ...facts, sizeAfter: await bytesOf(files[0].path), ...wanted } }
  }
  if (targetSize === undefined) {
    tools.warn('NOT_SMALLER', 'The PDF cannot be made smaller in this way, so it is returned as it came.')
  }
  const path = join(work.outDir, 'output.pdf')
  await copyFile(pdf.source, path)
  tools.progress(1)
  return { files: [{ path }], details: { ...facts, sizeAfter: before, ...wanted } }
}
