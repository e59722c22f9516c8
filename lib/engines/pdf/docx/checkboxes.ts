import { type BoundingBox, clusterTouching, heightOf, isCenterInside, widthOf } from './geometry.ts'
import type { PageContent, Vector, Word } from './page-content.ts'

interface Checkbox {
  readonly box: BoundingBox
  readonly isChecked: boolean
}

type PageText = Pick<PageContent, 'textSegments' | 'vectors'>

/** Points. */
const [minSide, maxSide] = [5, 22]
const maxThickness = 1.6
/** Further squares belong to a drawing. */
const maxCheckboxes = 300

/** Characters that fill a drawn box; the fonts of symbols have check marks in the place of some of them. */
const markCharacter = /^[✓✔✕✖✗✘xX×45678■●]$/u

/** Replaces drawn checkboxes by characters next to their labels. */
export function readCheckboxes({ textSegments, vectors }: PageText): PageText {
  const words = textSegments.flat()
  const frames = findFrames(vectors)
  if (frames.length === 0 || frames.length > maxCheckboxes) return { textSegments, vectors }
  const marks = new Set(words.filter(({ text, box }) => markCharacter.test(text) && isInAny(box, frames)))
  const checkboxes = frames.map((box) => ({
    box,
    isChecked: [...marks].some((mark) => isCenterInside(mark.box, box)) || hasMark(box, vectors),
  }))
  const segments = textSegments
    .map((segment) => segment.filter((word) => !marks.has(word)))
    .filter((segment) => segment.length > 0)
  const placed: Checkbox[] = []
  for (const checkbox of checkboxes) if (placeCheckbox(checkbox, segments)) placed.push(checkbox)
  const boxes = placed.map(({ box }) => box)
  return { textSegments: segments, vectors: vectors.filter(({ box }) => !isInAny(box, boxes)) }
}

const isInAny = (box: BoundingBox, boxes: readonly BoundingBox[]) =>
  boxes.some((outer) => isCenterInside(box, outer))

const isSquare = (box: BoundingBox) =>
  widthOf(box) >= minSide &&
  widthOf(box) <= maxSide &&
  Math.abs(widthOf(box) - heightOf(box)) <= Math.max(1.5, widthOf(box) * 0.15)

const isEdge = ({ box }: Vector) => Math.min(widthOf(box), heightOf(box)) <= maxThickness
const isSmall = ({ box }: Vector) => Math.max(widthOf(box), heightOf(box)) <= maxSide

/** Whether a shape covers most of a box. */
const covers = (shape: BoundingBox, box: BoundingBox) =>
  widthOf(shape) >= widthOf(box) * 0.85 && heightOf(shape) >= heightOf(box) * 0.85

/** Finds empty squares: stroked, or made of four edges. */
function findFrames(vectors: readonly Vector[]): BoundingBox[] {
  const small = vectors.filter(isSmall)
  const stroked = small.filter(({ isStroked, isRectangle, box }) => isStroked && isRectangle && isSquare(box))
  const edges = clusterTouching(small.filter(isEdge), 1).filter((group) => group.length === 4)
  const frames = [...stroked.map(({ box }) => box), ...edges.map((group) => boundsOf(group)).filter(isSquare)]
  const isFilled = (frame: BoundingBox) =>
    small.some(
      ({ box, isStroked, color, isRectangle }) =>
        !isStroked && isRectangle && color !== 'ffffff' && isCenterInside(box, frame) && covers(box, frame),
    )
  // A box with two outlines is one box.
  return frames.filter(
    (frame, at) => !isFilled(frame) && !frames.slice(0, at).some((other) => isCenterInside(frame, other)),
  )
}

const boundsOf = (group: readonly Vector[]): BoundingBox => [
  Math.min(...group.map(({ box }) => box[0])),
  Math.min(...group.map(({ box }) => box[1])),
  Math.max(...group.map(({ box }) => box[2])),
  Math.max(...group.map(({ box }) => box[3])),
]

/** Whether a check mark or a cross is drawn inside. */
const hasMark = (frame: BoundingBox, vectors: readonly Vector[]) =>
  vectors.some(
    (vector) =>
      vector.color !== 'ffffff' &&
      isSmall(vector) &&
      isCenterInside(vector.box, frame) &&
      !isEdge(vector) &&
      !(vector.isRectangle && covers(vector.box, frame)),
  )

/** Puts the character into the segment of the nearest word on its line; returns false when the line has no words. */
function placeCheckbox({ box, isChecked }: Checkbox, segments: (readonly Word[])[]): boolean {
  const middle = (box[1] + box[3]) / 2
  const isOnLine = (word: Word) => middle > word.box[1] && middle < word.box[3]
  const distanceTo = (word: Word) => Math.max(word.box[0] - box[2], box[0] - word.box[2])
  const candidates = segments.flatMap((segment, at) =>
    segment.filter(isOnLine).map((word) => ({ word, at, distance: distanceTo(word) })),
  )
  // The label is usually to the right.
  const cost = ({ word, distance }: (typeof candidates)[number]) =>
    distance + (word.box[0] < box[0] ? word.style.size : 0)
  const [nearest] = candidates.sort((a, b) => cost(a) - cost(b))
  if (!nearest) return false
  const { word, at, distance } = nearest
  const { baseline, style } = word
  const mark: Word = { text: isChecked ? '☒' : '☐', box, baseline, style, hasSpaceBefore: true }
  const segment = segments[at] ?? []
  if (distance > style.size * 2.5) segments.push([mark])
  else {
    const index = segment.indexOf(word) + (word.box[0] < box[0] ? 1 : 0)
    const following = segment.slice(index).map((one, i) => (i === 0 ? { ...one, hasSpaceBefore: true } : one))
    segments[at] = [...segment.slice(0, index), mark, ...following]
  }
  return true
}
