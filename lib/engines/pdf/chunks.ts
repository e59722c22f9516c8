import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { ChunkSpec } from '../engine.ts'
import type { OpenPdf } from './open-pdf.ts'
import { computeResolution } from './page-options.ts'
import { maxProcesses } from './render.ts'
import { splitByCost } from './split-by-cost.ts'

/** Splits the pages of a long PDF into chunks for several workers. */

/** Consecutive pages of the document, counted from 1. */
const PageChunk = z.object({ first: z.int(), last: z.int() })

/** Returns the pages that belong to the chunk, or all pages if the work was not split. */
export function selectChunkPages(pages: readonly number[], chunk: ChunkSpec | undefined): readonly number[] {
  if (!chunk) return pages
  const { first, last } = PageChunk.parse(chunk)
  return pages.filter((page) => page >= first && page <= last)
}

interface TargetCost {
  /** Processor seconds for a page of text, per megapixel. */
  readonly secondsPerMegapixel: number
  readonly secondsPerPage: number
  /** Processor cores that one worker keeps busy. */
  readonly coresPerWorker: number
}

/**
 * Costs of a page of text, measured at 2.3 GHz with 150 and 300 dpi. Photos and detailed drawings take several times as
 * long, so splitting saves more time than these numbers predict.
 */
const costsByTarget = {
  jpg: { secondsPerMegapixel: 0.008, secondsPerPage: 0, coresPerWorker: maxProcesses },
  png: { secondsPerMegapixel: 0.04, secondsPerPage: 0, coresPerWorker: maxProcesses },
  webp: { secondsPerMegapixel: 0.075, secondsPerPage: 0, coresPerWorker: maxProcesses },
  avif: { secondsPerMegapixel: 0.18, secondsPerPage: 0, coresPerWorker: maxProcesses },
  svg: { secondsPerMegapixel: 0, secondsPerPage: 0.06, coresPerWorker: 1 },
} as const satisfies Partial<Record<FormatId, TargetCost>>

const isSplittable = (to: FormatId): to is keyof typeof costsByTarget => to in costsByTarget

/**
 * Minimum seconds of work that justify splitting, in total and per chunk: a worker takes some tenths of a second to
 * fetch the file, and pages are zipped twice.
 */
const minSeconds = { total: 5, perChunk: 1 }

/** Returns the number of workers that are worth using if all of them share one machine's cores. */
const countUsableWorkers = (to: keyof typeof costsByTarget, workers: number) =>
  Math.floor(workers / costsByTarget[to].coresPerWorker)

/** Whether it is worth opening the file to plan chunks. */
export const canSplit = (to: FormatId, workers: number) =>
  isSplittable(to) && countUsableWorkers(to, workers) > 1

interface ResolutionOptions {
  readonly dpi?: number | undefined
  readonly downscale?: number | undefined
}

/** Splits pages into runs of about equal duration; returns undefined when the work is too short to split. */
export function splitPdfIntoChunks(
  pdf: OpenPdf,
  pages: readonly number[],
  to: FormatId,
  { dpi = 0, downscale }: ResolutionOptions,
  workers: number,
): readonly ChunkSpec[] | undefined {
  if (!isSplittable(to)) return undefined
  const { secondsPerMegapixel, secondsPerPage } = costsByTarget[to]
  const costs = [...new Set(pages)]
    .sort((a, b) => a - b)
    .map((page) => {
      const { pixels } = computeResolution(pdf, page, { dpi, downscale })
      return { page, seconds: secondsPerPage + (pixels / 1e6) * secondsPerMegapixel }
    })
  const totalSeconds = costs.reduce((sum, { seconds }) => sum + seconds, 0)
  const chunkCount = Math.min(
    countUsableWorkers(to, workers),
    Math.floor(totalSeconds / minSeconds.perChunk),
    costs.length,
  )
  if (totalSeconds < minSeconds.total || chunkCount < 2) return undefined
  return splitByCost(costs, chunkCount).map((run) => ({ first: run[0], last: run.at(-1) }))
}
