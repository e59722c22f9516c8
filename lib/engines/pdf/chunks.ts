import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { ChunkSpec } from '../engine.ts'
import type { OpenPdf } from './open-pdf.ts'
import { computeResolution } from './page-options.ts'
import { parallelProcesses } from './render.ts'
import { splitByCost } from './split-by-cost.ts'

/** How the pages of a long PDF are shared out among workers. */

/** Pages that follow each other in the document, counted from 1. */
const PageChunk = z.object({ first: z.int(), last: z.int() })

/** Those of the pages that a share has; all of them when there is none. */
export function pagesOfChunk(pages: readonly number[], chunk: ChunkSpec | undefined): readonly number[] {
  if (!chunk) return pages
  const { first, last } = PageChunk.parse(chunk)
  return pages.filter((page) => page >= first && page <= last)
}

interface TargetCost {
  /** Seconds of processor time of a page of text. */
  readonly secondsPerMegapixel: number
  readonly secondsPerPage: number
  /** How many of them one worker keeps busy. */
  readonly coresPerWorker: number
}

/**
 * Measured at 2.3 GHz, 150 and 300 dpi. Photographs and fine drawings take several times as long, so that more is
 * gained by them than these say.
 */
const costsByTarget = {
  jpg: { secondsPerMegapixel: 0.008, secondsPerPage: 0, coresPerWorker: parallelProcesses },
  png: { secondsPerMegapixel: 0.04, secondsPerPage: 0, coresPerWorker: parallelProcesses },
  webp: { secondsPerMegapixel: 0.075, secondsPerPage: 0, coresPerWorker: parallelProcesses },
  avif: { secondsPerMegapixel: 0.18, secondsPerPage: 0, coresPerWorker: parallelProcesses },
  svg: { secondsPerMegapixel: 0, secondsPerPage: 0.06, coresPerWorker: 1 },
} as const satisfies Partial<Record<FormatId, TargetCost>>

const isSplittable = (to: FormatId): to is keyof typeof costsByTarget => to in costsByTarget

/**
 * Seconds of work below which sharing costs more than it saves, and the least that one share is worth: a worker needs
 * some tenths of a second until it has the file, and pages are packed twice.
 */
const minSeconds = { total: 5, perChunk: 1 }

/** Workers that as many free ones amount to where they have one machine in common. */
const usableWorkers = (to: keyof typeof costsByTarget, workers: number) =>
  Math.floor(workers / costsByTarget[to].coresPerWorker)

/** Whether it is worth a look into the file. */
export const canSplit = (to: FormatId, workers: number) => isSplittable(to) && usableWorkers(to, workers) > 1

interface ResolutionOptions {
  readonly dpi?: number | undefined
  readonly downscale?: number | undefined
}

/** Runs of pages that take about equally long; undefined when the whole does not take long. */
export function splitIntoChunks(
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
  const total = costs.reduce((sum, { seconds }) => sum + seconds, 0)
  const count = Math.min(usableWorkers(to, workers), Math.floor(total / minSeconds.perChunk), costs.length)
  if (total < minSeconds.total || count < 2) return undefined
  return splitByCost(costs, count).map((run) => ({ first: run[0], last: run.at(-1) }))
}
