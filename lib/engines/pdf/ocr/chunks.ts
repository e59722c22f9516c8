import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../../errors.ts'
import type { Chunk, Tools, WorkerPool } from '../../engine.ts'
import type { PageSize } from '../open-pdf.ts'
import { runQpdf, toPdfError } from '../qpdf.ts'
import { splitByCost } from '../split-by-cost.ts'
import { isSignedPdf } from '../tools/editable-pdf.ts'
import type { OcrSettings } from './recognize.ts'

/** How the pages whose text is to be read are shared out among workers: each gets a PDF of its pages alone. */

export const OcrChunk = z.object({
  /** Of the pages in the whole, in the order in which the PDF of the share has them. */
  numbers: z.array(z.int()),
  how: z.custom<OcrSettings>((value) => typeof value === 'object'),
})

/**
 * Seconds of processor time. Measured at 2.3 GHz with pages full of text: of A4 at 300 dpi 5.8 s, at 150 dpi 3.5 s, of A6 at
 * 300 dpi 3.5 s; with empty ones 2.5 s, as each is drawn twice and looked at for how it lies.
 */
const readingSeconds = { perPage: 2.5, perSquareInch: 0.025, perExtraLanguage: 0.7 } as const

/** Seconds that all pages must take before other machines are worth their start, and what a share should: it begins with 1.2 s. */
const minTotalS = 20
const targetChunkS = 8

/** Parts of a run's time: for all pages by one worker, and for a share, which may meet a slow machine or hard pages. */
const maxWholeRatio = 0.5
const maxChunkRatio = 0.1

interface PagesToRead {
  /** Of all pages of the PDF. */
  readonly sizes: readonly PageSize[]
  /** Those to be read, counted from 1. */
  readonly pages: readonly number[]
  /** As `ocrLanguage` gives it. */
  readonly language: string
}

/** Whether it is worth a look into the file: on one machine all processors are busy reading already. */
export const canSplitOcr = ({ workers, timeoutS }: WorkerPool) =>
  workers > availableParallelism() || Number.isFinite(timeoutS)

/** Pages of each share; undefined where one worker does well with them all. */
export function planOcrChunks(
  { sizes, pages, language }: PagesToRead,
  { workers, timeoutS }: WorkerPool,
  processors = availableParallelism(),
): readonly number[][] | undefined {
  const languageFactor = 1 + (language.split('+').length - 1) * readingSeconds.perExtraLanguage
  const costs = pages.map((page) => {
    const { width = 0, height = 0 } = sizes[page - 1] ?? {}
    const squareInches = (width / 72) * (height / 72)
    return {
      page,
      seconds: (readingSeconds.perPage + squareInches * readingSeconds.perSquareInch) * languageFactor,
    }
  })
  const totalS = costs.reduce((sum, { seconds }) => sum + seconds, 0) / processors
  const isTooLong = totalS > timeoutS * maxWholeRatio
  const isFaster = workers > processors && totalS > minTotalS
  const count = Math.max(
    isTooLong ? Math.ceil(totalS / (timeoutS * maxChunkRatio)) : 0,
    isFaster ? Math.min(workers, Math.floor(totalS / targetChunkS)) : 0,
  )
  const runs = splitByCost(costs, Math.min(count, maxChunks))
  return runs.length > 1 ? runs : undefined
}

/** As each is a file to store, to fetch and to join. */
const maxChunks = 400

/** A PDF for each share; undefined where the pages do not look by themselves as they do in the whole. */
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
    // Whoever reads the whole says what is wrong with it, if that cannot be helped.
    if (toPdfError(error) instanceof AppError) return undefined
    throw error
  }
}

/** Which of them are hidden stands in the catalog (ISO 32000-1, 8.11.4), and no page takes that along. */
async function hasOptionalContent(path: string, tools: Tools): Promise<boolean> {
  const { stdout } = await tools.exec('mutool', ['show', path, 'trailer/Root/OCProperties'])
  return stdout.trim() !== 'null'
}
