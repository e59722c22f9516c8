import type { Tools } from '../engine.ts'

/** Numbers that stand for black and for white. */
export interface Shades {
  readonly black: number
  readonly white: number
}

/** What the samples of a picture are, those that are a number. */
export interface Samples {
  readonly least: number
  readonly most: number
  /** Of all samples those above 1. */
  readonly brightShare: number
  readonly isColored: boolean
}

/** Light of a photograph may be some times as bright as paper; what is more is of another scale. */
const mostLight = 16
/** Lights in a picture, as the sun is one, are few. */
const mostLights = 0.05
/** Of 8, 16 and 32 bits. */
const scales = [255, 65_535, 2 ** 32 - 1] as const
/** Resampling makes an edge darker than black. */
const darkest = 0.05

/**
 * What is black and white among samples that are not bound to a scale. From 0 to 1 they are shades; brighter ones are
 * lights of a colored picture where they are few, or not much brighter. What comes near the end of a usual scale is of
 * that one. All others were measured (heights, temperatures): what is least becomes black and what is most white, or
 * the picture would be nearly black.
 */
export function shadesOf({ least, most, brightShare, isColored }: Samples, tools: Tools): Shades {
  const isLight = least >= -darkest * Math.max(1, most)
  if (isLight && most <= 1.0001) return { black: 0, white: 1 }
  if (isLight && isColored && (most <= mostLight || brightShare <= mostLights)) {
    const share = Math.max(1, Math.round(brightShare * 100))
    tools.warn(
      'HIGHLIGHTS_CLIPPED',
      `About ${share} % of the samples are brighter than white, up to ${shown(most)} times, and became white.`,
    )
    return { black: 0, white: 1 }
  }
  const scale = scales.find((end) => most > end / 2 && most <= end + 0.5)
  if (isLight && scale !== undefined) return { black: 0, white: scale }
  const black = isColored ? Math.min(0, least) : least
  tools.warn(
    'VALUES_SCALED',
    `The samples are no usual shades but values from ${shown(least)} to ${shown(most)}: ${shown(black)} became black and ${shown(most)} white.`,
  )
  return { black, white: most }
}

const shown = (value: number) => String(Number(value.toPrecision(6)))

/** What the samples of a picture are, as they are read one after the other. */
export class SampleRange {
  private least = Number.POSITIVE_INFINITY
  private most = Number.NEGATIVE_INFINITY
  private count = 0
  private bright = 0

  add(value: number): void {
    // What nobody measured is often the lowest number that there is.
    if (!(Math.abs(value) < nothing)) return
    if (value < this.least) this.least = value
    if (value > this.most) this.most = value
    if (value > 1.0001) this.bright++
    this.count++
  }

  samples(isColored: boolean): Samples {
    if (this.count === 0) return { least: 0, most: 1, brightShare: 0, isColored }
    return { least: this.least, most: this.most, brightShare: this.bright / this.count, isColored }
  }
}

const nothing = 1e30

/** From 0 for black to 1 for white; what is no number is black. */
export function shareOf(value: number, { black, white }: Shades): number {
  const share = (value - black) / (white - black)
  return share > 0 ? Math.min(1, share) : 0
}
