import {
  areTouching,
  type BoundingBox,
  clusterTouching,
  computeOverlapArea,
  getArea,
  getBoundingBox,
  getHeight,
  getWidth,
  isCenterInside,
} from './geometry.ts'
import type { PageContent, Vector, Word } from './page-content.ts'

/** Part of a page that becomes an image. */
export interface PageFigure {
  readonly box: BoundingBox
  /** Whether text runs over the figure; the figure is then rendered without that text and stays behind it. */
  readonly isBehindText: boolean
}

const minVectors = 12
const minCurves = 3
const minWidth = 40
const minHeight = 30
const maxLabelCharacters = 12

/** Finds the areas of a page that are vector drawings, such as charts or slide decoration. */
export function findFigures(
  page: PageContent,
  words: readonly Word[],
  tables: readonly BoundingBox[],
): PageFigure[] {
  const pageArea = page.width * page.height
  const strokes = page.vectors.filter(
    ({ box, color, isStroked }) =>
      getArea(box) < pageArea * 0.7 &&
      !(color === 'ffffff' && !isStroked) &&
      !tables.some((table) => isCenterInside(box, table, 3)) &&
      !(getHeight(box) < 3 && getWidth(box) > page.width * 0.3),
  )
  const figures = clusterTouching(strokes, 6).flatMap((group): PageFigure[] => {
    const box = getBoundingBox(group.map((vector) => vector.box))
    if (getWidth(box) < minWidth || getHeight(box) < minHeight) return []
    const hasCurves = group.some(({ isRectangle }) => !isRectangle)
    if (!isDrawing(group)) return hasCurves ? [{ box, isBehindText: true }] : []
    if (isMostlyText(box, words)) return hasCurves ? [{ box, isBehindText: true }] : []
    if (isBehindLines(box, page.textSegments)) return [{ box, isBehindText: true }]
    return [{ box: includeLabels(box, page.textSegments), isBehindText: false }]
  })
  return figures.filter(
    ({ box }) => !tables.some((table) => computeOverlapArea(table, box) > getArea(table) * 0.3),
  )
}

/**
 * Returns the words that belong to a figure, such as axis labels or names of parts. Lines of text do not belong to it.
 */
export function findLabels(
  { box, isBehindText }: PageFigure,
  textSegments: PageContent['textSegments'],
): Word[] {
  if (isBehindText) return []
  return textSegments
    .filter((segment) => !isTextLine(segment))
    .flat()
    .filter((word) => isCenterInside(word.box, box))
}

/** Extends the box by axis labels, which are short texts right next to the drawing. */
function includeLabels(box: BoundingBox, textSegments: PageContent['textSegments']): BoundingBox {
  const labelBoxes = textSegments
    .filter((words) => countCharacters(words) <= maxLabelCharacters)
    .map((words) => getBoundingBox(words.map((word) => word.box)))
    .filter((label) => areTouching(label, box, 10) && getWidth(label) < getWidth(box) * 0.3)
    .filter((label) => isBeside(label, box))
  return getBoundingBox([box, ...labelBoxes])
}

const countCharacters = (words: readonly Word[]) => words.reduce((sum, { text }) => sum + text.length, 0)
const isTextLine = (segment: readonly Word[]) => segment.length >= 4 && countCharacters(segment) >= 20

/** Whether most of the text on a figure is body text. */
function isBehindLines(box: BoundingBox, textSegments: PageContent['textSegments']): boolean {
  const segmentsInside = textSegments.filter((segment) =>
    isCenterInside(getBoundingBox(segment.map((word) => word.box)), box),
  )
  const characterCount = countCharacters(segmentsInside.flat())
  return (
    characterCount > 0 && countCharacters(segmentsInside.filter(isTextLine).flat()) >= characterCount * 0.5
  )
}

function isBeside(label: BoundingBox, box: BoundingBox): boolean {
  const [x, y] = [(label[0] + label[2]) / 2, (label[1] + label[3]) / 2]
  return (x > box[0] && x < box[2]) || (y > box[1] && y < box[3])
}

function isDrawing(group: readonly Vector[]): boolean {
  return group.length >= minVectors || group.filter(({ isRectangle }) => !isRectangle).length >= minCurves
}

/** Whether most of a box is text: text on a colored background or in frames does not count as a drawing. */
function isMostlyText(box: BoundingBox, words: readonly Word[]): boolean {
  const wordsInside = words.filter((word) => isCenterInside(word.box, box))
  const coveredArea = wordsInside.reduce((sum, word) => sum + getArea(word.box), 0)
  return countCharacters(wordsInside) > 600 || coveredArea > getArea(box) * 0.3
}
