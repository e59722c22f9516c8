import type { Block, ColumnSet, FlowBlock } from './blocks.ts'
import { isSameSet } from './column-sets.ts'
import { around, type Box } from './geometry.ts'
import type { Page } from './page-content.ts'
import { extended, goesOnAcross } from './split-paragraphs.ts'

/** Pages of one size that flow on from one to the next, or a part of them that is set in columns. */
export interface Section {
  readonly width: number
  readonly height: number
  /** Left, top, right, bottom in points. */
  readonly margins: Box
  readonly blocks: readonly FlowBlock[]
  /** Goes on below the section before; others start on a new page. */
  readonly continuous: boolean
  readonly columns?: SectionColumns
}

interface SectionColumns {
  readonly count: number
  /** Points between two of them. */
  readonly space: number
  readonly ruled: boolean
  /** All end at about the same height. */
  readonly balanced: boolean
}

export interface PageFlow {
  readonly page: Page
  readonly blocks: readonly FlowBlock[]
}

/** The pages as sections, parted where their size or their columns change. */
export function sectionsOf(flows: readonly PageFlow[], column: readonly [number, number]): Section[] {
  const groups: PageFlow[][] = []
  for (const flow of flows) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group && last && isSameSize(last.page, flow.page)) group.push(flow)
    else groups.push([flow])
  }
  return groups.flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { width, height } = first.page
    const margins = marginsOf(group, column)
    return partedByColumns(joined(group), { width, height, margins })
  })
}

type Sheet = Pick<Section, 'width' | 'height' | 'margins'>

/** A section for each run of text that stands in the same columns. */
function partedByColumns(blocks: readonly FlowBlock[], sheet: Sheet): Section[] {
  const parts: FlowBlock[][] = []
  for (const block of blocks) {
    const part = parts.at(-1)
    const last = part?.at(-1)
    // A page that was left ends its columns, too.
    if (part && last && isSameSet(last.set, block.set) && !(block.set && block.newPage)) part.push(block)
    else parts.push([block])
  }
  return parts.map((part, index): Section => {
    const before = parts[index - 1]?.at(-1)?.set
    const [first] = part
    // Columns that a new page ends are filled one by one, those above a section on the same page evenly.
    const continuous = index > 0 && (first?.newPage !== true || before?.balanced === true)
    const columns = first?.set && columnsOf(first.set, sheet)
    return {
      ...sheet,
      continuous,
      blocks: continuous
        ? part
        : part.map((block) => (block === first ? { ...block, newPage: false } : block)),
      ...(columns && { columns }),
    }
  })
}

/** The strips between them take what the columns leave of the text's width. */
function columnsOf({ count, pitch, ruled, balanced }: ColumnSet, { width, margins }: Sheet): SectionColumns {
  const space = count * pitch - (width - margins[0] - margins[2])
  return { count, space: Math.min(pitch * 0.3, Math.max(6, space)), ruled, balanced }
}

function isSameSize(a: Page, b: Page): boolean {
  return Math.abs(a.width - b.width) < 6 && Math.abs(a.height - b.height) < 6
}

function marginsOf(group: readonly PageFlow[], column: readonly [number, number]): Box {
  const { width, height } = group[0]?.page ?? { width: 595, height: 842 }
  const boxes = group.flatMap(({ blocks }) => blocks.map(({ box }) => box))
  const within = (value: number, most: number) => Math.min(most, Math.max(18, value))
  if (boxes.length === 0) return [36, 36, 36, 36]
  const whole = around(boxes)
  const fits = column[1] < width
  const below = height - whole[3]
  return [
    within(fits ? column[0] : whole[0], width * 0.3),
    within(whole[1], height * 0.2),
    within(width - (fits ? column[1] : whole[2]), width * 0.3),
    // A page alone need not be full: where its text grows by a line it shall not become two.
    within(group.length === 1 ? Math.min(below, whole[1]) : below, height * 0.12),
  ]
}

/** A page that was left before it was full, or a chapter, starts a new one; other text flows on. */
function joined(group: readonly PageFlow[]): FlowBlock[] {
  const out: FlowBlock[] = []
  for (const [index, { blocks }] of group.entries()) {
    const before = group[index - 1]
    const [first, ...rest] = blocks
    if (!first) continue
    const last = out.at(-1)
    if (last && before && isSameSet(last.set, first.set) && goesOnAcross(last, first)) {
      out[out.length - 1] = extended(last, first)
      out.push(...rest)
      continue
    }
    const newPage = before !== undefined && (endsEarly(before, group) || isChapter(first))
    out.push({ ...first, ...(newPage && { newPage }) }, ...rest)
  }
  return out
}

const isChapter = (block: Block) => block.kind === 'paragraph' && block.heading === 1

function endsEarly({ blocks }: PageFlow, group: readonly PageFlow[]): boolean {
  const bottoms = group.flatMap((flow) => flow.blocks.map(({ box }) => box[3]))
  const bottom = Math.max(...blocks.map(({ box }) => box[3]), 0)
  const [top, lowest] = [
    Math.min(...group.flatMap((flow) => flow.blocks.map(({ box }) => box[1]))),
    Math.max(...bottoms),
  ]
  return lowest - bottom > (lowest - top) * 0.15
}
