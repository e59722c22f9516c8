import type { Tools } from '../../engine.ts'

/** Sample values of black and white. */
export interface TonalRange {
  readonly black: number
  readonly white: number
}

/** Statistics of the valid samples of an image. */
export interface SampleStats {
  readonly min: number
  readonly max: number
  /** Share of samples that are greater than 1. */
  readonly brightShare: number
  readonly isColored: boolean
}

/** Highlights of a photograph may be a few times as bright as white; larger values belong to another scale. */
const maxHighlight = 16
/** Highlights, such as the sun, cover only a small share of an image. */
const maxHighlightShare = 0.05
/** Maximum values of 8, 16 and 32 bits. */
const integerScales = [255, 65_535, 2 ** 32 - 1] as const
/** Resampling can make edges slightly darker than black. */
const maxDarkValue = 0.05

/**
 * Chooses black and white for samples without a fixed scale. Values from 0 to 1 are used directly. In a color image,
 * values brighter than white are highlights if they are few or not much brighter. A maximum near the end of a common
 * integer scale means that scale. Anything else is a measurement (heights, temperatures): its minimum becomes black and
 * its maximum white, because the image would otherwise be nearly black.
 */
export function chooseTonalRange(
  { min, max, brightShare, isColored }: SampleStats,
  tools: Tools,
): TonalRange {
  const isLight = min >= -maxDarkValue * Math.max(1, max)
  if (isLight && max <= 1.0001) return { black: 0, white: 1 }
  if (isLight && isColored && (max <= maxHighlight || brightShare <= maxHighlightShare)) {
    const percent = Math.max(1, Math.round(brightShare * 100))
    tools.warn(
      'HIGHLIGHTS_CLIPPED',
      `About ${percent} % of the samples are brighter than white, up to ${formatNumber(max)} times as bright, and became white.`,
    )
    return { black: 0, white: 1 }
  }
  const scale = integerScales.find((end) => max > end / 2 && max <= end + 0.5)
  if (isLight && scale !== undefined) return { black: 0, white: scale }
  const black = isColored ? Math.min(0, min) : min
  tools.warn(
    'VALUES_SCALED',
    `The samples are not standard color values but range from ${formatNumber(min)} to ${formatNumber(max)}: ${formatNumber(black)} became black and ${formatNumber(max)} white.`,
  )
  return { black, white: max }
}

const formatNumber = (value: number) => String(Number(value.toPrecision(6)))

/** Collects the statistics of samples as they are read. */
export class SampleCollector {
  private min = Number.POSITIVE_INFINITY
  private max = Number.NEGATIVE_INFINITY
  private count = 0
  private brightCount = 0

  add(value: number): void {
    // "No data" is often stored as the lowest or highest float.
    if (!(Math.abs(value) < noDataThreshold)) return
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
    if (value > 1.0001) this.brightCount++
    this.count++
  }

  stats(isColored: boolean): SampleStats {
    if (this.count === 0) return { min: 0, max: 1, brightShare: 0, isColored }
    return { min: this.min, max: this.max, brightShare: this.brightCount / this.count, isColored }
  }
}

const noDataThreshold = 1e30

/** Scales a sample to 0 for black and 1 for white; NaN becomes black. */
export function scaleSample(value: number, { black, white }: TonalRange): number {
  const percent = (value - black) / (white - black)
  return percent > 0 ? Math.min(1, percent) : 0
}
