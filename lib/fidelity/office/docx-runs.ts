import { decodeMarkupEntities, readAttribute, readMarkup, type Tag } from '../text/markup.ts'

/** Ids of paragraph and character styles that hide text. */
type HidingStyles = ReadonlySet<string>
export const noStyles: HidingStyles = new Set()

interface Style {
  readonly base?: string
  readonly hidesText?: boolean
}

/** Finds hiding styles in the styles part (ECMA-376, part 1, 17.7.4). */
export function findHidingStyles(xml: string): HidingStyles {
  const styles = new Map<string, Style>()
  let id = ''
  const add = (style: Style) => styles.set(id, { ...styles.get(id), ...style })
  readMarkup(xml, {
    text: () => {},
    tag: (tag) => {
      const { name, isEnd } = tag
      if (isEnd) return false
      if (name === 'w:style') id = readAttribute(tag, 'w:styleId') ?? ''
      else if (name === 'w:basedOn') add({ base: readAttribute(tag, 'w:val') ?? '' })
      else if (name === 'w:vanish') add({ hidesText: isOn(tag) })
      // These properties affect only paragraph marks and parts of tables.
      return name === 'w:pPr' || name === 'w:tblStylePr'
    },
  })
  const hidesText = (name: string, depth: number): boolean => {
    const style = styles.get(name)
    if (style?.hidesText !== undefined || style?.base === undefined) return style?.hidesText === true
    return depth < maxBaseDepth && hidesText(style.base, depth + 1)
  }
  return new Set([...styles.keys()].filter((name) => hidesText(name, 0)))
}

/** Limits the chain of base styles, which can be circular. */
const maxBaseDepth = 10

/** Whether a property is on, which is also the case without a value (17.17.4). */
const isOn = ({ source }: Tag) => !/w:val="(?:0|false|off)"/.test(source)

/** Elements that separate words. */
const separatorElements = new Set([
  'w:p',
  'w:tc',
  'w:tab',
  'w:br',
  'w:cr',
  'm:t',
  'w:noBreakHyphen',
  'w:sym',
  'w:ptab',
])

/** Fonts that draw letters as symbols, which are not words. Engines write the symbols. */
const symbolFontPattern = /^(?:Symbol|Webdings|Wingdings(?: [23])?)$/i

const hasSymbolFont = (tag: Tag) => symbolFontPattern.test(readAttribute(tag, 'w:ascii') ?? '')

const skippedElements = new Set(['mc:Fallback', 'w:moveFrom', 'w:rPrChange'])

interface RunText {
  /** The visible text. */
  readonly text: string
  readonly hasHidden: boolean
}

/** Reads the text of runs (17.3.2). */
export function readRuns(xml: string, hidingStyles: HidingStyles = noStyles): RunText {
  const reader = new RunsReader(hidingStyles)
  readMarkup(xml, reader)
  return { text: decodeMarkupEntities(reader.parts.join('')), hasHidden: reader.hasHidden }
}

class RunsReader {
  readonly parts: string[] = []
  hasHidden = false
  readonly #hidingStyles: HidingStyles
  #isText = false
  #isHidden = false
  #hasSymbols = false
  /** One entry per open paragraph: whether its style hides it. Text boxes nest paragraphs. */
  readonly #paragraphs: boolean[] = []
  #isInParagraphProperties = false

  constructor(hidingStyles: HidingStyles) {
    this.#hidingStyles = hidingStyles
  }

  text(text: string): void {
    if (!this.#isText || this.#hasSymbols) return
    if (!this.#isHidden) this.parts.push(text)
    else this.hasHidden ||= text.trim() !== ''
  }

  tag(tag: Tag): boolean {
    const { name, isEnd, isEmpty } = tag
    if (name === 'w:t') this.#isText = !isEnd && !isEmpty
    else if (name === 'w:r') {
      this.#isHidden = !isEnd && this.#paragraphs.at(-1) === true
      this.#hasSymbols = false
    } else if (name === 'w:rFonts') this.#hasSymbols = !this.#isInParagraphProperties && hasSymbolFont(tag)
    else if (name === 'w:vanish') this.#isHidden = this.#isInParagraphProperties ? this.#isHidden : isOn(tag)
    else {
      if (this.#hidingStyles.size > 0) this.#readStyle(tag)
      if (separatorElements.has(name)) this.parts.push('\n')
    }
    // Skips the fallback copy of a shape for old programs, the copy of moved text at its old position, and formatting
    // before a tracked change.
    return skippedElements.has(name) || (name === 'w:pPr' && this.#hidingStyles.size === 0)
  }

  #readStyle(tag: Tag): void {
    const { name, isEnd, isEmpty } = tag
    if (name === 'w:p') {
      if (isEnd) this.#paragraphs.pop()
      else if (!isEmpty) this.#paragraphs.push(false)
    } else if (name === 'w:pPr') this.#isInParagraphProperties = !isEnd && !isEmpty
    else if (name === 'w:pStyle') this.#paragraphs.splice(-1, 1, this.#hidesText(tag))
    // Text is visible if both the paragraph style and the character style hide it (17.7.3).
    else if (name === 'w:rStyle' && !this.#isInParagraphProperties && this.#hidesText(tag))
      this.#isHidden = !this.#isHidden
  }

  #hidesText(tag: Tag): boolean {
    return this.#hidingStyles.has(readAttribute(tag, 'w:val') ?? '')
  }
}
