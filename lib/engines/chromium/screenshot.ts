import { writeFile } from 'node:fs/promises'
import * as z from 'zod'
import { qualityScales } from '../image/options.ts'
import { decimal, flag, integer, quality, qualityNumber } from '../options.ts'
import type { Page, PageArea } from './page.ts'

const ViewOptions = z.object({
  width: integer(16, 7680).default(1280).describe('Width of the window in pixels.'),
  height: integer(16, 7680).default(1024).describe('Height of the window in pixels.'),
  fullPage: flag().default(true).describe('Show the whole page, not only what fits into the window.'),
  scale: decimal(0.5, 4).default(1).describe('Pixels of the picture per pixel of the page, 0.5 to 4.'),
})

export const pictureOptions = {
  png: ViewOptions,
  jpg: ViewOptions.extend({ quality: quality.optional() }),
  webp: ViewOptions.extend({ quality: quality.optional() }),
} as const
export type PictureTarget = keyof typeof pictureOptions
export type View = z.output<typeof ViewOptions>

export const viewOf = (options: unknown): View => ViewOptions.parse(options)

/** Of the compositor, whose tiles have a limit. */
const maxSidePixels = 16_384

/** Pixels of the picture that was made. */
export interface Photographed {
  readonly width: number
  readonly height: number
  /** The page goes on below the picture. */
  readonly cut: boolean
}

export interface Photo {
  readonly to: PictureTarget
  readonly path: string
  readonly options: unknown
}

/** Takes the picture of a page, or as much of it as the compositor can draw. */
export async function photograph(page: Page, photo: Photo): Promise<Photographed> {
  const { to, path } = photo
  const options = pictureOptions.jpg.parse(photo.options)
  const { scale } = options
  const whole = await contentSize(page, options)
  const most = Math.floor(maxSidePixels / scale)
  const width = Math.min(most, whole.width)
  const height = Math.min(most, whole.height)
  const words = to === 'webp' ? qualityScales.webp : qualityScales.jpg
  const { data } = await page.call(z.looseObject({ data: z.string() }), 'Page.captureScreenshot', {
    format: to === 'jpg' ? 'jpeg' : to,
    ...(to !== 'png' && { quality: qualityNumber(options.quality, words) }),
    clip: { x: 0, y: 0, width, height, scale: 1 },
    captureBeyondViewport: true,
  })
  await writeFile(path, Buffer.from(data, 'base64'))
  return {
    width: Math.round(width * scale),
    height: Math.round(height * scale),
    cut: whole.height > height,
  }
}

/**
 * A drawing alone and nothing around it, as PNG, transparent where it is.
 * @param scale pixels of the picture per pixel of the page; less where the compositor cannot draw so many.
 */
export async function photographDrawing(
  page: Page,
  { width, height }: PageArea,
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

async function contentSize(page: Page, { width, height, fullPage }: View): Promise<PageArea> {
  if (!fullPage) return { width, height }
  const size = z.looseObject({ width: z.number(), height: z.number() })
  const metrics = z.looseObject({ cssContentSize: size })
  const { cssContentSize } = await page.call(metrics, 'Page.getLayoutMetrics')
  return {
    width: Math.max(width, Math.ceil(cssContentSize.width)),
    height: Math.max(1, Math.ceil(cssContentSize.height)),
  }
}
