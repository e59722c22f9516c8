import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { runMupdf } from '../mupdf.ts'
import type { FloatingImage } from './blocks.ts'
import { type BoundingBox, getArea, getBoundingBox, isCenterInside } from './geometry.ts'
import type { PageContent, Word } from './page-content.ts'

/**
 * An area of a page whose drawings and slanted text become an image. If `box` is unset, the image is the background of
 * the page.
 */
export interface DrawingRequest {
  readonly page: number
  readonly box?: BoundingBox
  /** Words that only the image shows. */
  readonly labels?: string
}

export interface RenderedDrawings {
  readonly images: ReadonlyMap<DrawingRequest, FloatingImage>
  /** Requests that could not be rendered. A request that is neither here nor in `images` has nothing to show. */
  readonly failedRequests: ReadonlySet<DrawingRequest>
}

/** Maximum distance in points at which a drawing counts as reaching an edge of the page. */
const edgeTolerance = 3
const minCoverage = 0.6
const maxRequests = 1000
/**
 * Drawings of a document with more requests than this get a lower resolution, so that they are rendered within minutes.
 */
const [maxFineRequests, fineDpi, coarseDpi] = [100, 150, 100]
/** Time limits in seconds. They are several times as long as a busy machine needs. */
const [minTimeoutS, timeoutPerDrawingS, maxTimeoutS] = [60, 1.5, 300]

/**
 * Whether a drawing reaches two edges of the page, or covers most of it; `layers/pdf/drawings.mjs` has the same rule.
 */
export function isPageBackground(
  box: BoundingBox,
  { width, height }: Pick<PageContent, 'width' | 'height'>,
): boolean {
  const distances = [box[0], box[1], width - box[2], height - box[3]]
  const edgeCount = distances.filter((distance) => distance < edgeTolerance).length
  return edgeCount >= 2 || getArea(box) > width * height * minCoverage
}

/**
 * Whether images or shapes lie behind the whole page. A page with words read by OCR already has an image of the page.
 */
export function hasPageBackground(page: PageContent): boolean {
  if (page.textSegments.flat().some(({ style }) => style.isRecognized)) return false
  return (
    page.images.some(({ box }) => isPageBackground(box, page)) ||
    page.vectors.some(
      ({ box, color, isStroked }) => !isStroked && color !== 'ffffff' && isPageBackground(box, page),
    )
  )
}

export const findBackgroundImages = (page: PageContent) =>
  page.images.filter(({ box }) => isPageBackground(box, page))

/** Returns the page without the images and shapes that its background image shows. */
export const removeBackground = (page: PageContent): PageContent => ({
  ...page,
  images: page.images.filter(({ box }) => !isPageBackground(box, page)),
  vectors: page.vectors.filter(({ box, isStroked }) => isStroked || !isPageBackground(box, page)),
})

/** Renders backgrounds and drawings that text runs over. */
export async function renderDrawings(
  path: string,
  requests: readonly DrawingRequest[],
  pages: readonly PageContent[],
  tools: Tools,
): Promise<RenderedDrawings> {
  const selectedRequests = requests.slice(0, maxRequests)
  const failedRequests = new Set(requests)
  const images = new Map<DrawingRequest, FloatingImage>()
  if (selectedRequests.length === 0) return { images, failedRequests }
  const folder = join(tools.workDir, 'drawings')
  await mkdir(folder, { recursive: true })
  const requestsPath = join(folder, 'requests.json')
  const getDrawingName = (at: number) => `drawing-${at}`
  await writeFile(
    requestsPath,
    JSON.stringify(selectedRequests.map(({ page, box }, at) => ({ page, box, file: getDrawingName(at) }))),
  )
  const lines = await runAndReadLines([path, folder, requestsPath], selectedRequests.length, tools)
  for (const [at, request] of selectedRequests.entries()) {
    const name = getDrawingName(at)
    const file = [`${name}.png`, `${name}.jpg`].find((candidate) => lines.has(candidate))
    const page = pages.find(({ number }) => number === request.page)
    if (file !== undefined && page) {
      const { box = [0, 0, page.width, page.height], labels } = request
      images.set(request, { path: join(folder, file), box, ...(labels && { labels }) })
    }
    if (file !== undefined || lines.has(`${name} is empty`)) failedRequests.delete(request)
  }
  return { images, failedRequests }
}

/** Runs the rendering program; returns the lines that it has printed, even if it fails halfway. */
async function runAndReadLines(
  args: readonly string[],
  count: number,
  tools: Tools,
): Promise<ReadonlySet<string>> {
  const lines = new Set<string>()
  const timeoutS = Math.min(minTimeoutS + count * timeoutPerDrawingS, maxTimeoutS)
  const dpi = count > maxFineRequests ? coarseDpi : fineDpi
  try {
    await runMupdf('drawings', [...args, String(dpi)], tools, { timeoutS, onLine: (line) => lines.add(line) })
  } catch {
    // A failure only loses the drawings, and the words of the document are worth more.
    tools.signal.throwIfAborted()
  }
  return lines
}

interface Stamp {
  readonly box: BoundingBox
  readonly labels: string
  readonly words: readonly Word[]
}

/** Finds slanted text, such as stamps and watermarks, with the frames drawn around it. */
export function findStamps({ rotatedText, vectors, width, height }: PageContent): Stamp[] {
  return rotatedText
    .filter(([word]) => word?.isSlanted)
    .map((words) => {
      const textBox = getBoundingBox(words.map(({ box }) => box))
      const frames = vectors
        .map(({ box }) => box)
        .filter((box) => isCenterInside(box, textBox) && getArea(box) < width * height * 0.5)
      const box = getBoundingBox([textBox, ...frames])
      return { box, labels: words.map(({ text }) => text).join(' '), words }
    })
}
