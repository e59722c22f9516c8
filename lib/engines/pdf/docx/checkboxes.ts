import { type BoundingBox, clusterTouching, getHeight, getWidth, isCenterInside } from './geometry.ts'
import type { PageContent, Vector, Word } from './page-content.ts'

type PageText = Pick<PageContent, 'textSegments' | 'vectors'>

/** Side lengths of a checkbox in points. */
const [minSide, maxSide] = [5, 22]
const maxThickness = 1.6
/** Points between the frames of a comb, which has a frame for each character of a number or name. */
const maxCombGap = 1.5
/** With more squares than this, the page is a drawing. */
const maxCheckboxes = 300

const symbolFontPattern = /dingbat|wingding|webding|marlett|symbol|D050000L/i
const checkMarkPattern = /^[✓✔✕✖✗✘×■●\uf0fb\uf0fc]$/u

/** Whether a character in a frame marks it; symbol fonts have check marks in place of letters and digits. */
const isMark = ({ text, style: { font } }: Word) =>
  checkMarkPattern.test(text) ||
  text === 'x' ||
  text === 'X' ||
  (symbolFontPattern.test(font) && [...text].length === 1)

/** Replaces drawn checkboxes by characters next to their labels. */
export function readCheckboxes({ textSegments, vectors }: PageText): PageText {
  const words = textSegments.flat()
  const frames = findFrames(vectors)
  if (frames.length === 0 || frames.length > maxCheckboxes) return { textSegments, vectors }
  const boxes = findCheckboxes(frames, words)
  const marks = new Set(words.filter((word) => isMark(word) && isInAny(word.box, boxes)))
  let segments = textSegments
  const placedCheckboxes: BoundingBox[] = []
  for (const box of boxes) {
    const marksInside = new Set([...marks].filter((mark) => isCenterInside(mark.box, box)))
    const isChecked = marksInside.size > 0 || hasMark(box, vectors)
    const otherSegments = segments.map((segment) => segment.filter((word) => !marksInside.has(word)))
    const textWithCheckbox = placeCheckbox({ box, isChecked }, otherSegments, marks)
    if (!textWithCheckbox) continue
    segments = textWithCheckbox
    placedCheckboxes.push(box)
  }
  return {
    textSegments: segments.filter((segment) => segment.length > 0),
    vectors: vectors.filter(({ box }) => !isInAny(box, placedCheckboxes)),
  }
}

/** Returns the frames that are checkboxes: not part of a comb, and not around text. */
function findCheckboxes(frames: readonly BoundingBox[], words: readonly Word[]): BoundingBox[] {
  const isAroundText = (frame: BoundingBox) =>
    words.some(
      (word) => !isMark(word) && (isCenterInside(word.box, frame) || isCenterInside(frame, word.box)),
    )
  return groupIntoRows(frames)
    .filter((row) => !row.some(isAroundText) && !isComb(row))
    .flat()
}

/** Groups frames next to each other, less than the width of a frame apart. */
function groupIntoRows(frames: readonly BoundingBox[]): BoundingBox[][] {
  const items = frames.map((frame) => {
    const [middle, maxDistance] = [(frame[1] + frame[3]) / 2, getWidth(frame) / 2]
    return { frame, box: [frame[0] - maxDistance, middle, frame[2] + maxDistance, middle] as const }
  })
  return clusterTouching(items, 1).map((row) => row.map(({ frame }) => frame))
}

function isComb(row: readonly BoundingBox[]): boolean {
  const framesFromLeft = row.toSorted((a, b) => a[0] - b[0])
  return framesFromLeft.some(
    (frame, at) => frame[0] - (framesFromLeft[at - 1]?.[2] ?? -Infinity) <= maxCombGap,
  )
}

const isInAny = (box: BoundingBox, boxes: readonly BoundingBox[]) =>
  boxes.some((outerBox) => isCenterInside(box, outerBox))

const isSquare = (box: BoundingBox) =>
  getWidth(box) >= minSide &&
  getWidth(box) <= maxSide &&
  Math.abs(getWidth(box) - getHeight(box)) <= Math.max(1.5, getWidth(box) * 0.15)

