import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { runMupdf } from '../mupdf.ts'
import type { FloatingImage } from './blocks.ts'
import { areaOf, type BoundingBox, boundingBoxOf, heightOf, isCenterInside, widthOf } from './geometry.ts'
import type { PageContent, Word } from './page-content.ts'

/** An area of a page whose drawings and slanted text become an image; without a box, the background of the page. */
export interface DrawingRequest {
  readonly page: number
  readonly box?: BoundingBox
  /** Words that only the image shows. */
  readonly labels?: string
}

/** Points: how close to an edge of the page a drawing reaches it. */
const edgeTolerance = 3
const minCoverage = 0.6
const maxRequests = 300

/** Whether a drawing reaches two edges of the page, or covers most of it; `layers/pdf/drawings.mjs` decides alike. */
export function isPageBackground(
  box: BoundingBox,
  { width, height }: Pick<PageContent, 'width' | 'height'>,
): boolean {
  const distances = [box[0], box[1], width - box[2], height - box[3]]
  const edges = distances.filter((distance) => distance < edgeTolerance).length
  return edges >= 2 || areaOf(box) > width * height * minCoverage
}

/** Whether images or shapes lie behind the whole page. Words read by OCR are in an image of the page already. */
export function hasPageBackground(page: PageContent): boolean {
  if (page.textSegments.flat().some(({ style }) => style.isRecognized)) return false
  return (
    page.images.some(({ box }) => isPageBackground(box, page)) ||
    page.vectors.some(
      ({ box, color, isStroked }) => !isStroked && color !== 'ffffff' && isPageBackground(box, page),
    )
  )
}

/** Returns the page without the images and shapes that its background image shows. */
export const withoutBackground = (page: PageContent): PageContent => ({
  ...page,
  images: page.images.filter(({ box }) => !isPageBackground(box, page)),
  vectors: page.vectors.filter(({ box, isStroked }) => isStroked || !isPageBackground(box, page)),
})

/** Renders backgrounds and drawings that text runs over; returns those that show something by their request. */
export async function renderDrawings(
  path: string,
  requests: readonly DrawingRequest[],
  pages: readonly PageContent[],
  tools: Tools,
): Promise<ReadonlyMap<DrawingRequest, FloatingImage>> {
  const rendered = requests.slice(0, maxRequests)
  if (rendered.length === 0) return new Map()
  const folder = join(tools.workDir, 'drawings')
  await mkdir(folder, { recursive: true })
  const list = join(folder, 'requests.json')
  const nameOf = (at: number) => `drawing-${at}`
  await writeFile(
    list,
    JSON.stringify(rendered.map(({ page, box }, at) => ({ page, box, file: nameOf(at) }))),
  )
  const { stdout } = await runMupdf('drawings', [path, folder, list], tools, { timeoutS: 120 })
  const files = new Set(stdout.split('\n'))
  return new Map(
    rendered.flatMap((request, at): [DrawingRequest, FloatingImage][] => {
      const file = ['png', 'jpg'].map((type) => `${nameOf(at)}.${type}`).find((name) => files.has(name))
      const page = pages.find(({ number }) => number === request.page)
      if (!file || !page) return []
      const { box = [0, 0, page.width, page.height], labels } = request
      return [[request, { path: join(folder, file), box, ...(labels && { labels }) }]]
    }),
  )
}

interface Stamp {
  readonly box: BoundingBox
  readonly labels: string
  readonly words: readonly Word[]
}

/** Finds slanted text, such as stamps and watermarks, with the frames drawn around it. */
export function findStamps({ rotatedText, vectors, width, height }: PageContent): Stamp[] {
  return rotatedText.filter(isSlanted).map((words) => {
    const textBox = boundingBoxOf(words.map(({ box }) => box))
    const frames = vectors
      .map(({ box }) => box)
      .filter((box) => isCenterInside(box, textBox) && areaOf(box) < width * height * 0.5)
    const box = boundingBoxOf([textBox, ...frames])
    return { box, labels: words.map(({ text }) => text).join(' '), words }
  })
}

/** A word that is turned by a quarter is as narrow as it was high. */
const isSlanted = (words: readonly Word[]) =>
  words.some(
    ({ box, text, style }) => text.length > 1 && Math.min(widthOf(box), heightOf(box)) > style.size * 1.4,
  )
