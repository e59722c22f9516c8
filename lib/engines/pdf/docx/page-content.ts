// A page as it was read: words with their looks and places, pictures, lines.
import * as z from 'zod'
import type { Box } from './geometry.ts'

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
  readonly recognized?: true
}

export interface Word {
  readonly text: string
  readonly box: Box
  /** Where its letters stand. */
  readonly base: number
  readonly style: Style
  /** A space comes before it. */
  readonly spaced: boolean
  readonly link?: string
}

export interface Vector {
  readonly box: Box
  readonly color: string
  readonly stroked: boolean
  readonly rectangle: boolean
}

export interface PlacedImage {
  readonly box: Box
  /** A PNG or JPEG; left out where the page has to be drawn to get it. */
  readonly path?: string
  readonly pixels?: number
}

export interface Page {
  /** Counted from 1. */
  readonly number: number
  readonly width: number
  readonly height: number
  /** Upright text, in pieces that stand on one line without a wide gap. */
  readonly pieces: readonly (readonly Word[])[]
  readonly images: readonly PlacedImage[]
  readonly vectors: readonly Vector[]
  /** Lines that stand turned or run from top to bottom. */
  readonly turned: readonly (readonly Word[])[]
  /** Words whose letters the fonts do not tell, with a mark for each. */
  readonly unread: readonly Word[]
}
