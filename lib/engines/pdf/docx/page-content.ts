// A page as it was read: words with their looks and places, pictures, lines.
import * as z from 'zod'
import type { BoundingBox } from './geometry.ts'

export const StyleShape = z.object({
  font: z.string(),
  bold: z.boolean(),
  italic: z.boolean(),
  mono: z.boolean(),
  serif: z.boolean(),
  /** Points. */
  size: z.number(),
  /** Six hexadecimal digits. */
  color: z.string(),
})
export type Style = z.output<typeof StyleShape> & {
  /** Read from a picture: where its words begin and end is not exact. */
  readonly isRecognized?: true
}

export interface Word {
  readonly text: string
  readonly box: BoundingBox
  /** Where its letters stand. */
  readonly baseline: number
  readonly style: Style
  /** A space comes before it. */
  readonly hasSpaceBefore: boolean
  readonly link?: string
}

export interface Vector {
  readonly box: BoundingBox
  readonly color: string
  readonly isStroked: boolean
  readonly isRectangle: boolean
}

export interface PlacedImage {
  readonly box: BoundingBox
  /** A PNG or JPEG; left out where the page has to be drawn to get it. */
  readonly path?: string
  readonly pixelCount?: number
}

export interface PageContent {
  /** Counted from 1. */
  readonly number: number
  readonly width: number
  readonly height: number
  /** Upright text, in pieces that stand on one line without a wide gap. */
  readonly textSegments: readonly (readonly Word[])[]
  readonly images: readonly PlacedImage[]
  readonly vectors: readonly Vector[]
  /** Lines that stand turned or run from top to bottom. */
  readonly rotatedText: readonly (readonly Word[])[]
  /** Words whose letters the fonts do not tell, with a mark for each. */
  readonly undecodedWords: readonly Word[]
}
