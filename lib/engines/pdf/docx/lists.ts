import type { ContentBlock, ListItemPosition, Paragraph } from './blocks.ts'
import { isRoman, parseOrdinal } from './list-markers.ts'

interface OpenList {
  readonly position: Omit<ListItemPosition, 'level'>
  readonly x: number
  lastOrdinal: number
}

/** How far the markers of one level may differ, in points. */
const maxIndentDifference = 4

/**
 * Assigns paragraphs with markers to lists. Numbers must be consecutive; a single `1.` remains text. A block between
 * two items ends the list only if it is a heading or a less indented paragraph.
 */
export function assignLists<B extends ContentBlock>(blocks: readonly B[], createListId: () => number): B[] {
  const openLists: OpenList[] = []
  const placedBlocks = blocks.map((block) => {
    if (block.kind !== 'paragraph') return block
    if (block.marker && block.heading === undefined)
      return { ...block, list: findPosition(block.marker, openLists, createListId) }
    if (block.heading !== undefined || isLessIndented(block, openLists)) openLists.length = 0
    return block
  })
  return dropSingleNumbers(placedBlocks)
}

function findPosition(
  marker: NonNullable<Paragraph['marker']>,
  openLists: OpenList[],
  createListId: () => number,
): ListItemPosition {
  while ((openLists.at(-1)?.x ?? -Infinity) > marker.x + maxIndentDifference) openLists.pop()
  const sibling = openLists.at(-1)
  if (sibling && sibling.x > marker.x - maxIndentDifference) {
    if (continuesList(sibling, marker))
      return { ...sibling.position, level: Math.min(8, openLists.length - 1) }
    openLists.pop()
  }
  const start = marker.kind === 'bullet' ? 1 : (parseOrdinal(marker.text, isRoman(marker.text)) ?? 1)
  const position = { kind: marker.kind, listId: createListId(), start, marker: marker.text }
  openLists.push({ position, x: marker.x, lastOrdinal: start })
  return { ...position, level: Math.min(8, openLists.length - 1) }
}

function isLessIndented(paragraph: Paragraph, openLists: readonly OpenList[]): boolean {
  const [outerList] = openLists
  return outerList !== undefined && paragraph.box[0] < outerList.x + maxIndentDifference
}

function continuesList(list: OpenList, { kind, text }: NonNullable<Paragraph['marker']>): boolean {
  if (list.position.kind !== kind) return false
  if (kind === 'bullet') return true
  if (parseOrdinal(text, isRoman(list.position.marker)) !== list.lastOrdinal + 1) return false
  list.lastOrdinal++
  return true
}

function dropSingleNumbers<B extends ContentBlock>(blocks: readonly B[]): B[] {
  const counts = new Map<number, number>()
  for (const block of blocks) {
    if (block.kind !== 'paragraph' || !block.list) continue
    counts.set(block.list.listId, (counts.get(block.list.listId) ?? 0) + 1)
  }
  return blocks.map((block) => {
    if (block.kind !== 'paragraph' || block.list?.kind !== 'number') return block
    if ((counts.get(block.list.listId) ?? 0) > 1) return block
    // Removes the paragraph from its list.
    const { list, ...plain } = block
    return plain as B // Every `B` allows a paragraph without a list.
  })
}
