import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { areaOf } from './geometry.ts'
import type { Page } from './page-content.ts'

const dpi = 150
const maxSidePixels = 5000

/** Pictures of all on a page that is no text, by page number. */
export async function groundsOf(
  path: string,
  pages: readonly Page[],
  tools: Tools,
  isDrawn: (page: Page) => boolean = hasGround,
): Promise<ReadonlyMap<number, string>> {
  const drawn = pages.filter(isDrawn).toSorted((a, b) => a.number - b.number)
  if (drawn.length === 0) return new Map()
  const longest = Math.max(...drawn.flatMap(({ width, height }) => [width, height]))
  const numbers = [...new Set(drawn.map(({ number }) => number))]
  await tools.exec('gs', [
    ...['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-dFILTERTEXT', '-dUseCropBox'],
    ...['-sDEVICE=jpeg', '-dJPEGQ=85', '-dGraphicsAlphaBits=4'],
    `-r${Math.min(dpi, Math.floor((maxSidePixels * 72) / longest))}`,
    `-sPageList=${numbers.join(',')}`,
    ...['-o', join(tools.workDir, 'ground-%d.jpg'), path],
  ])
  return new Map(numbers.map((number, index) => [number, join(tools.workDir, `ground-${index + 1}.jpg`)]))
}

/** A scan behind its recognized text would show the text twice. */
function hasGround({ images, vectors, pieces, width, height }: Page): boolean {
  if (images.length + vectors.length === 0) return false
  return pieces.length === 0 || !isScan({ images, width, height })
}

/** A picture fills the page. */
export const isScan = ({ images, width, height }: Pick<Page, 'images' | 'width' | 'height'>) =>
  images.some(({ box }) => areaOf(box) > width * height * 0.8)
