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
import type { Page, Vector, Word } from './page-content.ts'

/** Part of a page that is kept as a picture. */
export interface Figure {
  readonly box: Box
  /** It is the ground of text, which is drawn without it. */
  readonly isGround: boolean
}

const minVectors = 12
const minCurves = 3
const minWidth = 40
const minHeight = 30
const maxLabelLetters = 12

/** Areas of a page that are drawings, as charts and the decoration of slides. */
export function figuresOf(page: Page, words: readonly Word[], tables: readonly Box[]): Figure[] {
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
    .map((box) => {
      const isGround = isBehindText(box, page.pieces)
      return { box: isGround ? box : withLabels(box, page.pieces), isGround }
    })
}

/** Words that a figure shows as its own: numbers at axes, names of parts. What runs on for longer is text. */
export function labelsOf({ box, isGround }: Figure, pieces: Page['pieces']): Word[] {
  if (isGround) return []
  return pieces
    .filter((piece) => !isText(piece))
    .flat()
    .filter((word) => centerIn(word.box, box))
}

/** Short pieces of text right beside a drawing are the labels of its axes. */
function withLabels(box: Box, pieces: Page['pieces']): Box {
  const labels = pieces
    .filter((words) => lettersOf(words) <= maxLabelLetters)
    .map((words) => around(words.map((word) => word.box)))
    .filter((label) => touches(label, box, 10) && widthOf(label) < widthOf(box) * 0.3)
    .filter((label) => isBeside(label, box))
  return around([box, ...labels])
}

const lettersOf = (words: readonly Word[]) => words.reduce((sum, { text }) => sum + text.length, 0)
const isText = (piece: readonly Word[]) => piece.length >= 4 && lettersOf(piece) >= 20

/** Most of what stands on it are lines of text. */
function isBehindText(box: Box, pieces: Page['pieces']): boolean {
  const inside = pieces.filter((piece) => centerIn(around(piece.map((word) => word.box)), box))
  const letters = lettersOf(inside.flat())
  return letters > 0 && lettersOf(inside.filter(isText).flat()) >= letters * 0.5
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
  const covered = inside.reduce((sum, word) => sum + areaOf(word.box), 0)
  return lettersOf(inside) > 600 || covered > areaOf(box) * 0.3
}
