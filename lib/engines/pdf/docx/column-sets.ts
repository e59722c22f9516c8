import type { ColumnSet, ContentBlock, FlowBlock } from './blocks.ts'
import { type BoundingBox, getBoundingBox, getHeight, getWidth } from './geometry.ts'
import type { Vector } from './page-content.ts'
import type { Band, PageItem } from './reading-order.ts'
import { isContinuation, joinParagraphs } from './split-paragraphs.ts'

const maxColumns = 4
/** How far the edges of a column set may differ from those of the text, in points. */
const tolerance = 12
/** How much higher than the other columns a column may end and still count as filled, in points. */
const maxBottomDifference = 40

/** Returns the columns if Word can represent them: they have equal width, and span the full width of the text. */
export function toColumnSet(
  { columns }: Band<PageItem>,
  text: BoundingBox,
  vectors: readonly Vector[],
): ColumnSet | undefined {
  const boxes = columns.map(({ box: column }) => column)
  const [firstBox] = boxes
  const lastBox = boxes.at(-1)
  if (!firstBox || !lastBox || boxes.length < 2 || boxes.length > maxColumns) return undefined
  // The docx library has no right-to-left columns; the first column would be placed on the wrong side.
  if (firstBox[0] > lastBox[0] || columns.some(({ items }) => items.some(({ isRtl }) => isRtl)))
    return undefined
  const count = boxes.length
  const pitches = boxes.slice(1).map((box, index) => box[0] - (boxes[index]?.[0] ?? 0))
  const pitch = (lastBox[0] - firstBox[0]) / (count - 1)
  const gap = Math.min(...boxes.slice(1).map((box, index) => box[0] - (boxes[index]?.[2] ?? 0)))
  const maxWidth = Math.max(...boxes.map(getWidth))
  const hasEvenColumns =
    pitches.every((otherPitch) => Math.abs(otherPitch - pitch) < tolerance / 2) &&
    boxes.every((box) => getWidth(box) > maxWidth * 0.85) &&
    gap >= 6 &&
    gap < maxWidth * 0.4
  const hasWideColumns =
    Math.abs(firstBox[0] - text[0]) < tolerance && Math.abs(lastBox[2] - text[2]) < tolerance * 1.5
  if (!hasEvenColumns || !hasWideColumns) return undefined
  const bottoms = boxes.map((box) => box[3])
  return {
    count,
    pitch,
    isBalanced: Math.max(...bottoms) - Math.min(...bottoms) < maxBottomDifference,
    isRuled: boxes.slice(1).every((box, index) => hasRule(boxes[index] ?? box, box, vectors)),
  }
}

export const isSameColumnSet = (a: ColumnSet | undefined, b: ColumnSet | undefined): boolean =>
  a?.count === b?.count && Math.abs((a?.pitch ?? 0) - (b?.pitch ?? 0)) < tolerance / 2

function hasRule(left: BoundingBox, right: BoundingBox, vectors: readonly Vector[]): boolean {
  const height = Math.min(getHeight(left), getHeight(right))
  return vectors.some(
    ({ box }) =>
      getWidth(box) < 3 && getHeight(box) > height * 0.7 && box[0] > left[2] - 1 && box[2] < right[0] + 1,
  )
}

/** Concatenates the columns of a set: text either flows into the next column or starts there with a column break. */
export function flowThroughColumns(
  columns: readonly (readonly ContentBlock[])[],
  boxes: readonly BoundingBox[],
  columnSet: ColumnSet,
): FlowBlock[] {
  const result: FlowBlock[] = []
  const bottom = getBoundingBox(boxes)[3]
  for (const [index, blocks] of columns.entries()) {
    const column = boxes[index] ?? getBoundingBox(boxes)
    const [firstBlock, ...rest] = blocks.map((block): FlowBlock => ({ ...block, column, columnSet }))
    if (!firstBlock) continue
    const lastBlock = result.at(-1)
    const endsFarAbove = bottom - (boxes[index - 1]?.[3] ?? bottom) > maxBottomDifference
    if (lastBlock && !endsFarAbove && isContinuation(lastBlock, firstBlock))
      result[result.length - 1] = joinParagraphs(lastBlock, firstBlock)
    else result.push({ ...firstBlock, ...(lastBlock && endsFarAbove && { startsNewColumn: true }) })
    result.push(...rest)
  }
  return result
}
