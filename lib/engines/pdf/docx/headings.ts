import { type ContentBlock, getParagraphText, type Paragraph } from './blocks.ts'
import { getBoundingBox } from './geometry.ts'
import {
  findBodyStyle,
  isCaption,
  isEmphasized,
  isLargeStyle,
  isShort,
  isTitleLike,
  type ParagraphStyle,
  toParagraphStyle,
  toStyleKey,
} from './paragraph-styles.ts'
import { joinRuns } from './runs.ts'

/** An entry of the PDF's outline. */
interface OutlineTitle {
  readonly title: string
  readonly level: number
}

/** A block, with its style if it is a paragraph. */
interface StyledBlock {
  readonly block: ContentBlock
  readonly style?: ParagraphStyle
}

interface HeadingCandidate {
  readonly index: number
  readonly paragraph: Paragraph
  readonly style: ParagraphStyle
  readonly isLarge: boolean
}

/**
 * Marks headings: outline titles, short text in a larger font, and lines that differ from the body text in weight,
 * font, color or capitals, provided that the document uses that style consistently.
 */
export function markHeadings<B extends ContentBlock>(
  blocks: readonly B[],
  outline: readonly OutlineTitle[],
): B[] {
  const bodyStyle = findBodyStyle(blocks)
  const styledBlocks = blocks.map(
    (block): StyledBlock => ({
      block,
      ...(block.kind === 'paragraph' && { style: toParagraphStyle(block) }),
    }),
  )
  const candidates = styledBlocks.flatMap(({ block, style }, index): HeadingCandidate[] => {
    if (block.kind !== 'paragraph' || !style) return []
    const isLarge =
      isLargeStyle(style, bodyStyle) &&
      isLargeTitle(block, style, bodyStyle) &&
      !isPartOfQuotation(styledBlocks, index)
    const isMarkedLine =
      !isLarge && isEmphasized(style, bodyStyle) && isTitleLike(block) && introducesText(styledBlocks, index)
    return isLarge || isMarkedLine ? [{ index, paragraph: block, style, isLarge }] : []
  })
  const stylesByKey = Map.groupBy(
    // Text that cannot be a heading because of its content is no evidence of heading styles.
    styledBlocks.flatMap(({ block, style }) =>
      block.kind === 'paragraph' && style && isTitleLike(block) ? style : [],
    ),
    toStyleKey,
  )
  const similarCandidates = Map.groupBy(candidates, ({ style }) => toStyleKey(style))
  const acceptedCandidates = candidates.filter((candidate) => {
    const key = toStyleKey(candidate.style)
    return (
      candidate.isLarge ||
      isConsistent(candidate, similarCandidates.get(key) ?? [], stylesByKey.get(key)?.length ?? 0, bodyStyle)
    )
  })
  const getLevel = assignLevels(acceptedCandidates)
  const levelsByIndex = new Map(
    acceptedCandidates.map((candidate) => [candidate.index, getLevel(candidate.style)]),
  )
  const levelsByTitle = new Map(outline.map(({ title, level }) => [normalizeTitle(title), level]))
  return blocks.map((block, index) => {
    if (block.kind !== 'paragraph') return block
    const outlineLevel = isShort(block) ? findOutlineLevel(block, levelsByTitle) : undefined
    const level = outlineLevel ?? levelsByIndex.get(index)
    return level === undefined ? block : { ...block, heading: Math.min(6, level) }
  })
}

function findOutlineLevel(
  paragraph: Paragraph,
  levelsByTitle: ReadonlyMap<string, number>,
): number | undefined {
  const text = getParagraphText(paragraph)
  return (
    levelsByTitle.get(normalizeTitle(`${paragraph.marker?.text ?? ''}${text}`)) ??
    levelsByTitle.get(normalizeTitle(text))
  )
}

const normalizeTitle = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase()

/**
 * Whether a paragraph in a larger font is a title. Lead paragraphs and quotations are not, because they are sentences.
 */
function isLargeTitle(paragraph: Paragraph, style: ParagraphStyle, bodyStyle: ParagraphStyle): boolean {
  const text = getParagraphText(paragraph)
  return (
    isShort(paragraph) &&
    /\p{L}{2}/u.test(text) &&
    (style.size >= bodyStyle.size * 1.35 || !/[.。]\s*$/u.test(text)) &&
    paragraph.marker?.kind !== 'bullet'
  )
}

/** Whether the block is part of a quotation in a larger font. */
function isPartOfQuotation(styledBlocks: readonly StyledBlock[], index: number): boolean {
  const [currentBlock, nextBlock] = [styledBlocks[index], styledBlocks[index + 1]]
  const startsLowercase = ({ block }: StyledBlock) =>
    block.kind === 'paragraph' && /^\p{Ll}/u.test(getParagraphText(block))
  if (!currentBlock?.style) return false
  const continuesBelow =
    nextBlock?.style !== undefined &&
    toStyleKey(nextBlock.style) === toStyleKey(currentBlock.style) &&
    startsLowercase(nextBlock)
  return continuesBelow || startsLowercase(currentBlock)
}

