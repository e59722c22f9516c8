import type * as docx from 'docx'
import type { Block, ListPlace } from './blocks.ts'
import type { Layout } from './layout.ts'
import { isRoman } from './marks.ts'
import type { Docx } from './text-runs.ts'

export const numberingReference = ({ list }: ListPlace) => `list-${list}`

type NumberingConfig = NonNullable<docx.INumberingOptions['config']>[number]

/** A numbering of its own for each list, so that each starts where it did. */
export function numberingOf(library: Docx, { sections }: Layout): NumberingConfig[] {
  const places = sections.flatMap(({ blocks }) => blocks.flatMap(placesIn))
  const lists = new Map(places.map((place) => [place.list, place]))
  return [...lists.values()].map((place) => ({
    reference: numberingReference(place),
    levels: [
      {
        level: place.level,
        format: library.LevelFormat[formatOf(place)],
        text: place.kind === 'bullet' ? place.mark : place.mark.replace(/\w+/, `%${place.level + 1}`),
        start: place.start,
        alignment: library.AlignmentType.LEFT,
      },
    ],
  }))
}

function placesIn(block: Block): ListPlace[] {
  if (block.kind === 'paragraph') return block.list ? [block.list] : []
  if (block.kind === 'table') return block.rows.flat().flatMap((cell) => cell.blocks.flatMap(placesIn))
  return []
}

function formatOf({ kind, mark }: ListPlace) {
  if (kind === 'bullet') return 'BULLET'
  if (/\d/.test(mark)) return 'DECIMAL'
  const upper = mark === mark.toUpperCase()
  if (isRoman(mark)) return upper ? 'UPPER_ROMAN' : 'LOWER_ROMAN'
  return upper ? 'UPPER_LETTER' : 'LOWER_LETTER'
}
