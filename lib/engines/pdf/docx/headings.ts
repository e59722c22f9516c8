import { type Block, type Paragraph, textOf } from './blocks.ts'
import { around } from './geometry.ts'
import {
  bodyLook,
  isCaption,
  isLarge,
  isMarked,
  isShort,
  isTitleLike,
  keyOf,
  type Look,
  lookOf,
} from './paragraph-styles.ts'
import { appended } from './runs.ts'

/** A title of the PDF's own outline. */
export interface OutlineTitle {
  readonly title: string
  readonly level: number
}

/** A block with its look, where it is a paragraph. */
interface Seen {
  readonly block: Block
  readonly look?: Look
}

interface Candidate {
  readonly index: number
  readonly paragraph: Paragraph
  readonly look: Look
  readonly isLarge: boolean
}

/**
 * Marks headings: titles of the outline, short text in larger letters, and lines that are set apart from the text by
 * their weight, their font, their color or capitals, where the document does so with all that look like them.
 */
export function withHeadings<B extends Block>(given: readonly B[], outline: readonly OutlineTitle[]): B[] {
  const body = bodyLook(given)
  const seen = given.map(
    (block): Seen => ({ block, ...(block.kind === 'paragraph' && { look: lookOf(block) }) }),
  )
  const candidates = seen.flatMap(({ block, look }, index): Candidate[] => {
    if (block.kind !== 'paragraph' || !look) return []
    const large = isLarge(look, body) && isLargeTitle(block, look, body) && !isInSentence(seen, index)
    const isMarkedLine = !large && isMarked(look, body) && isTitleLike(block) && leads(seen, index)
    return large || isMarkedLine ? [{ index, paragraph: block, look, isLarge: large }] : []
  })
  const looks = Map.groupBy(
    // What could not be a heading by what it says tells nothing of how headings look.
    seen.flatMap(({ block, look }) => (block.kind === 'paragraph' && look && isTitleLike(block) ? look : [])),
    keyOf,
  )
  const alike = Map.groupBy(candidates, ({ look }) => keyOf(look))
  const trusted = candidates.filter((one) => {
    const key = keyOf(one.look)
    return one.isLarge || isUsual(one, alike.get(key) ?? [], looks.get(key)?.length ?? 0, body)
  })
  const levelOf = levelsOf(trusted)
  const levels = new Map(trusted.map((one) => [one.index, levelOf(one.look)]))
  const titles = new Map(outline.map(({ title, level }) => [plain(title), level]))
  return given.map((block, index) => {
    if (block.kind !== 'paragraph') return block
    const known = isShort(block) ? titleLevel(block, titles) : undefined
    const level = known ?? levels.get(index)
    return level === undefined ? block : { ...block, heading: Math.min(6, level) }
  })
}

function titleLevel(paragraph: Paragraph, titles: ReadonlyMap<string, number>): number | undefined {
  const text = textOf(paragraph)
  return titles.get(plain(`${paragraph.mark?.text ?? ''}${text}`)) ?? titles.get(plain(text))
}

const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase()

/** Not a lead or a quotation in larger letters, which are sentences. */
function isLargeTitle(paragraph: Paragraph, look: Look, body: Look): boolean {
  const text = textOf(paragraph)
  return (
    isShort(paragraph) &&
    /\p{L}{2}/u.test(text) &&
    (look.size >= body.size * 1.35 || !/[.。]\s*$/u.test(text)) &&
    paragraph.mark?.kind !== 'bullet'
  )
}

/** A quotation in larger letters, of which this is a part. */
function isInSentence(seen: readonly Seen[], index: number): boolean {
  const [own, next] = [seen[index], seen[index + 1]]
  const startsSmall = ({ block }: Seen) => block.kind === 'paragraph' && /^\p{Ll}/u.test(textOf(block))
  if (!own?.look) return false
  const goesOn = next?.look !== undefined && keyOf(next.look) === keyOf(own.look) && startsSmall(next)
  return goesOn || startsSmall(own)
}

/** What comes next is text that it stands above, and closer to it than to what comes before. */
function leads(seen: readonly Seen[], index: number): boolean {
  const [before, own, next] = [seen[index - 1], seen[index], seen[index + 1]]
  if (!next || !own?.look || own.block.kind !== 'paragraph') return false
  const { look, block } = own
  const isLike = (other: Seen | undefined) => other?.look !== undefined && keyOf(other.look) === keyOf(look)
  const isInGroup = isLike(before) && before && !isCaption(before.block)
  if (isLike(next) || (isInGroup && block.spaceBefore < look.size * 0.6)) return false
  const isAtTop = before === undefined || before.block.box[1] > block.box[1]
  const below = next.block.kind === 'paragraph' ? next.block.spaceBefore : next.block.box[1] - block.box[3]
  return isAtTop || block.spaceBefore >= Math.min(below, look.size) - 1.5
}

/**
 * A bold line may stand alone. What is only in another font, color or capitals is a heading where there are more. And
 * where most of what looks so is none, the look is that of something else, as of labels and names.
 */
function isUsual({ look }: Candidate, alike: readonly Candidate[], inAll: number, body: Look): boolean {
  if (alike.length < inAll * 0.5) return false
  if (look.bold && !body.bold) return true
  const isApart = alike.every(
    ({ paragraph, index }) => index === 0 || paragraph.spaceBefore > look.size * 0.3,
  )
  return isApart && (alike.length >= 2 || look.caps)
}

/** By size, then by weight: each look that differs in them has a level of its own. */
function levelsOf(trusted: readonly Candidate[]): (look: Look) => number {
  const weightOf = ({ size, bold, caps }: Look) => Math.round(size) * 4 + (bold ? 2 : 0) + (caps ? 1 : 0)
  const large = trusted.filter((one) => one.isLarge).map(({ look }) => Math.round(look.size) * 4)
  const small = trusted.filter((one) => !one.isLarge).map(({ look }) => weightOf(look))
  const isLargeLook = (look: Look) => large.includes(Math.round(look.size) * 4)
  const largest = [...new Set(large)].sort((a, b) => b - a)
  const rest = [...new Set(small)].sort((a, b) => b - a)
  return (look) =>
    isLargeLook(look)
      ? largest.indexOf(Math.round(look.size) * 4) + 1
      : largest.length + rest.indexOf(weightOf(look)) + 1
}

/** A title that its author broke into lines is one. */
export function withWholeTitles<B extends Block>(blocks: readonly B[], body: Look): B[] {
  const out: B[] = []
  for (const block of blocks) {
    const last = out.at(-1)
    if (last?.kind === 'paragraph' && block.kind === 'paragraph' && isOneTitle(last, block, body)) {
      const runs = appended(last.runs, block.runs)
      const lineCount = last.lineCount + block.lineCount
      out[out.length - 1] = { ...last, runs, lineCount, box: around([last.box, block.box]) }
    } else out.push(block)
  }
  return out
}

function isOneTitle(first: Paragraph, second: Paragraph, body: Look): boolean {
  const [look, other] = [lookOf(first), lookOf(second)]
  const gap = second.box[1] - first.box[3]
  return (
    isLarge(look, body) &&
    keyOf(look) === keyOf(other) &&
    !second.mark &&
    gap > -look.size &&
    gap < look.size * 0.45 &&
    first.alignment === second.alignment &&
    !/[.:!?]\s*$/u.test(textOf(first)) &&
    textOf(first).length + textOf(second).length <= 160
  )
}
