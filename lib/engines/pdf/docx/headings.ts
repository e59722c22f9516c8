import { type ContentBlock, type Paragraph, paragraphText } from './blocks.ts'
import { boundingBoxOf } from './geometry.ts'
import {
  findBodyStyle,
  isCaption,
  isEmphasized,
  isLargeStyle,
  isShort,
  isTitleLike,
  type ParagraphStyle,
  styleKey,
  toParagraphStyle,
} from './paragraph-styles.ts'
import { joinRuns } from './runs.ts'

/** A title of the PDF's own outline. */
export interface OutlineTitle {
  readonly title: string
  readonly level: number
}

/** A block with its look, where it is a paragraph. */
interface StyledBlock {
  readonly block: ContentBlock
  readonly style?: ParagraphStyle
}

interface Candidate {
  readonly index: number
  readonly paragraph: Paragraph
  readonly style: ParagraphStyle
  readonly isLarge: boolean
}

/**
 * Marks headings: titles of the outline, short text in larger letters, and lines that are set apart from the text by
 * their weight, their font, their color or capitals, where the document does so with all that look like them.
 */
export function markHeadings<B extends ContentBlock>(
  given: readonly B[],
  outline: readonly OutlineTitle[],
): B[] {
  const body = findBodyStyle(given)
  const styledBlocks = given.map(
    (block): StyledBlock => ({
      block,
      ...(block.kind === 'paragraph' && { style: toParagraphStyle(block) }),
    }),
  )
  const candidates = styledBlocks.flatMap(({ block, style }, index): Candidate[] => {
    if (block.kind !== 'paragraph' || !style) return []
    const large =
      isLargeStyle(style, body) && isLargeTitle(block, style, body) && !isPartOfQuotation(styledBlocks, index)
    const isMarkedLine =
      !large && isEmphasized(style, body) && isTitleLike(block) && introducesText(styledBlocks, index)
    return large || isMarkedLine ? [{ index, paragraph: block, style, isLarge: large }] : []
  })
  const stylesByKey = Map.groupBy(
    // What could not be a heading by what it says tells nothing of how headings look.
    styledBlocks.flatMap(({ block, style }) =>
      block.kind === 'paragraph' && style && isTitleLike(block) ? style : [],
    ),
    styleKey,
  )
  const alike = Map.groupBy(candidates, ({ style }) => styleKey(style))
  const accepted = candidates.filter((one) => {
    const key = styleKey(one.style)
    return one.isLarge || isConsistent(one, alike.get(key) ?? [], stylesByKey.get(key)?.length ?? 0, body)
  })
  const levelOf = assignLevels(accepted)
  const levels = new Map(accepted.map((one) => [one.index, levelOf(one.style)]))
  const titles = new Map(outline.map(({ title, level }) => [normalizeTitle(title), level]))
  return given.map((block, index) => {
    if (block.kind !== 'paragraph') return block
    const outlineLevel = isShort(block) ? findOutlineLevel(block, titles) : undefined
    const level = outlineLevel ?? levels.get(index)
    return level === undefined ? block : { ...block, heading: Math.min(6, level) }
  })
}

function findOutlineLevel(paragraph: Paragraph, titles: ReadonlyMap<string, number>): number | undefined {
  const text = paragraphText(paragraph)
  return (
    titles.get(normalizeTitle(`${paragraph.marker?.text ?? ''}${text}`)) ?? titles.get(normalizeTitle(text))
  )
}

const normalizeTitle = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase()

/** Not a lead or a quotation in larger letters, which are sentences. */
function isLargeTitle(paragraph: Paragraph, style: ParagraphStyle, body: ParagraphStyle): boolean {
  const text = paragraphText(paragraph)
  return (
    isShort(paragraph) &&
    /\p{L}{2}/u.test(text) &&
    (style.size >= body.size * 1.35 || !/[.。]\s*$/u.test(text)) &&
    paragraph.marker?.kind !== 'bullet'
  )
}

