import type { ColumnSet, ContentBlock, FlowBlock } from './blocks.ts'
import { isSameColumnSet } from './column-sets.ts'
import { type BoundingBox, boundingBoxOf } from './geometry.ts'
import type { PageContent } from './page-content.ts'
import { isContinuation, joinParagraphs } from './split-paragraphs.ts'

/** Pages of one size that flow on from one to the next, or a part of them that is set in columns. */
export interface DocxSection {
  readonly width: number
  readonly height: number
  /** Left, top, right, bottom in points. */
  readonly margins: BoundingBox
  readonly blocks: readonly FlowBlock[]
  /** Goes on below the section before; others start on a new page. */
  readonly isContinuous: boolean
  readonly columns?: SectionColumns
}

interface SectionColumns {
  readonly count: number
  /** Points between two of them. */
  readonly space: number
  readonly isRuled: boolean
  /** All end at about the same height. */
  readonly isBalanced: boolean
}

export interface PageFlow {
  readonly page: PageContent
  readonly blocks: readonly FlowBlock[]
}

/** The pages as sections, parted where their size or their columns change. */
export function buildSections(flows: readonly PageFlow[], column: readonly [number, number]): DocxSection[] {
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
    const margins = computeMargins(group, column)
    return splitByColumns(joinPageFlows(group), { width, height, margins })
  })
}

type PageSetup = Pick<DocxSection, 'width' | 'height' | 'margins'>

/** A section for each run of text that stands in the same columns. */
function splitByColumns(blocks: readonly FlowBlock[], setup: PageSetup): DocxSection[] {
  const parts: FlowBlock[][] = []
  for (const block of blocks) {
    const part = parts.at(-1)
    const last = part?.at(-1)
    // A page that was left ends its columns, too.
    if (
      part &&
      last &&
      isSameColumnSet(last.columnSet, block.columnSet) &&
      !(block.columnSet && block.startsNewPage)
    )
      part.push(block)
    else parts.push([block])
  }
  return parts.map((part, index): DocxSection => {
    const before = parts[index - 1]?.at(-1)?.columnSet
    const [first] = part
    // Columns that a new page ends are filled one by one, those above a section on the same page evenly.
    const isContinuous = index > 0 && (first?.startsNewPage !== true || before?.isBalanced === true)
    const columns = first?.columnSet && toSectionColumns(first.columnSet, setup)
    return {
      ...setup,
      isContinuous,
      blocks: isContinuous
        ? part
        : part.map((block) => (block === first ? { ...block, startsNewPage: false } : block)),
      ...(columns && { columns }),
    }
  })
}

/** The strips between them take what the columns leave of the text's width. */
function toSectionColumns(
  { count, pitch, isRuled, isBalanced }: ColumnSet,
  { width, margins }: PageSetup,
): SectionColumns {
  const space = count * pitch - (width - margins[0] - margins[2])
  return { count, space: Math.min(pitch * 0.3, Math.max(6, space)), isRuled, isBalanced }
}

function isSameSize(a: PageContent, b: PageContent): boolean {
  return Math.abs(a.width - b.width) < 6 && Math.abs(a.height - b.height) < 6
}

function computeMargins(group: readonly PageFlow[], column: readonly [number, number]): BoundingBox {
  const { width, height } = group[0]?.page ?? { width: 595, height: 842 }
  const boxes = group.flatMap(({ blocks }) => blocks.map(({ box }) => box))
  const within = (value: number, max: number) => Math.min(max, Math.max(18, value))
  if (boxes.length === 0) return [36, 36, 36, 36]
  const whole = boundingBoxOf(boxes)
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
function joinPageFlows(group: readonly PageFlow[]): FlowBlock[] {
  const out: FlowBlock[] = []
  for (const [index, { blocks }] of group.entries()) {
    const before = group[index - 1]
    const [first, ...rest] = blocks
    if (!first) continue
    const last = out.at(-1)
    if (last && before && isSameColumnSet(last.columnSet, first.columnSet) && isContinuation(last, first)) {
      out[out.length - 1] = joinParagraphs(last, first)
      out.push(...rest)
      continue
    }
    const startsNewPage = before !== undefined && (endsEarly(before, group) || isChapter(first))
    out.push({ ...first, ...(startsNewPage && { startsNewPage }) }, ...rest)
  }
  return out
}

const isChapter = (block: ContentBlock) => block.kind === 'paragraph' && block.heading === 1

function endsEarly({ blocks }: PageFlow, group: readonly PageFlow[]): boolean {
  const bottoms = group.flatMap((flow) => flow.blocks.map(({ box }) => box[3]))
  const bottom = Math.max(...blocks.map(({ box }) => box[3]), 0)
  const [top, lowest] = [
    Math.min(...group.flatMap((flow) => flow.blocks.map(({ box }) => box[1]))),
    Math.max(...bottoms),
  ]
  return lowest - bottom > (lowest - top) * 0.15
}
