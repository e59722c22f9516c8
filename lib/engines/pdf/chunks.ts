import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { ChunkSpec } from '../engine.ts'
import type { OpenPdf } from './open-pdf.ts'
import { resolutionOf } from './page-options.ts'
import { parallel } from './render.ts'
import { equalRuns } from './split-by-cost.ts'

/** How the pages of a long PDF are shared out among workers. */

/** Pages that follow each other in the document, counted from 1. */
const PageShare = z.object({ first: z.int(), last: z.int() })

/** Those of the pages that a share has; all of them when there is none. */
export function pagesOfShare(pages: readonly number[], share: ChunkSpec | undefined): readonly number[] {
  if (!share) return pages
  const { first, last } = PageShare.parse(share)
  return pages.filter((page) => page >= first && page <= last)
}

interface Effort {
  /** Seconds of processor time of a page of text. */
  readonly perMegapixel: number
  readonly perPage: number
  /** How many of them one worker keeps busy. */
  readonly processors: number
}

/**
 * Measured at 2.3 GHz, 150 and 300 dpi. Photographs and fine drawings take several times as long, so that more is
 * gained by them than these say.
 */
const efforts = {
  jpg: { perMegapixel: 0.008, perPage: 0, processors: parallel },
  png: { perMegapixel: 0.04, perPage: 0, processors: parallel },
  webp: { perMegapixel: 0.075, perPage: 0, processors: parallel },
  avif: { perMegapixel: 0.18, perPage: 0, processors: parallel },
  svg: { perMegapixel: 0, perPage: 0.06, processors: 1 },
} as const satisfies Partial<Record<FormatId, Effort>>

const isShareable = (to: FormatId): to is keyof typeof efforts => to in efforts

/**
 * Seconds of work below which sharing costs more than it saves, and the least that one share is worth: a worker needs
 * some tenths of a second until it has the file, and pages are packed twice.
 */
const leastS = { all: 5, share: 1 }

/** Workers that as many free ones amount to where they have one machine in common. */
const usableWorkers = (to: keyof typeof efforts, workers: number) =>
  Math.floor(workers / efforts[to].processors)

/** Whether it is worth a look into the file. */
export const mayShare = (to: FormatId, workers: number) => isShareable(to) && usableWorkers(to, workers) > 1

interface Drawing {
  readonly dpi?: number | undefined
  readonly downscale?: number | undefined
}

/** Runs of pages that take about equally long; undefined when the whole does not take long. */
export function sharesOf(
  pdf: OpenPdf,
  pages: readonly number[],
  to: FormatId,
  { dpi = 0, downscale }: Drawing,
  workers: number,
): readonly ChunkSpec[] | undefined {
  if (!isShareable(to)) return undefined
  const { perMegapixel, perPage } = efforts[to]
  const costs = [...new Set(pages)]
    .sort((a, b) => a - b)
    .map((page) => {
      const { pixels } = resolutionOf(pdf, page, { dpi, downscale })
      return { page, seconds: perPage + (pixels / 1e6) * perMegapixel }
    })
  const total = costs.reduce((sum, { seconds }) => sum + seconds, 0)
  const count = Math.min(usableWorkers(to, workers), Math.floor(total / leastS.share), costs.length)
  if (total < leastS.all || count < 2) return undefined
  return equalRuns(costs, count).map((run) => ({ first: run[0], last: run.at(-1) }))
}
