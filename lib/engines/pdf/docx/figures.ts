import {
  areaOf,
  around,
  type Box,
  centerIn,
  clusters,
  heightOf,
  overlap,
  touches,
  widthOf,
} from './geometry.ts'
import type { Page, Vector, Word } from './page.ts'

const minVectors = 12
const minCurves = 3
const minWidth = 40
const minHeight = 30
const maxLabelLetters = 12

/** Areas of a page that are drawings, as charts: they are kept as pictures, with the words in them. */
export function figuresOf(page: Page, words: readonly Word[], tables: readonly Box[]): Box[] {
  const pageArea = page.width * page.height
  const strokes = page.vectors.filter(
    ({ box, color, stroked }) =>
      areaOf(box) < pageArea * 0.7 &&
      !(color === 'ffffff' && !stroked) &&
      !tables.some((table) => centerIn(box, table, 3)) &&
      !(heightOf(box) < 3 && widthOf(box) > page.width * 0.3),
  )
  const groups = clusters(strokes, 6)
  const boxes = groups.filter(isDrawing).map((group) => around(group.map(({ box }) => box)))
  return boxes
    .filter((box) => widthOf(box) >= minWidth && heightOf(box) >= minHeight)
    .filter((box) => !isFullOfText(box, words))
    .filter((box) => !tables.some((table) => overlap(table, box) > areaOf(table) * 0.3))
    .map((box) => withLabels(box, page.pieces))
}

/** Short pieces of text right beside a drawing are the labels of its axes. */
function withLabels(box: Box, pieces: Page['pieces']): Box {
  const labels = pieces
    .filter((words) => words.reduce((sum, { text }) => sum + text.length, 0) <= maxLabelLetters)
    .map((words) => around(words.map((word) => word.box)))
    .filter((label) => touches(label, box, 10) && widthOf(label) < widthOf(box) * 0.3)
    .filter((label) => isBeside(label, box))
  return around([box, ...labels])
}

function isBeside(label: Box, box: Box): boolean {
  const [x, y] = [(label[0] + label[2]) / 2, (label[1] + label[3]) / 2]
  return (x > box[0] && x < box[2]) || (y > box[1] && y < box[3])
}

function isDrawing(group: readonly Vector[]): boolean {
  return group.length >= minVectors || group.filter(({ rectangle }) => !rectangle).length >= minCurves
}

/** Text on a colored ground or in frames is text. */
function isFullOfText(box: Box, words: readonly Word[]): boolean {
  const inside = words.filter((word) => centerIn(word.box, box))
  const letters = inside.reduce((sum, { text }) => sum + text.length, 0)
  const covered = inside.reduce((sum, word) => sum + areaOf(word.box), 0)
  return letters > 600 || covered > areaOf(box) * 0.3
}
