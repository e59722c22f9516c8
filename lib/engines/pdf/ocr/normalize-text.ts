/**
 * Matches a Chinese or Japanese character or punctuation mark, in regular expressions with the flag `u` or `v`. These
 * scripts have no spaces between words.
 */
export const unspacedCharacterPattern = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\u3000-\u303f\uff00-\uff60]`
const spacesBetweenUnspacedPattern = new RegExp(
  `(?<=${unspacedCharacterPattern}) +(?=${unspacedCharacterPattern})`,
  'gu',
)

/**
 * pdftotext puts directional marks around left-to-right runs in right-to-left lines, and around those lines; few
 * editors hide these marks.
 */
const ltrRunPattern = /\u202a([^\u202a\u202c]*)\u202c/g
const directionMarkPattern = /[\u202a-\u202e]/g
const edgesAndCorePattern = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su

/** Cleans up the text that pdftotext extracts from recognized pages, so that it reads as people write it. */
export function normalizeOcrText(text: string): string {
  return (
    text
      .replaceAll(ltrRunPattern, (_, run: string) => toReadingOrder(run))
      .replaceAll(directionMarkPattern, '')
      // Removes the spaces that stand for gaps which were too wide to be closed in the PDF.
      .replaceAll(spacesBetweenUnspacedPattern, '')
  )
}

/**
 * Restores reading order: a run is in visual order from the left, but characters to the left of a number are read after
 * it.
 */
function toReadingOrder(run: string): string {
  const [, left = '', core = '', right = ''] = edgesAndCorePattern.exec(run) ?? []
  const orderedCore = /\p{L}/u.test(core) ? core : core.split(' ').reverse().join(' ')
  return reverseText(right) + orderedCore + reverseText(left)
}

const reverseText = (text: string) => [...text].reverse().join('')
