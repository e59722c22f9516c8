// The parsed content of a page: words with styles and positions, images, vector shapes.
import * as z from 'zod'
import type { BoundingBox } from './geometry.ts'

export const StyleShape = z.object({
  font: z.string(),
  bold: z.boolean(),
  italic: z.boolean(),
  mono: z.boolean(),
  serif: z.boolean(),
  /** Font size in points. */
  size: z.number(),
  /** Color as six hexadecimal digits. */
  color: z.string(),
})
export type Style = z.output<typeof StyleShape> & {
  /** Set for OCR text, in which word boundaries are not exact. */
  readonly isRecognized?: true
}

export interface Word {
  readonly text: string
  readonly box: BoundingBox
  /** Y coordinate of the baseline. */
  readonly baseline: number
  readonly style: Style
  /** Whether a space precedes the word. */
  readonly hasSpaceBefore: boolean
  readonly link?: string
  /** Set for text at an angle that is not a multiple of 90°. */
  readonly isSlanted?: true
}

export interface Vector {
  readonly box: BoundingBox
  readonly color: string
  readonly isStroked: boolean
  readonly isRectangle: boolean
}

export interface PlacedImage {
  readonly box: BoundingBox
  /** Path of a PNG or JPEG; unset if the page must be rendered to obtain the image. */
  readonly path?: string
  readonly pixelCount?: number
}

export interface PageContent {
  /** Number of the page, counted from 1. */
  readonly number: number
  readonly width: number
  readonly height: number
  /** Horizontal text, split into segments without wide gaps. */
  readonly textSegments: readonly (readonly Word[])[]
  readonly images: readonly PlacedImage[]
  readonly vectors: readonly Vector[]
  /** Lines of rotated or vertical text. */
  readonly rotatedText: readonly (readonly Word[])[]
  /** Words whose characters the fonts cannot decode, with one placeholder per glyph. */
  readonly undecodedWords: readonly Word[]
  /** Whether OCR is not confident of most words. */
  readonly isTextUncertain?: boolean
}
