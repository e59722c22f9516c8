import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../../errors.ts'
import type { Chunk, Tools, WorkerPool } from '../../engine.ts'
import type { PageSize } from '../open-pdf.ts'
import { qpdf, unreadablePdf } from '../qpdf.ts'
import { equalRuns } from '../split-by-cost.ts'
import { isSigned } from '../tools/editable-pdf.ts'
import type { OcrManner } from './recognize.ts'

/** How the pages whose text is to be read are shared out among workers: each gets a PDF of its pages alone. */

export const OcrShare = z.object({
  /** Of the pages in the whole, in the order in which the PDF of the share has them. */
  numbers: z.array(z.int()),
  how: z.custom<OcrManner>((value) => typeof value === 'object'),
})

/**
 * Seconds of processor time. Measured at 2.3 GHz with pages full of text: of A4 at 300 dpi 5.8 s, at 150 dpi 3.5 s, of A6 at
 * 300 dpi 3.5 s; with empty ones 2.5 s, as each is drawn twice and looked at for how it lies.
 */
const effort = { perPage: 2.5, perSquareInch: 0.025, perMoreLanguage: 0.7 } as const

/** Seconds that all pages must take before other machines are worth their start, and what a share should: it begins with 1.2 s. */
const worthS = 20
const shareTakesS = 8

/** Parts of a run's time: for all pages by one worker, and for a share, which may meet a slow machine or hard pages. */
const wholePart = 0.5
const sharePart = 0.1

interface Scans {
  /** Of all pages of the PDF. */
  readonly sizes: readonly PageSize[]
  /** Those to be read, counted from 1. */
  readonly pages: readonly number[]
  /** As `ocrLanguage` gives it. */
  readonly language: string
}

/** Whether it is worth a look into the file: on one machine all processors are busy reading already. */
export const mayShareOcr = ({ workers, timeoutS }: WorkerPool) =>
  workers > availableParallelism() || Number.isFinite(timeoutS)

/** Pages of each share; undefined where one worker does well with them all. */
export function sharesOfOcr(
  { sizes, pages, language }: Scans,
  { workers, timeoutS }: WorkerPool,
  processors = availableParallelism(),
): readonly number[][] | undefined {
  const slower = 1 + (language.split('+').length - 1) * effort.perMoreLanguage
  const costs = pages.map((page) => {
    const { width = 0, height = 0 } = sizes[page - 1] ?? {}
    const squareInches = (width / 72) * (height / 72)
    return { page, seconds: (effort.perPage + squareInches * effort.perSquareInch) * slower }
  })
  const takesS = costs.reduce((sum, { seconds }) => sum + seconds, 0) / processors
  const isTooLong = takesS > timeoutS * wholePart
  const isFaster = workers > processors && takesS > worthS
  const count = Math.max(
    isTooLong ? Math.ceil(takesS / (timeoutS * sharePart)) : 0,
    isFaster ? Math.min(workers, Math.floor(takesS / shareTakesS)) : 0,
  )
  const runs = equalRuns(costs, Math.min(count, mostShares))
  return runs.length > 1 ? runs : undefined
}

/** As each is a file to store, to fetch and to join. */
const mostShares = 400

/** A PDF for each share; undefined where the pages do not look by themselves as they do in the whole. */
export async function cutForOcr(
  path: string,
  runs: readonly (readonly number[])[],
  how: OcrManner,
  tools: Tools,
): Promise<readonly Chunk[] | undefined> {
  const portions: Chunk[] = []
  try {
    if ((await isSigned(path)) || (await hasLayers(path, tools))) return undefined
    for (const [index, numbers] of runs.entries()) {
      const cut = join(tools.workDir, `pages-${index + 1}.pdf`)
      await qpdf({ empty: '', pages: [{ file: path, range: numbers.join(',') }], outputFile: cut }, tools)
      portions.push({ spec: { numbers, how }, file: { path: cut, format: 'pdf' } })
    }
    return portions
  } catch (error) {
    // Whoever reads the whole says what is wrong with it, if that cannot be helped.
    if (unreadablePdf(error) instanceof AppError) return undefined
    throw error
  }
}

/** Which of them are hidden stands in the catalog (ISO 32000-1, 8.11.4), and no page takes that along. */
async function hasLayers(path: string, tools: Tools): Promise<boolean> {
  const { stdout } = await tools.exec('mutool', ['show', path, 'trailer/Root/OCProperties'])
  return stdout.trim() !== 'null'
}
