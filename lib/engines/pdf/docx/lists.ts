import type { Block, ListPlace, Paragraph } from './blocks.ts'
import { isRoman, ordinalOf } from './list-markers.ts'

interface OpenList {
  readonly place: Omit<ListPlace, 'level'>
  readonly at: number
  last: number
}

/** Points by which marks of one level may differ. */
const slack = 4

/**
 * Gives items their place in lists. Numbers count only where they follow one another; a lone `1.` stays text.
 * What stands between two items does not end a list unless it starts further out, and a heading does.
 */
export function withLists<B extends Block>(blocks: readonly B[], nextList: () => number): B[] {
  const open: OpenList[] = []
  const placed = blocks.map((block) => {
    if (block.kind !== 'paragraph') return block
    if (block.mark && block.heading === undefined)
      return { ...block, list: placeOf(block.mark, open, nextList) }
    if (block.heading !== undefined || isFurtherOut(block, open)) open.length = 0
    return block
  })
  return withoutLoneNumbers(placed)
}

function placeOf(mark: NonNullable<Paragraph['mark']>, open: OpenList[], nextList: () => number): ListPlace {
  while ((open.at(-1)?.at ?? 0) > mark.at + slack) open.pop()
  const sibling = open.at(-1)
  if (sibling && sibling.at > mark.at - slack) {
    if (continues(sibling, mark)) return { ...sibling.place, level: Math.min(8, open.length - 1) }
    open.pop()
  }
  const start = mark.kind === 'bullet' ? 1 : (ordinalOf(mark.text, isRoman(mark.text)) ?? 1)
  const place = { kind: mark.kind, list: nextList(), start, mark: mark.text }
  open.push({ place, at: mark.at, last: start })
  return { ...place, level: Math.min(8, open.length - 1) }
}

function isFurtherOut(paragraph: Paragraph, open: readonly OpenList[]): boolean {
  const [outer] = open
  return outer !== undefined && paragraph.box[0] < outer.at + slack
}

function continues(list: OpenList, { kind, text }: NonNullable<Paragraph['mark']>): boolean {
  if (list.place.kind !== kind) return false
  if (kind === 'bullet') return true
  if (ordinalOf(text, isRoman(list.place.mark)) !== list.last + 1) return false
  list.last++
  return true
}

function withoutLoneNumbers<B extends Block>(blocks: readonly B[]): B[] {
  const counts = new Map<number, number>()
  for (const block of blocks) {
    if (block.kind !== 'paragraph' || !block.list) continue
    counts.set(block.list.list, (counts.get(block.list.list) ?? 0) + 1)
  }
  return blocks.map((block) => {
    if (block.kind !== 'paragraph' || block.list?.kind !== 'number') return block
    if ((counts.get(block.list.list) ?? 0) > 1) return block
    // Such as it was, without one.
    const { list, ...plain } = block
    return plain as B
  })
}
