import { writeFile } from 'node:fs/promises'
import * as z from 'zod'
import { decimal, flag, integer, quality, toQualityNumber } from '../options.ts'
import { qualityScales } from '../shared/image/options.ts'
import type { BrowserPage, PageSize } from './page.ts'

const defaultHeight = 1024

const ViewOptions = z.object({
  width: integer(16, 7680).default(1280).describe('Width of the window in pixels.'),
  height: integer(16, 7680).default(defaultHeight).describe('Height of the window in pixels.'),
  fullPage: flag().default(true).describe('Capture the whole page, not only what fits in the window.'),
  scale: decimal(0.5, 4).default(1).describe('Pixels of the image per pixel of the page, 0.5 to 4.'),
})

export const screenshotOptions = {
  png: ViewOptions,
  jpg: ViewOptions.extend({ quality: quality.optional() }),
  webp: ViewOptions.extend({ quality: quality.optional() }),
} as const
export type ScreenshotTarget = keyof typeof screenshotOptions
type ScreenshotView = z.output<typeof ViewOptions>

export const parseScreenshotView = (options: unknown): ScreenshotView => ViewOptions.parse(options)

/** Maximum width and height of a screenshot, determined by the tile limit of the compositor. */
const maxSidePixels = 16_384

/** A screenshot with its size in pixels. */
interface Screenshot {
  readonly width: number
  readonly height: number
  /** Whether the page is longer than the screenshot. */
  readonly isCut: boolean
  /** Whether the client requested a window height and the page is longer than that. */
  readonly exceedsWindow: boolean
}

export interface ScreenshotRequest {
  readonly to: ScreenshotTarget
  readonly path: string
  readonly options: unknown
}

/** Takes a screenshot of the page, or of the part of it that the compositor can draw. */
export async function takeScreenshot(page: BrowserPage, request: ScreenshotRequest): Promise<Screenshot> {
  const { to, path } = request
  const options = screenshotOptions.jpg.parse(request.options)
  const { scale } = options
  const content = await measureContent(page, options)
  const maxSide = Math.floor(maxSidePixels / scale)
  const width = Math.min(maxSide, content.width)
  const height = Math.min(maxSide, content.height)
  const qualityScale = to === 'webp' ? qualityScales.webp : qualityScales.jpg
  const { data } = await page.call(z.looseObject({ data: z.string() }), 'Page.captureScreenshot', {
    format: to === 'jpg' ? 'jpeg' : to,
    ...(to !== 'png' && { quality: toQualityNumber(options.quality, qualityScale) }),
    clip: { x: 0, y: 0, width, height, scale: 1 },
    captureBeyondViewport: true,
  })
  await writeFile(path, Buffer.from(data, 'base64'))
  return {
    width: Math.round(width * scale),
    height: Math.round(height * scale),
    isCut: content.height > height,
    exceedsWindow: options.height !== defaultHeight && content.height > options.height,
  }
}

/**
 * Captures only the drawing as a PNG that keeps its transparency.
 * @param scale image pixels per CSS pixel; reduced if the compositor cannot draw that many.
 */
export async function captureDrawing(
  page: BrowserPage,
  { width, height }: PageSize,
  scale: number,
  path: string,
): Promise<void> {
  const deviceScaleFactor = Math.min(scale, maxSidePixels / Math.max(width, height))
  const metrics = { width: 1280, height: 1024, deviceScaleFactor, mobile: false }
  await page.call(z.object({}), 'Emulation.setDeviceMetricsOverride', metrics)
  const color = { r: 0, g: 0, b: 0, a: 0 }
  await page.call(z.object({}), 'Emulation.setDefaultBackgroundColorOverride', { color })
  const { data } = await page.call(z.looseObject({ data: z.string() }), 'Page.captureScreenshot', {
    format: 'png',
    clip: { x: 0, y: 0, width, height, scale: 1 },
    captureBeyondViewport: true,
  })
  await writeFile(path, Buffer.from(data, 'base64'))
}

async function measureContent(
  page: BrowserPage,
  { width, height, fullPage }: ScreenshotView,
): Promise<PageSize> {
  if (!fullPage) return { width, height }
  const size = z.looseObject({ width: z.number(), height: z.number() })
  const metrics = z.looseObject({ cssContentSize: size })
  const { cssContentSize } = await page.call(metrics, 'Page.getLayoutMetrics')
  return {
    width: Math.max(width, Math.ceil(cssContentSize.width)),
    height: Math.max(1, Math.ceil(cssContentSize.height)),
  }
}