const isEdge = ({ box }: Vector) => Math.min(getWidth(box), getHeight(box)) <= maxThickness
const isSmall = ({ box }: Vector) => Math.max(getWidth(box), getHeight(box)) <= maxSide

/** Whether a shape covers most of a box. */
const coversMostOf = (shape: BoundingBox, box: BoundingBox) =>
  getWidth(shape) >= getWidth(box) * 0.85 && getHeight(shape) >= getHeight(box) * 0.85

/** Finds empty squares: stroked, or made of four edges. */
function findFrames(vectors: readonly Vector[]): BoundingBox[] {
  const smallVectors = vectors.filter(isSmall)
  const strokedSquares = smallVectors.filter(
    ({ isStroked, isRectangle, box }) => isStroked && isRectangle && isSquare(box),
  )
  const edges = clusterTouching(smallVectors.filter(isEdge), 1).filter((group) => group.length === 4)
  const frames = [
    ...strokedSquares.map(({ box }) => box),
    ...edges.map((group) => computeBounds(group)).filter(isSquare),
  ]
  const isFilled = (frame: BoundingBox) =>
    smallVectors.some(
      ({ box, isStroked, color, isRectangle }) =>
        !isStroked &&
        isRectangle &&
        color !== 'ffffff' &&
        isCenterInside(box, frame) &&
        coversMostOf(box, frame),
    )
  // A box with two outlines counts once.
  return frames.filter(
    (frame, at) => !isFilled(frame) && !frames.slice(0, at).some((other) => isCenterInside(frame, other)),
  )
}

const computeBounds = (group: readonly Vector[]): BoundingBox => [
  Math.min(...group.map(({ box }) => box[0])),
  Math.min(...group.map(({ box }) => box[1])),
  Math.max(...group.map(({ box }) => box[2])),
  Math.max(...group.map(({ box }) => box[3])),
]

/** Whether a check mark or a cross is drawn inside a frame. */
const hasMark = (frame: BoundingBox, vectors: readonly Vector[]) =>
  vectors.some(
    (vector) =>
      vector.color !== 'ffffff' &&
      isSmall(vector) &&
      isCenterInside(vector.box, frame) &&
      !isEdge(vector) &&
      !(vector.isRectangle && coversMostOf(vector.box, frame)),
  )

interface Checkbox {
  readonly box: BoundingBox
  readonly isChecked: boolean
}

/**
 * Adds a character for the checkbox to the segment of the nearest word on its line; returns undefined if the line has
 * only check marks.
 */
function placeCheckbox(
  { box, isChecked }: Checkbox,
  segments: PageContent['textSegments'],
  marks: ReadonlySet<Word>,
): PageContent['textSegments'] | undefined {
  const middle = (box[1] + box[3]) / 2
  const isOnLine = (word: Word) => middle > word.box[1] && middle < word.box[3] && !marks.has(word)
  const computeDistance = (word: Word) => Math.max(word.box[0] - box[2], box[0] - word.box[2])
  const candidates = segments.flatMap((segment, at) =>
    segment.filter(isOnLine).map((word) => ({ word, at, distance: computeDistance(word) })),
  )
  // Prefers labels on the right, where most of them are.
  const computeCost = ({ word, distance }: (typeof candidates)[number]) =>
    distance + (word.box[0] < box[0] ? word.style.size : 0)
  const [nearest] = candidates.sort((a, b) => computeCost(a) - computeCost(b))
  if (!nearest) return undefined
  const { word, at, distance } = nearest
  const { baseline, style } = word
  const mark: Word = { text: isChecked ? '☒' : '☐', box, baseline, style, hasSpaceBefore: true }
  if (distance > style.size * 2.5) return [...segments, [mark]]
  const segment = segments[at] ?? []
  const index = segment.indexOf(word) + (word.box[0] < box[0] ? 1 : 0)
  const followingWords = segment
    .slice(index)
    .map((run, i) => (i === 0 ? { ...run, hasSpaceBefore: true } : run))
  return segments.with(at, [...segment.slice(0, index), mark, ...followingWords])
}