/** Whether the block is followed by text that is closer to it than the text above it. */
function introducesText(styledBlocks: readonly StyledBlock[], index: number): boolean {
  const [blockBefore, currentBlock, nextBlock] = [
    styledBlocks[index - 1],
    styledBlocks[index],
    styledBlocks[index + 1],
  ]
  if (!nextBlock || !currentBlock?.style || currentBlock.block.kind !== 'paragraph') return false
  const { style, block } = currentBlock
  const hasSameStyle = (other: StyledBlock | undefined) =>
    other?.style !== undefined && toStyleKey(other.style) === toStyleKey(style)
  const isInGroup = hasSameStyle(blockBefore) && blockBefore && !isCaption(blockBefore.block)
  if (hasSameStyle(nextBlock) || (isInGroup && block.spaceBefore < style.size * 0.6)) return false
  const isAtTop = blockBefore === undefined || blockBefore.block.box[1] > block.box[1]
  const linesBelow =
    nextBlock.block.kind === 'paragraph' ? nextBlock.block.spaceBefore : nextBlock.block.box[1] - block.box[3]
  return isAtTop || block.spaceBefore >= Math.min(linesBelow, style.size) - 1.5
}

/**
 * Whether a style is used consistently for headings. A single bold line may be a heading. Lines that differ only in
 * font, color or capitals must occur several times. A style that is used more often for other text, such as labels or
 * names, is not a heading style.
 */
function isConsistent(
  { style }: HeadingCandidate,
  similarCandidates: readonly HeadingCandidate[],
  totalCount: number,
  bodyStyle: ParagraphStyle,
): boolean {
  if (similarCandidates.length < totalCount * 0.5) return false
  if (style.bold && !bodyStyle.bold) return true
  const hasSpaceAbove = similarCandidates.every(
    ({ paragraph, index }) => index === 0 || paragraph.spaceBefore > style.size * 0.3,
  )
  return hasSpaceAbove && (similarCandidates.length >= 2 || style.caps)
}

/** Assigns levels by size, then by weight: each distinct combination gets its own level. */
function assignLevels(acceptedCandidates: readonly HeadingCandidate[]): (style: ParagraphStyle) => number {
  const computeWeight = ({ size, bold, caps }: ParagraphStyle) =>
    Math.round(size) * 4 + (bold ? 2 : 0) + (caps ? 1 : 0)
  const largeSizes = acceptedCandidates
    .filter((candidate) => candidate.isLarge)
    .map(({ style }) => Math.round(style.size) * 4)
  const smallWeights = acceptedCandidates
    .filter((candidate) => !candidate.isLarge)
    .map(({ style }) => computeWeight(style))
  const isLargeSize = (style: ParagraphStyle) => largeSizes.includes(Math.round(style.size) * 4)
  const largestSizes = [...new Set(largeSizes)].sort((a, b) => b - a)
  const otherWeights = [...new Set(smallWeights)].sort((a, b) => b - a)
  return (style) =>
    isLargeSize(style)
      ? largestSizes.indexOf(Math.round(style.size) * 4) + 1
      : largestSizes.length + otherWeights.indexOf(computeWeight(style)) + 1
}

/** Joins the lines of a title that has manual line breaks. */
export function joinTitleLines<B extends ContentBlock>(blocks: readonly B[], bodyStyle: ParagraphStyle): B[] {
  const result: B[] = []
  for (const block of blocks) {
    const lastBlock = result.at(-1)
    if (
      lastBlock?.kind === 'paragraph' &&
      block.kind === 'paragraph' &&
      isSameTitle(lastBlock, block, bodyStyle)
    ) {
      const runs = joinRuns(lastBlock.runs, block.runs)
      const lineCount = lastBlock.lineCount + block.lineCount
      const lineHeight = block.box[3] - (lastBlock.firstLineBottom ?? lastBlock.box[3])
      const box = getBoundingBox([lastBlock.box, block.box])
      result[result.length - 1] = {
        ...lastBlock,
        runs,
        lineCount,
        lineHeight: lineHeight / (lineCount - 1),
        box,
      }
    } else result.push(block)
  }
  return result
}

function isSameTitle(
  firstParagraph: Paragraph,
  secondParagraph: Paragraph,
  bodyStyle: ParagraphStyle,
): boolean {
  const [style, otherStyle] = [toParagraphStyle(firstParagraph), toParagraphStyle(secondParagraph)]
  const gap = secondParagraph.box[1] - firstParagraph.box[3]
  return (
    isLargeStyle(style, bodyStyle) &&
    toStyleKey(style) === toStyleKey(otherStyle) &&
    !secondParagraph.marker &&
    gap > -style.size &&
    gap < style.size * 0.45 &&
    firstParagraph.alignment === secondParagraph.alignment &&
    !/[.:!?]\s*$/u.test(getParagraphText(firstParagraph)) &&
    getParagraphText(firstParagraph).length + getParagraphText(secondParagraph).length <= 160
  )
}
