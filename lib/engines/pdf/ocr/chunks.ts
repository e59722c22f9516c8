import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../../errors.ts'
import type { Chunk, Tools, WorkerPool } from '../../engine.ts'
import type { PdfPageSize } from '../open-pdf.ts'
import { runQpdf, toPdfError } from '../qpdf.ts'
import { splitByCost } from '../split-by-cost.ts'
import { isSignedPdf } from '../tools/editable-pdf.ts'
import type { OcrSettings } from './recognize.ts'

/** Splits OCR into chunks: each worker gets a PDF with only the pages it reads. */

export const OcrChunk = z.object({
  /** Page numbers in the whole document, in the order of the chunk's PDF. */
  numbers: z.array(z.int()),
  how: z.custom<OcrSettings>((value) => typeof value === 'object'),
})

/**
 * Processor seconds. Measured at 2.3 GHz with pages full of text: A4 at 300 dpi 5.8 s, A4 at 150 dpi 3.5 s, A6 at 300
 * dpi 3.5 s; empty pages 2.5 s, because each is rendered twice and its orientation detected.
 */
const ocrSeconds = { perPage: 2.5, perSquareInch: 0.025, perExtraLanguage: 0.7 } as const

/** Minimum total time that justifies other workers; starting a worker takes 1.2 s. */
const minSplitS = 20
/** Target time per chunk. */
const targetChunkS = 8

/** Maximum part of the time limit that one worker may use for all pages. */
const maxUnsplitRatio = 0.5
/** Maximum part of the time limit that a chunk may use: it may run on a slow machine or contain difficult pages. */
const maxChunkRatio = 0.1

interface OcrPages {
  /** Sizes of all pages of the PDF. */
  readonly sizes: readonly PdfPageSize[]
  /** Pages to read, counted from 1. */
  readonly pages: readonly number[]
  /** OCR languages in the notation of `ocrLanguage`. */
  readonly language: string
}

/** Whether it is worth opening the file to plan chunks: on a single machine, OCR keeps all cores busy anyway. */
export const canSplitOcr = ({ workers, timeoutS }: WorkerPool) =>
  workers > availableParallelism() || Number.isFinite(timeoutS)

/** Returns the pages of each chunk, or undefined when one worker should read them all. */
export function planOcrChunks(
  { sizes, pages, language }: OcrPages,
  { workers, timeoutS }: WorkerPool,
  processors = availableParallelism(),
): readonly number[][] | undefined {
  const languageFactor = 1 + (language.split('+').length - 1) * ocrSeconds.perExtraLanguage
  const costs = pages.map((page) => {
    const { width = 0, height = 0 } = sizes[page - 1] ?? {}
    const squareInches = (width / 72) * (height / 72)
    return {
      page,
      seconds: (ocrSeconds.perPage + squareInches * ocrSeconds.perSquareInch) * languageFactor,
    }
  })
  const totalS = costs.reduce((sum, { seconds }) => sum + seconds, 0) / processors
  const isTooLong = totalS > timeoutS * maxUnsplitRatio
  const isFaster = workers > processors && totalS > minSplitS
  const chunkCount = Math.max(
    isTooLong ? Math.ceil(totalS / (timeoutS * maxChunkRatio)) : 0,
    isFaster ? Math.min(workers, Math.floor(totalS / targetChunkS)) : 0,
  )
  const runs = splitByCost(costs, Math.min(chunkCount, maxChunks))
  return runs.length > 1 ? runs : undefined
}

/** Maximum number of chunks, each of which is a file to store, download and join. */
const maxChunks = 400

/** Writes a PDF per chunk; returns undefined when extracted pages would not look as they do in the whole document. */
export async function extractChunkPdfs(
  path: string,
  runs: readonly (readonly number[])[],
  how: OcrSettings,
  tools: Tools,
): Promise<readonly Chunk[] | undefined> {
  const chunks: Chunk[] = []
  try {
    if ((await isSignedPdf(path)) || (await hasOptionalContent(path, tools))) return undefined
    for (const [index, numbers] of runs.entries()) {
      const chunkPath = join(tools.workDir, `pages-${index + 1}.pdf`)
      await runQpdf(
        { empty: '', pages: [{ file: path, range: numbers.join(',') }], outputFile: chunkPath },
        tools,
      )
      chunks.push({ spec: { numbers, how }, file: { path: chunkPath, format: 'pdf' } })
    }
    return chunks
  } catch (error) {
    // If the PDF is really damaged, the error is reported when it is read as a whole.
    if (toPdfError(error) instanceof AppError) return undefined
    throw error
  }
}

/** Whether the catalog lists hidden layers (ISO 32000-1, 8.11.4); extracted pages lose that list. */
async function hasOptionalContent(path: string, tools: Tools): Promise<boolean> {
  const { stdout } = await tools.exec('mutool', ['show', path, 'trailer/Root/OCProperties'])
  return stdout.trim() !== 'null'
}
