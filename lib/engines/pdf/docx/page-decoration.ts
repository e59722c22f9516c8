import type { FloatingImage } from './blocks.ts'
import { type DrawingRequest, findStamps, hasPageBackground, withoutBackground } from './drawings.ts'
import type { PageFigure } from './figures.ts'
import { isCenterInside } from './geometry.ts'
import { findRelevantFigures } from './images.ts'
import { findRuledTables } from './page-blocks.ts'
import type { PageContent, Word } from './page-content.ts'
import type { Grid } from './table-grids.ts'

interface StampRequest extends DrawingRequest {
  /** Slanted words, which remain text if the stamp cannot be rendered. */
  readonly words?: readonly Word[]
}

/** A page without what becomes images behind its text. */
export interface DecoratedPage {
  readonly content: PageContent
  readonly requests: readonly StampRequest[]
  readonly grids: readonly Grid[]
  /** Drawings that take the place of text. */
  readonly figures: readonly PageFigure[]
}

/** Separates the background, the stamps and the drawings behind text from the text, tables and figures of a page. */
export function findDecoration(page: PageContent): DecoratedPage {
  const { number } = page
  const hasBackground = hasPageBackground(page)
  const foreground = hasBackground ? withoutBackground(page) : page
  const stamps = findStamps(foreground)
  const stampedWords = new Set(stamps.map(({ words }) => words))
  const content: PageContent = {
    ...foreground,
    rotatedText: foreground.rotatedText.filter((words) => !stampedWords.has(words)),
    vectors: foreground.vectors.filter(({ box }) => !stamps.some((stamp) => isCenterInside(box, stamp.box))),
  }
  const grids = findRuledTables(content)
  const figures = findRelevantFigures(
    content,
    grids.map(({ box }) => box),
  )
  return {
    content,
    grids,
    figures: figures.filter(({ isBehindText }) => !isBehindText),
    requests: [
      ...(hasBackground ? [{ page: number }] : []),
      ...figures.filter(({ isBehindText }) => isBehindText).map(({ box }) => ({ page: number, box })),
      ...stamps.map((stamp) => ({ page: number, ...stamp })),
    ],
  }
}

/** Returns the page with the slanted words that no image shows. */
export function keepUnrenderedText(
  { content, requests }: DecoratedPage,
  drawings: ReadonlyMap<DrawingRequest, FloatingImage>,
): PageContent {
  const missing = requests.filter((request) => request.words && !drawings.has(request))
  return missing.length === 0
    ? content
    : {
        ...content,
        rotatedText: [...content.rotatedText, ...missing.flatMap(({ words }) => (words ? [words] : []))],
      }
}
