import { type Block, type Paragraph, textOf } from './blocks.ts'

/** A title of the PDF's own outline. */
export interface OutlineTitle {
  readonly title: string
  readonly level: number
}

const maxLetters = 220
const largerBy = 1.12

/** The size that most letters have, in points. */
export function bodySize(blocks: readonly Block[]): number {
  const letters = new Map<number, number>()
  for (const paragraph of paragraphsIn(blocks)) {
    for (const { text, style } of paragraph.runs) {
      const size = Math.round(style.size * 2) / 2
      letters.set(size, (letters.get(size) ?? 0) + text.length)
    }
  }
  return [...letters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 11
}

function paragraphsIn(blocks: readonly Block[]): Paragraph[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'paragraph') return [block]
    if (block.kind === 'table') return block.rows.flat().flatMap((cell) => paragraphsIn(cell.blocks))
    return []
  })
}

/** Marks headings: titles of the outline, short text in larger letters, and short bold lines. */
export function withHeadings(blocks: readonly Block[], outline: readonly OutlineTitle[]): Block[] {
  const body = bodySize(blocks)
  const paragraphs = blocks.filter((block) => block.kind === 'paragraph')
  const large = paragraphs.filter((paragraph) => isLarge(paragraph, body))
  const sizes = [...new Set(large.map(sizeOf))].sort((a, b) => b - a)
  const titles = new Map(outline.map(({ title, level }) => [plain(title), level]))
  return blocks.map((block, index) => {
    if (block.kind !== 'paragraph') return block
    const known = isShort(block) ? titleLevel(block, titles) : undefined
    if (known !== undefined) return { ...block, heading: Math.min(6, known) }
    if (isLarge(block, body)) return { ...block, heading: Math.min(6, sizes.indexOf(sizeOf(block)) + 1) }
    if (isBoldLine(block, body) && isFollowedByText(blocks[index + 1])) {
      return { ...block, heading: Math.min(6, sizes.length + 1) }
    }
    return block
  })
}

function titleLevel(paragraph: Paragraph, titles: ReadonlyMap<string, number>): number | undefined {
  const text = textOf(paragraph)
  return titles.get(plain(`${paragraph.mark?.text ?? ''}${text}`)) ?? titles.get(plain(text))
}

const sizeOf = ({ style }: Paragraph) => Math.round(style.size)
const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase()

function isShort(paragraph: Paragraph): boolean {
  return paragraph.lineCount <= 4 && textOf(paragraph).length <= maxLetters
}

function isLarge(paragraph: Paragraph, body: number): boolean {
  return (
    isShort(paragraph) &&
    paragraph.style.size >= body * largerBy &&
    paragraph.style.size > body + 0.8 &&
    /\p{L}{2}/u.test(textOf(paragraph)) &&
    (paragraph.style.size >= body * 1.35 || !/[.。]\s*$/u.test(textOf(paragraph))) &&
    paragraph.mark?.kind !== 'bullet'
  )
}

function isBoldLine(paragraph: Paragraph, body: number): boolean {
  const text = textOf(paragraph)
  return (
    paragraph.lineCount <= 2 &&
    paragraph.style.size >= body * 0.95 &&
    paragraph.runs.every(({ style, text: part }) => style.bold || part.trim() === '') &&
    text.length <= 100 &&
    /\p{L}{2}/u.test(text) &&
    !/[.,;]$/.test(text.trim()) &&
    !text.includes('\t') &&
    paragraph.mark?.kind !== 'bullet'
  )
}

const isFollowedByText = (next: Block | undefined) =>
  next !== undefined && !(next.kind === 'paragraph' && next.runs.every(({ style }) => style.bold))
