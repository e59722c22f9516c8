import { type Block, type Paragraph, textOf } from './blocks.ts'

/** How a document sets its headings is told by all of them together: one line alone may be bold for any reason. */
export interface Look {
  /** Points, to the half. */
  readonly size: number
  readonly bold: boolean
  readonly caps: boolean
  readonly font: string
  readonly color: string
}

const largerBy = 1.12
const maxLetters = 220

const half = (size: number) => Math.round(size * 2) / 2
const plainName = (font: string) => font.replace(/^[A-Z]{6}\+/, '')

export function paragraphsIn(blocks: readonly Block[]): Paragraph[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'paragraph') return [block]
    if (block.kind === 'table') return block.rows.flat().flatMap((cell) => paragraphsIn(cell.blocks))
    return []
  })
}

/** The look that most letters have. */
export function bodyLook(blocks: readonly Block[]): Look {
  const looks = new Map<string, { look: Look; letters: number }>()
  const sizes = new Map<number, number>()
  for (const { runs } of paragraphsIn(blocks)) {
    for (const { text, style } of runs) {
      const { bold, color } = style
      const look = { size: half(style.size), bold, caps: false, font: plainName(style.font), color }
      const key = Object.values(look).join('/')
      looks.set(key, { look, letters: (looks.get(key)?.letters ?? 0) + text.length })
      sizes.set(look.size, (sizes.get(look.size) ?? 0) + text.length)
    }
  }
  // The size first: a text in many fonts has one size.
  const [size = 11] = [...sizes].sort((a, b) => b[1] - a[1])[0] ?? []
  const ofSize = [...looks.values()].filter(({ look }) => look.size === size)
  const [most] = ofSize.sort((a, b) => b.letters - a.letters)
  return most?.look ?? { size, bold: false, caps: false, font: '', color: '000000' }
}

export function lookOf(paragraph: Paragraph): Look {
  const { style, runs } = paragraph
  const text = textOf(paragraph)
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return {
    size: half(style.size),
    bold: runs.every((run) => run.style.bold || run.text.trim() === ''),
    caps: letters >= 4 && (text.match(/\p{Lu}/gu)?.length ?? 0) > letters * 0.8,
    font: plainName(style.font),
    color: style.color,
  }
}

export const keyOf = ({ size, bold, caps, font, color }: Look) => [size, bold, caps, font, color].join('/')

export function isShort(paragraph: Paragraph): boolean {
  return paragraph.lineCount <= 4 && textOf(paragraph).length <= maxLetters
}

export const isLarge = ({ size }: Look, body: Look) => size >= body.size * largerBy && size > body.size + 0.8

/** Of the size of the text, and set apart from it in another way. */
export function isMarked(look: Look, body: Look): boolean {
  if (look.size < body.size * 0.95) return false
  return (look.bold && !body.bold) || look.caps || look.font !== body.font || look.color !== body.color
}

/** What stands below a table or a picture, or above it, and names it. */
const caption = /^(table|figure|fig|chart|tabelle|abbildung|abb|tab|tableau|tabla|figura)\b\.?\s*\d/iu

export const isCaption = (block: Block) => block.kind === 'paragraph' && caption.test(textOf(block).trim())

/** A line that could be a heading by what it says. */
export function isTitleLike(paragraph: Paragraph): boolean {
  const text = textOf(paragraph).trim()
  return (
    paragraph.lineCount <= 2 &&
    text.length <= 100 &&
    /\p{L}{2}/u.test(text) &&
    !/[.,;]$/.test(text) &&
    !text.includes('\t') &&
    !isCaption(paragraph) &&
    paragraph.mark?.kind !== 'bullet'
  )
}
