import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import type { ImageBlock } from './blocks.ts'
import { findFigures, findLabels, type PageFigure } from './figures.ts'
import { type BoundingBox, getArea, getHeight, getWidth, isCenterInside } from './geometry.ts'
import { toLineInOrder } from './lines.ts'
import type { PageContent, PlacedImage, Word } from './page-content.ts'

/** Pixels per inch of rendered areas. */
const dpi = 150
const maxRenderedImages = 200

/** Shared state for rendering areas of pages. */
export interface RenderContext {
  readonly path: string
  /** Number of areas rendered so far. */
  renderedCount: number
}

export interface PageImages {
  readonly images: readonly ImageBlock[]
  /** Words that are part of images and not of the text. */
  readonly labels: ReadonlySet<Word>
}

/** Finds the drawings of a page that are large enough to be shown. */
export const findRelevantFigures = (page: PageContent, tables: readonly BoundingBox[]): PageFigure[] =>
  findFigures(page, page.textSegments.flat(), tables).filter((figure) => isRelevant(figure, page))

/** Collects the images of a page: embedded images as files, and drawings rendered as shown. */
export async function collectImages(
  page: PageContent,
  figures: readonly PageFigure[],
  renderContext: RenderContext,
  tools: Tools,
): Promise<PageImages> {
  const embeddedImages = page.images.filter(
    (image) => isRelevant(image, page) && !figures.some(({ box }) => isCenterInside(image.box, box)),
  )
  const images: ImageBlock[] = []
  const labels = new Set<Word>()
  for (const { box, path: imagePath } of embeddedImages) {
    const path = imagePath ?? (await renderArea(box, page, renderContext, tools))
    if (path !== undefined) images.push({ kind: 'image', box, path })
  }
  for (const figure of figures) {
    const { box } = figure
    const path = await renderArea(box, page, renderContext, tools)
    if (path === undefined) continue
    const labelWords = findLabels(figure, page.textSegments)
    for (const word of labelWords) labels.add(word)
    images.push({ kind: 'image', box, path, ...(labelWords.length > 0 && { labels: joinWords(labelWords) }) })
  }
  return { images, labels }
}

const joinWords = (words: readonly Word[]) =>
  toLineInOrder(words)
    .words.map(({ text }) => text)
    .join(' ')

/**
 * Whether an image or a figure is shown: it must not be tiny or a page background, such as a scan behind its recognized
 * text. A photo in which OCR recognizes dashes, or words that are probably wrong, is no background.
 */
function isRelevant({ box }: PlacedImage | PageFigure, page: PageContent): boolean {
  if (getWidth(box) < 6 || getHeight(box) < 6) return false
  const coveredShare = getArea(box) / (page.width * page.height)
  const alphanumericCount = page.textSegments
    .flat()
    .reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0)
  return coveredShare < 0.8 || alphanumericCount < 20 || page.isTextUncertain === true
}

async function renderArea(
  box: BoundingBox,
  page: PageContent,
  renderContext: RenderContext,
  tools: Tools,
): Promise<string | undefined> {
  if (renderContext.renderedCount++ >= maxRenderedImages) return undefined
  const scale = dpi / 72
  const [left, top] = [Math.max(0, box[0] - 2), Math.max(0, box[1] - 2)]
  const [right, bottom] = [Math.min(page.width, box[2] + 2), Math.min(page.height, box[3] + 2)]
  const areaArgs = ['-x', left, '-y', top, '-W', right - left, '-H', bottom - top].map((value) =>
    typeof value === 'number' ? String(Math.round(value * scale)) : value,
  )
  const name = `drawn-${page.number}-${Math.round(left)}-${Math.round(top)}`
  const pathPrefix = join(tools.workDir, name)
  const pageNumber = String(page.number)
  await tools.exec('pdftoppm', [
    ...['-q', '-png', '-r', String(dpi), '-f', pageNumber, '-l', pageNumber, '-singlefile', '-cropbox'],
    ...[...areaArgs, renderContext.path, pathPrefix],
  ])
  const imagePath = `${pathPrefix}.png`
  const stats = await stat(imagePath).catch(() => undefined)
  return stats ? imagePath : undefined
}