/** A quotation in larger letters, of which this is a part. */
function isPartOfQuotation(styledBlocks: readonly StyledBlock[], index: number): boolean {
  const [own, next] = [styledBlocks[index], styledBlocks[index + 1]]
  const startsLowercase = ({ block }: StyledBlock) =>
    block.kind === 'paragraph' && /^\p{Ll}/u.test(paragraphText(block))
  if (!own?.style) return false
  const continues =
    next?.style !== undefined && styleKey(next.style) === styleKey(own.style) && startsLowercase(next)
  return continues || startsLowercase(own)
}

/** What comes next is text that it stands above, and closer to it than to what comes before. */
function introducesText(styledBlocks: readonly StyledBlock[], index: number): boolean {
  const [before, own, next] = [styledBlocks[index - 1], styledBlocks[index], styledBlocks[index + 1]]
  if (!next || !own?.style || own.block.kind !== 'paragraph') return false
  const { style, block } = own
  const isLike = (other: StyledBlock | undefined) =>
    other?.style !== undefined && styleKey(other.style) === styleKey(style)
  const isInGroup = isLike(before) && before && !isCaption(before.block)
  if (isLike(next) || (isInGroup && block.spaceBefore < style.size * 0.6)) return false
  const isAtTop = before === undefined || before.block.box[1] > block.box[1]
  const below = next.block.kind === 'paragraph' ? next.block.spaceBefore : next.block.box[1] - block.box[3]
  return isAtTop || block.spaceBefore >= Math.min(below, style.size) - 1.5
}

/**
 * A bold line may stand alone. What is only in another font, color or capitals is a heading where there are more. And
 * where most of what looks so is none, the look is that of something else, as of labels and names.
 */
function isConsistent(
  { style }: Candidate,
  alike: readonly Candidate[],
  totalCount: number,
  body: ParagraphStyle,
): boolean {
  if (alike.length < totalCount * 0.5) return false
  if (style.bold && !body.bold) return true
  const hasSpaceAbove = alike.every(
    ({ paragraph, index }) => index === 0 || paragraph.spaceBefore > style.size * 0.3,
  )
  return hasSpaceAbove && (alike.length >= 2 || style.caps)
}

/** By size, then by weight: each look that differs in them has a level of its own. */
function assignLevels(accepted: readonly Candidate[]): (style: ParagraphStyle) => number {
  const weightOf = ({ size, bold, caps }: ParagraphStyle) =>
    Math.round(size) * 4 + (bold ? 2 : 0) + (caps ? 1 : 0)
  const large = accepted.filter((one) => one.isLarge).map(({ style }) => Math.round(style.size) * 4)
  const small = accepted.filter((one) => !one.isLarge).map(({ style }) => weightOf(style))
  const isLargeLook = (style: ParagraphStyle) => large.includes(Math.round(style.size) * 4)
  const largest = [...new Set(large)].sort((a, b) => b - a)
  const rest = [...new Set(small)].sort((a, b) => b - a)
  return (style) =>
    isLargeLook(style)
      ? largest.indexOf(Math.round(style.size) * 4) + 1
      : largest.length + rest.indexOf(weightOf(style)) + 1
}

/** A title that its author broke into lines is one. */
export function joinTitleLines<B extends ContentBlock>(blocks: readonly B[], body: ParagraphStyle): B[] {
  const out: B[] = []
  for (const block of blocks) {
    const last = out.at(-1)
    if (last?.kind === 'paragraph' && block.kind === 'paragraph' && isSameTitle(last, block, body)) {
      const runs = joinRuns(last.runs, block.runs)
      const lineCount = last.lineCount + block.lineCount
      out[out.length - 1] = { ...last, runs, lineCount, box: boundingBoxOf([last.box, block.box]) }
    } else out.push(block)
  }
  return out
}

function isSameTitle(first: Paragraph, second: Paragraph, body: ParagraphStyle): boolean {
  const [style, other] = [toParagraphStyle(first), toParagraphStyle(second)]
  const gap = second.box[1] - first.box[3]
  return (
    isLargeStyle(style, body) &&
    styleKey(style) === styleKey(other) &&
    !second.marker &&
    gap > -style.size &&
    gap < style.size * 0.45 &&
    first.alignment === second.alignment &&
    !/[.:!?]\s*$/u.test(paragraphText(first)) &&
    paragraphText(first).length + paragraphText(second).length <= 160
  )
}
