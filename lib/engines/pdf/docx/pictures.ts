import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import type { Picture } from './blocks.ts'
import { figuresOf } from './figures.ts'
import { areaOf, type Box, centerIn, heightOf, widthOf } from './geometry.ts'
import type { Page, PlacedImage } from './page.ts'

/** Pixels per inch of what is drawn anew. */
const dpi = 150
const maxDrawn = 200

/** The pictures of a page: images as they are in the file, and drawings as the page shows them. */
export async function picturesOf(
  path: string,
  page: Page,
  tables: readonly Box[],
  tools: Tools,
  budget: { drawn: number },
): Promise<Picture[]> {
  const words = page.pieces.flat()
  const figures = figuresOf(page, words, tables)
  const images = page.images.filter(
    (image) => isWorthKeeping(image, page) && !figures.some((figure) => centerIn(image.box, figure)),
  )
  const pictures: Picture[] = []
  for (const { box, path: file } of [...images, ...figures.map((box): PlacedImage => ({ box }))]) {
    const picture = file ?? (budget.drawn++ < maxDrawn ? await drawn(path, page, box, tools) : undefined)
    if (picture !== undefined) pictures.push({ kind: 'picture', box, path: picture })
  }
  return pictures
}

/** The ground of a page, as a scan behind its recognized text, is not part of what is said on it. */
function isWorthKeeping({ box }: PlacedImage, page: Page): boolean {
  if (widthOf(box) < 6 || heightOf(box) < 6) return false
  const covers = areaOf(box) / (page.width * page.height)
  const letters = page.pieces.flat().reduce((sum, { text }) => sum + text.length, 0)
  return covers < 0.8 || letters < 20
}

async function drawn(path: string, page: Page, box: Box, tools: Tools): Promise<string | undefined> {
  const scale = dpi / 72
  const [left, top] = [Math.max(0, box[0] - 2), Math.max(0, box[1] - 2)]
  const [right, bottom] = [Math.min(page.width, box[2] + 2), Math.min(page.height, box[3] + 2)]
  const area = ['-x', left, '-y', top, '-W', right - left, '-H', bottom - top].map((value) =>
    typeof value === 'number' ? String(Math.round(value * scale)) : value,
  )
  const name = `drawn-${page.number}-${Math.round(left)}-${Math.round(top)}`
  const prefix = join(tools.workDir, name)
  const number = String(page.number)
  await tools.exec('pdftoppm', [
    ...['-q', '-png', '-r', String(dpi), '-f', number, '-l', number, '-singlefile'],
    ...[...area, path, prefix],
  ])
  const file = `${prefix}.png`
  const made = await stat(file).catch(() => undefined)
  return made ? file : undefined
}
