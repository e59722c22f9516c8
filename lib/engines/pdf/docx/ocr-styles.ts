import type { PageContent, Style, Word } from './page-content.ts'

/** Matches the font of Tesseract's text layer, which has no glyph shapes and is as wide as each word. */
const invisibleFontPattern = /GlyphLessFont/

/** Sizes within this ratio count as equal, because they are measured from images. */
const maxSizeRatio = 1.17

/** Gives recognized words a font, and the size of their line in the image. */
export function assignOcrStyles(pages: readonly PageContent[]): readonly PageContent[] {
  const charactersBySize = new Map<number, number>()
  for (const word of pages.flatMap(({ textSegments }) => textSegments.flat()).filter(isRecognized)) {
    const size = estimateFontSize(word)
    charactersBySize.set(size, (charactersBySize.get(size) ?? 0) + word.text.length)
  }
  if (charactersBySize.size === 0) return pages
  const styles = groupSizes(charactersBySize)
  return pages.map((page) => ({
    ...page,
    textSegments: page.textSegments.map((words) =>
      words.map((word) => {
        const style = isRecognized(word) ? styles.get(estimateFontSize(word)) : undefined
        return style ? { ...word, style } : word
      }),
    ),
  }))
}

const isRecognized = ({ style }: Word) => invisibleFontPattern.test(style.font)
const estimateFontSize = ({ box }: Word) => Math.max(4, Math.round(box[3] - box[1]))

/** Maps each size to the most frequent one that is similar. */
function groupSizes(charactersBySize: ReadonlyMap<number, number>): Map<number, Style> {
  const styles = new Map<number, Style>()
  const baseStyle = {
    font: 'Times New Roman',
    bold: false,
    italic: false,
    mono: false,
    serif: true,
    isRecognized: true,
  } as const
  for (const [size] of [...charactersBySize].sort((a, b) => b[1] - a[1])) {
    const similarStyle = [...styles.values()].find((style) => {
      return Math.max(style.size, size) / Math.min(style.size, size) < maxSizeRatio
    })
    styles.set(size, similarStyle ?? { ...baseStyle, color: '000000', size })
  }
  return styles
}
