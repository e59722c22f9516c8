import type * as docx from 'docx'
import type { Block, ListPlace, Paragraph } from './blocks.ts'
import type { Layout } from './layout.ts'
import { isRoman } from './list-markers.ts'
import type { Docx } from './text-runs.ts'

export const numberingReference = ({ list }: ListPlace) => `list-${list}`

type NumberingConfig = NonNullable<docx.INumberingOptions['config']>[number]

/** A numbering of its own for each list, so that each starts where it did. */
export function numberingOf(library: Docx, { sections }: Layout): NumberingConfig[] {
  const items = sections.flatMap(({ blocks }) => blocks.flatMap(itemsIn))
  // The first of each list is set last.
  const lists = new Map(items.toReversed().map((item) => [item.place.list, item]))
  return [...lists.values()].map(({ place, paragraph }) => ({
    reference: numberingReference(place),
    levels: [
      {
        level: place.level,
        format: library.LevelFormat[formatOf(place)],
        text: place.kind === 'bullet' ? place.mark : place.mark.replace(/\w+/, `%${place.level + 1}`),
        start: place.start,
        alignment: library.AlignmentType.LEFT,
        style: { paragraph: { indent: indentOf(paragraph) } },
      },
    ],
  }))
}

/** In twentieths of a point, as Word counts. */
export function indentOf({ indent, firstIndent }: Paragraph) {
  const left = Math.round(Math.max(0, indent) * 20)
  const first = Math.round(firstIndent * 20)
  return first < 0 ? { left, hanging: Math.min(-first, left) } : { left, firstLine: first }
}

interface Item {
  readonly place: ListPlace
  readonly paragraph: Paragraph
}

function itemsIn(block: Block): Item[] {
  if (block.kind === 'paragraph') return block.list ? [{ place: block.list, paragraph: block }] : []
  if (block.kind === 'table') return block.rows.flat().flatMap((cell) => cell.blocks.flatMap(itemsIn))
  return []
}

function formatOf({ kind, mark }: ListPlace) {
  if (kind === 'bullet') return 'BULLET'
  if (/\d/.test(mark)) return 'DECIMAL'
  const upper = mark === mark.toUpperCase()
  if (isRoman(mark)) return upper ? 'UPPER_ROMAN' : 'LOWER_ROMAN'
  return upper ? 'UPPER_LETTER' : 'LOWER_LETTER'
}
