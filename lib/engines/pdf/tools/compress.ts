import { randomUUID } from 'node:crypto'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { EngineResult, Tools } from '../../engine.ts'
import { toQualityNumber } from '../../options.ts'
import { runQpdf } from '../qpdf.ts'
import { countPages, type DistillInput, distill, flattenForm, warnAboutDistillLosses } from './distill.ts'
import { finishPdf, type PdfTool, type PdfToolJob, readFileSize } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'

/** Quality of the images in a compressed PDF. */
interface CompressionLevel {
  readonly dpi: number
  /** JPEG quantization factor; a higher value makes images coarser. */
  readonly coarseness: number
}

/** Compression levels, from the best quality to the smallest file. */
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
] as const satisfies readonly CompressionLevel[]

type Preset = ToolOptions<'compress-pdf'>['pdfQuality']
type CompressionSetting = CompressionLevel | Preset

export const compressByPreset: PdfTool<ToolOptions<'compress-pdf'>> = async (job) => {
  const flattenedPdf = await flattenForm(job.pdf, job.tools)
  return finishCompression(job, await recompress(flattenedPdf, job.options.pdfQuality, job.tools), {})
}

export const compressByQuality: PdfTool<ToolOptions<'compress'>> = async (job) => {
  const { pdf, options, tools } = job
  const flattenedPdf = await flattenForm(pdf, tools)
  if (options.targetSize !== undefined) return compressToSize(job, flattenedPdf, options.targetSize)
  return finishCompression(job, await recompress(flattenedPdf, chooseSetting(options), tools), {})
}

const qualityByName = { low: 25, medium: 60, high: 80, highest: 100 } as const
const smallestLevel = levels[levels.length - 1] ?? levels[0]

function chooseSetting({ profile, quality }: ToolOptions<'compress'>): CompressionSetting {
  if (profile === 'max') return smallestLevel
  if (profile !== undefined) return profile === 'web' ? 'ebook' : profile
  const ratio = (100 - toQualityNumber(quality ?? 'medium', qualityByName)) / 99
  return levels[Math.round(ratio * (levels.length - 1))] ?? smallestLevel
}

/** Finds the best level whose result fits, by binary search. */
async function compressToSize(
  job: PdfToolJob<unknown>,
  flattenedPdf: DistillInput,
  targetSize: number,
): Promise<EngineResult> {
  const { pdf, tools } = job
  const sizeBefore = await readFileSize(pdf.source)
  // Encryption pads every string and stream by up to 32 bytes.
  const encryptionBytes = pdf.isEncrypted ? Math.min(targetSize * 0.1, 32_768) : 0
  if (sizeBefore <= targetSize) {
    return finishCompression(job, { path: pdf.source, size: sizeBefore }, { targetSize, reached: true })
  }
  const maxTries = Math.ceil(Math.log2(levels.length + 1))
  let low = 0
  let high: number = levels.length
  let bestFile: CompressedFile | undefined
  let smallestFile: CompressedFile | undefined
  for (let count = 0; low < high; count++) {
    const middle = Math.floor((low + high) / 2)
    const compressedFile = await recompress(flattenedPdf, levels[middle] ?? smallestLevel, tools, {
      from: count / maxTries,
      share: 1 / maxTries,
    })
    if (!smallestFile || compressedFile.size < smallestFile.size) smallestFile = compressedFile
    if (compressedFile.size <= targetSize - encryptionBytes) {
      bestFile = compressedFile
      high = middle
    } else low = middle + 1
  }
  const compressedPdf = bestFile ?? smallestFile
  if (!compressedPdf) throw new Error('No compression level was tried.')
  if (!bestFile) {
    const size = Math.min(compressedPdf.size, sizeBefore)
    const message = `The PDF could not be reduced to ${targetSize} bytes: the smallest possible result has ${size} bytes.`
    tools.warn('TARGET_NOT_REACHED', message)
  }
  return finishCompression(job, compressedPdf, { targetSize, reached: bestFile !== undefined })
}

interface CompressedFile {
  readonly path: string
  readonly size: number
}

async function recompress(
  flattenedPdf: DistillInput,
  setting: CompressionSetting,
  tools: Tools,
  { from, share } = { from: 0, share: 1 },
): Promise<CompressedFile> {
  const name = randomUUID()
  const distilledPath = join(tools.workDir, `${name}-distilled.pdf`)
  const onProgress = (ratio: number) => tools.progress((from + share * ratio) * 0.9, 'pages')
  await distill(flattenedPdf, { ...toDistillSettings(setting), output: distilledPath, onProgress }, tools)
  if ((await countPages(distilledPath, tools)) !== flattenedPdf.sizes.length) {
    throw new AppError('CORRUPT_FILE', 'The PDF is damaged: some of its pages cannot be rewritten.')
  }
  const path = join(tools.workDir, `${name}.pdf`)
  await runQpdf({ inputFile: distilledPath, objectStreams: 'generate', outputFile: path }, tools)
  await rm(distilledPath)
  return { path, size: await readFileSize(path) }
}

function toDistillSettings(setting: CompressionSetting): { args: string[]; prolog?: string } {
  if (typeof setting === 'string') return { args: [`-dPDFSETTINGS=/${setting}`] }
  const { dpi, coarseness } = setting
  const kinds = ['Color', 'Gray']
  const args = kinds.flatMap((kind) => [
    `-dDownsample${kind}Images=true`,
    `-d${kind}ImageDownsampleType=/Bicubic`,
    `-d${kind}ImageResolution=${dpi}`,
    `-d${kind}ImageDownsampleThreshold=1.1`,
  ])
  const samplingParams = '/HSamples [2 1 1 2] /VSamples [2 1 1 2]'
  const jpegParams = `<< /QFactor ${coarseness} /Blend 1 ${samplingParams} >>`
  return {
    // By default, JPEGs that need no downscaling are copied unchanged.
    args: [...args, '-dPassThroughJPEGImages=false', '-dMonoImageResolution=300'],
    prolog: `<< ${kinds.map((kind) => `/${kind}ACSImageDict ${jpegParams} /${kind}ImageDict ${jpegParams}`).join(' ')} >> setdistillerparams`,
  }
}

interface TargetResult {
  readonly targetSize?: number
  readonly reached?: boolean
}

/** Returns the compressed file, or the original if compression has not made it smaller. */
async function finishCompression(
  job: PdfToolJob<unknown>,
  compressedFile: CompressedFile,
  { targetSize, reached }: TargetResult,
): Promise<EngineResult> {
  const { pdf, work, tools } = job
  const sizeBefore = await readFileSize(pdf.source)
  const pdfFacts = { pages: pdf.sizes.length, sizeBefore }
  const targetFacts = targetSize === undefined ? {} : { targetSize, reached: reached === true }
  if (compressedFile.size < sizeBefore) {
    warnAboutDistillLosses(pdf, tools)
    const { files } = await finishPdf(job, compressedFile.path)
    return { files, details: { ...pdfFacts, sizeAfter: await readFileSize(files[0].path), ...targetFacts } }
  }
  if (targetSize === undefined) {
    tools.warn('NOT_SMALLER', 'The PDF cannot be made smaller in this way, so it is returned unchanged.')
  }
  const path = join(work.outDir, 'output.pdf')
  await copyFile(pdf.source, path)
  tools.progress(1)
  return { files: [{ path }], details: { ...pdfFacts, sizeAfter: sizeBefore, ...targetFacts } }
}
