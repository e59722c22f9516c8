import type { Page, Style, Word } from './page-content.ts'

/** The font in which Tesseract writes what it read: without shapes, and as wide as each word was. */
const invisibleFont = /GlyphLessFont/

/** Sizes that differ by less are one: they are measured from pictures. */
const alike = 1.17

/** Gives recognized words a font, and the size of the line that they were read from. */
export function withReadableStyles(pages: readonly Page[]): readonly Page[] {
  const letters = new Map<number, number>()
  for (const word of pages.flatMap(({ pieces }) => pieces.flat()).filter(isRecognized)) {
    const size = sizeOf(word)
    letters.set(size, (letters.get(size) ?? 0) + word.text.length)
  }
  if (letters.size === 0) return pages
  const styles = stylesOf(letters)
  return pages.map((page) => ({
    ...page,
    pieces: page.pieces.map((words) =>
      words.map((word) => {
        const style = isRecognized(word) ? styles.get(sizeOf(word)) : undefined
        return style ? { ...word, style } : word
      }),
    ),
  }))
}

const isRecognized = ({ style }: Word) => invisibleFont.test(style.font)
const sizeOf = ({ box }: Word) => Math.max(4, Math.round(box[3] - box[1]))

/** The sizes with the most letters draw those that are like them. */
function stylesOf(letters: ReadonlyMap<number, number>): Map<number, Style> {
  const styles = new Map<number, Style>()
  const look = {
    font: 'Times New Roman',
    bold: false,
    italic: false,
    mono: false,
    serif: true,
    recognized: true,
  } as const
  for (const [size] of [...letters].sort((a, b) => b[1] - a[1])) {
    const near = [...styles.values()].find((style) => {
      return Math.max(style.size, size) / Math.min(style.size, size) < alike
    })
    styles.set(size, near ?? { ...look, color: '000000', size })
  }
  return styles
}
