import { type ContentBlock, getParagraphText, type Paragraph } from './blocks.ts'

/**
 * The style of a paragraph. Heading styles are derived from all paragraphs together: a single line may be bold for any
 * reason.
 */
export interface ParagraphStyle {
  /** Font size in points, rounded to half a point. */
  readonly size: number
  readonly bold: boolean
  readonly caps: boolean
  readonly font: string
  readonly color: string
}

const minSizeRatio = 1.12
const maxCharacters = 220

const roundToHalf = (size: number) => Math.round(size * 2) / 2
const stripSubsetPrefix = (font: string) => font.replace(/^[A-Z]{6}\+/, '')

function collectParagraphs(blocks: readonly ContentBlock[]): Paragraph[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'paragraph') return [block]
    if (block.kind === 'table') return block.rows.flat().flatMap((cell) => collectParagraphs(cell.blocks))
    return []
  })
}

/** Returns the style of most characters in a document. */
export function findBodyStyle(blocks: readonly ContentBlock[]): ParagraphStyle {
  const stylesByKey = new Map<string, { paragraphStyle: ParagraphStyle; characters: number }>()
  const charactersBySize = new Map<number, number>()
  for (const { runs } of collectParagraphs(blocks)) {
    for (const { text, style } of runs) {
      const { bold, color } = style
      const paragraphStyle = {
        size: roundToHalf(style.size),
        bold,
        caps: false,
        font: stripSubsetPrefix(style.font),
        color,
      }
      const key = Object.values(paragraphStyle).join('/')
      stylesByKey.set(key, {
        paragraphStyle,
        characters: (stylesByKey.get(key)?.characters ?? 0) + text.length,
      })
      charactersBySize.set(
        paragraphStyle.size,
        (charactersBySize.get(paragraphStyle.size) ?? 0) + text.length,
      )
    }
  }
  // Determines the size first, because body text of the same size may use several fonts.
  const [size = 11] = [...charactersBySize].sort((a, b) => b[1] - a[1])[0] ?? []
  const stylesOfBodySize = [...stylesByKey.values()].filter(
    ({ paragraphStyle }) => paragraphStyle.size === size,
  )
  const [dominantStyle] = stylesOfBodySize.sort((a, b) => b.characters - a.characters)
  return dominantStyle?.paragraphStyle ?? { size, bold: false, caps: false, font: '', color: '000000' }
}

export function toParagraphStyle(paragraph: Paragraph): ParagraphStyle {
  const { style, runs } = paragraph
  const text = getParagraphText(paragraph)
  const alphabeticCount = text.match(/\p{L}/gu)?.length ?? 0
  return {
    size: roundToHalf(style.size),
    bold: runs.every((run) => run.style.bold || run.text.trim() === ''),
    caps: alphabeticCount >= 4 && (text.match(/\p{Lu}/gu)?.length ?? 0) > alphabeticCount * 0.8,
    font: stripSubsetPrefix(style.font),
    color: style.color,
  }
}

export const toStyleKey = ({ size, bold, caps, font, color }: ParagraphStyle) =>
  [size, bold, caps, font, color].join('/')

export function isShort(paragraph: Paragraph): boolean {
  return paragraph.lineCount <= 4 && getParagraphText(paragraph).length <= maxCharacters
}

export const isLargeStyle = ({ size }: ParagraphStyle, bodyStyle: ParagraphStyle) =>
  size >= bodyStyle.size * minSizeRatio && size > bodyStyle.size + 0.8

/** Whether a paragraph in the body font size stands out in another way. */
export function isEmphasized(paragraphStyle: ParagraphStyle, bodyStyle: ParagraphStyle): boolean {
  if (paragraphStyle.size < bodyStyle.size * 0.95) return false
  return (
    (paragraphStyle.bold && !bodyStyle.bold) ||
    paragraphStyle.caps ||
    paragraphStyle.font !== bodyStyle.font ||
    paragraphStyle.color !== bodyStyle.color
  )
}

/** Matches the start of a caption of a table or figure. */
const captionPattern = /^(table|figure|fig|chart|tabelle|abbildung|abb|tab|tableau|tabla|figura)\b\.?\s*\d/iu

export const isCaption = (block: ContentBlock) =>
  block.kind === 'paragraph' && captionPattern.test(getParagraphText(block).trim())

/** Whether the content of a line could be a heading. */
export function isTitleLike(paragraph: Paragraph): boolean {
  const text = getParagraphText(paragraph).trim()
  return (
    paragraph.lineCount <= 2 &&
    text.length <= 100 &&
    /\p{L}{2}/u.test(text) &&
    !/[.,;]$/.test(text) &&
    !text.includes('\t') &&
    !isCaption(paragraph) &&
    paragraph.marker?.kind !== 'bullet'
  )
}
