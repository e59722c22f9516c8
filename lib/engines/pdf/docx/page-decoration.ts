import type { Tools } from '../../engine.ts'
import { formatPageRange } from '../page-range.ts'
import type { FloatingImage } from './blocks.ts'
import {
  type DrawingRequest,
  findBackgroundImages,
  findStamps,
  hasPageBackground,
  type RenderedDrawings,
  removeBackground,
} from './drawings.ts'
import type { PageFigure } from './figures.ts'
import { isCenterInside } from './geometry.ts'
import { findRelevantFigures } from './images.ts'
import { findRuledTables } from './page-blocks.ts'
import type { PageContent, PlacedImage, Word } from './page-content.ts'
import type { Grid } from './table-grids.ts'

interface DecorationRequest extends DrawingRequest {
  /** Slanted words, which remain text if the stamp cannot be rendered. */
  readonly words?: readonly Word[]
  /** Images in the background, which remain behind the text if the background cannot be rendered. */
  readonly images?: readonly PlacedImage[]
}

/** A page without the content that becomes an image behind its text. */
export interface DecoratedPage {
  readonly content: PageContent
  readonly requests: readonly DecorationRequest[]
  readonly grids: readonly Grid[]
  /** Drawings that take the place of text. */
  readonly figures: readonly PageFigure[]
}

/** Separates the background, the stamps and the drawings behind text from the text, tables and figures of a page. */
export function findDecoration(page: PageContent): DecoratedPage {
  const { number } = page
  const hasBackground = hasPageBackground(page)
  const foreground = hasBackground ? removeBackground(page) : page
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
      ...(hasBackground ? [{ page: number, images: findBackgroundImages(page) }] : []),
      ...figures.filter(({ isBehindText }) => isBehindText).map(({ box }) => ({ page: number, box })),
      ...stamps.map((stamp) => ({ page: number, ...stamp })),
    ],
  }
}

/** A page and the images behind its text. */
interface CompletedPage {
  readonly page: PageContent
  readonly floatingImages: readonly FloatingImage[]
}

/**
 * Adds rendered images to a page. Where rendering failed, adds the slanted words and the background's own images
 * instead. The image of a scan is not rendered as a background, because it shows the words of the page; it becomes an
 * ordinary image of the page.
 */
export function addDrawings(
  { content, requests }: DecoratedPage,
  { images, failedRequests }: RenderedDrawings,
): CompletedPage {
  const floatingImages = requests.flatMap((request): FloatingImage[] => {
    const image = images.get(request)
    if (image) return [image]
    if (!failedRequests.has(request)) return []
    return (request.images ?? []).flatMap(({ path, box }) => (path === undefined ? [] : [{ path, box }]))
  })
  const scannedImages = requests.flatMap((request) =>
    images.has(request) || failedRequests.has(request) ? [] : (request.images ?? []),
  )
  const missingWords = requests.flatMap((request) =>
    request.words && !images.has(request) ? [request.words] : [],
  )
  const page = {
    ...content,
    images: [...content.images, ...scannedImages],
    rotatedText: [...content.rotatedText, ...missingWords],
  }
  return { page, floatingImages }
}

/** Warns about drawings that could not be rendered. */
export function warnAboutFailedDrawings({ failedRequests }: RenderedDrawings, tools: Tools): void {
  if (failedRequests.size === 0) return
  const pages = new Set([...failedRequests].map(({ page }) => page))
  const pageList = formatPageRange([...pages].sort((a, b) => a - b))
  const message = `The drawings behind the text of these pages could not be rendered: ${pageList}.`
  tools.warn('PICTURES_DROPPED', `${message} Their photos are kept; check whether anything else is missing.`)
}
