import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { getArea } from './geometry.ts'
import type { PageContent } from './page-content.ts'

const dpi = 150
const maxSidePixels = 5000

/** Renders everything on the pages except text; returns the image paths by page number. */
export async function renderBackgrounds(
  path: string,
  pages: readonly PageContent[],
  tools: Tools,
  needsBackground: (page: PageContent) => boolean = hasBackground,
): Promise<ReadonlyMap<number, string>> {
  const selectedPages = pages.filter(needsBackground).toSorted((a, b) => a.number - b.number)
  if (selectedPages.length === 0) return new Map()
  const longSidePt = Math.max(...selectedPages.flatMap(({ width, height }) => [width, height]))
  const numbers = [...new Set(selectedPages.map(({ number }) => number))]
  await tools.exec('gs', [
    ...['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-dFILTERTEXT', '-dUseCropBox'],
    ...['-sDEVICE=jpeg', '-dJPEGQ=85', '-dGraphicsAlphaBits=4'],
    `-r${Math.min(dpi, Math.floor((maxSidePixels * 72) / longSidePt))}`,
    `-sPageList=${numbers.join(',')}`,
    ...['-o', join(tools.workDir, 'background-%d.jpg'), path],
  ])
  return new Map(numbers.map((number, index) => [number, join(tools.workDir, `background-${index + 1}.jpg`)]))
}

/**
 * Whether a page shows more than text. A scan does not count: behind its recognized text, it would show the text twice.
 */
function hasBackground({ images, vectors, textSegments, width, height }: PageContent): boolean {
  if (images.length + vectors.length === 0) return false
  return textSegments.length === 0 || !isScan({ images, width, height })
}

/** Whether an image fills the page. */
export const isScan = ({ images, width, height }: Pick<PageContent, 'images' | 'width' | 'height'>) =>
  images.some(({ box }) => getArea(box) > width * height * 0.8)
