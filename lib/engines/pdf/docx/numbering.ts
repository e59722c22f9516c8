import type * as docx from 'docx'
import type { ContentBlock, ListItemPosition, Paragraph } from './blocks.ts'
import type { DocxLayout } from './layout.ts'
import { isRoman } from './list-markers.ts'
import type { DocxLibrary } from './text-runs.ts'

export const toNumberingReference = ({ listId }: ListItemPosition) => `list-${listId}`

type NumberingConfig = NonNullable<docx.INumberingOptions['config']>[number]

/** Creates a numbering for each list, so that each starts with its own number. */
export function buildNumbering(library: DocxLibrary, { sections }: DocxLayout): NumberingConfig[] {
  const items = sections.flatMap(({ blocks }) => blocks.flatMap(collectItems))
  // Reverses the order, so that the first item of each list wins.
  const firstItemByListId = new Map(items.toReversed().map((item) => [item.position.listId, item]))
  return [...firstItemByListId.values()].map(({ position: place, paragraph }) => ({
    reference: toNumberingReference(place),
    levels: [
      {
        level: place.level,
        format: library.LevelFormat[toNumberFormat(place)],
        text: place.kind === 'bullet' ? place.marker : place.marker.replace(/\w+/, `%${place.level + 1}`),
        start: place.start,
        alignment: library.AlignmentType.LEFT,
        style: { paragraph: { indent: toIndent(paragraph) } },
      },
    ],
  }))
}

/** Returns the indents in twips, Word's unit. */
export function toIndent({ indent, firstIndent, rightIndent }: Paragraph) {
  const left = Math.round(Math.max(0, indent) * 20)
  const right = rightIndent === undefined ? {} : { right: Math.round(rightIndent * 20) }
  const firstIndentTwips = Math.round(firstIndent * 20)
  return firstIndentTwips < 0
    ? { ...right, left, hanging: Math.min(-firstIndentTwips, left) }
    : { ...right, left, firstLine: firstIndentTwips }
}

interface Item {
  readonly position: ListItemPosition
  readonly paragraph: Paragraph
}

function collectItems(block: ContentBlock): Item[] {
  if (block.kind === 'paragraph') return block.list ? [{ position: block.list, paragraph: block }] : []
  if (block.kind === 'table') return block.rows.flat().flatMap((cell) => cell.blocks.flatMap(collectItems))
  return []
}

function toNumberFormat({ kind, marker }: ListItemPosition) {
  if (kind === 'bullet') return 'BULLET'
  if (/\d/.test(marker)) return 'DECIMAL'
  const isUppercase = marker === marker.toUpperCase()
  if (isRoman(marker)) return isUppercase ? 'UPPER_ROMAN' : 'LOWER_ROMAN'
  return isUppercase ? 'UPPER_LETTER' : 'LOWER_LETTER'
}
