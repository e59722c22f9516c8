import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import type { Picture } from './blocks.ts'
import { type Figure, figuresOf, labelsOf } from './figures.ts'
import { areaOf, type Box, centerIn, heightOf, widthOf } from './geometry.ts'
import { lineInOrder } from './lines.ts'
import type { Page, PlacedImage, Word } from './page-content.ts'

/** Pixels per inch of what is drawn anew. */
const dpi = 150
const maxDrawn = 200

/** Pages that are drawn in parts. */
export interface Drawing {
  readonly path: string
  /** Without its text, by the page of the first file; made when one asks for it. */
  readonly textless: () => Promise<TextlessPages>
  /** Parts drawn so far. */
  drawn: number
}

export interface TextlessPages {
  readonly path: string
  pageOf(number: number): number
}

export interface PagePictures {
  readonly pictures: readonly Picture[]
  /** Words that stand in pictures and not in the text. */
  readonly labels: ReadonlySet<Word>
}

/** The pictures of a page: images as they are in the file, and drawings as the page shows them. */
export async function picturesOf(
  page: Page,
  tables: readonly Box[],
  drawing: Drawing,
  tools: Tools,
): Promise<PagePictures> {
  const figures = figuresOf(page, page.pieces.flat(), tables).filter((figure) => isWorthKeeping(figure, page))
  const images = page.images.filter(
    (image) => isWorthKeeping(image, page) && !figures.some(({ box }) => centerIn(image.box, box)),
  )
  const pictures: Picture[] = []
  const labels = new Set<Word>()
  for (const { box, path: file } of images) {
    const path = file ?? (await drawn({ box, isGround: false }, page, drawing, tools))
    if (path !== undefined) pictures.push({ kind: 'picture', box, path })
  }
  for (const figure of figures) {
    const { box } = figure
    const path = await drawn(figure, page, drawing, tools)
    if (path === undefined) continue
    const own = labelsOf(figure, page.pieces)
    for (const word of own) labels.add(word)
    pictures.push({ kind: 'picture', box, path, ...(own.length > 0 && { labels: said(own) }) })
  }
  return { pictures, labels }
}

const said = (words: readonly Word[]) =>
  lineInOrder(words)
    .words.map(({ text }) => text)
    .join(' ')

/** The ground of a page, as a scan behind its recognized text, is not part of what is said on it. */
function isWorthKeeping({ box }: PlacedImage | Figure, page: Page): boolean {
  if (widthOf(box) < 6 || heightOf(box) < 6) return false
  const covers = areaOf(box) / (page.width * page.height)
  const letters = page.pieces.flat().reduce((sum, { text }) => sum + text.length, 0)
  return covers < 0.8 || letters < 20
}

async function drawn(
  { box, isGround }: Figure,
  page: Page,
  drawing: Drawing,
  tools: Tools,
): Promise<string | undefined> {
  if (drawing.drawn++ >= maxDrawn) return undefined
  const scale = dpi / 72
  const [left, top] = [Math.max(0, box[0] - 2), Math.max(0, box[1] - 2)]
  const [right, bottom] = [Math.min(page.width, box[2] + 2), Math.min(page.height, box[3] + 2)]
  const area = ['-x', left, '-y', top, '-W', right - left, '-H', bottom - top].map((value) =>
    typeof value === 'number' ? String(Math.round(value * scale)) : value,
  )
  const name = `drawn-${page.number}-${Math.round(left)}-${Math.round(top)}`
  const prefix = join(tools.workDir, name)
  const textless = isGround ? await drawing.textless() : undefined
  const number = String(textless?.pageOf(page.number) ?? page.number)
  await tools.exec('pdftoppm', [
    ...['-q', '-png', '-r', String(dpi), '-f', number, '-l', number, '-singlefile', '-cropbox'],
    ...[...area, textless?.path ?? drawing.path, prefix],
  ])
  const file = `${prefix}.png`
  const made = await stat(file).catch(() => undefined)
  return made ? file : undefined
}
