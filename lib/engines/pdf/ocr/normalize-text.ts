/**
 * Matches a Chinese or Japanese character or punctuation mark, in regular expressions with the flag `u` or `v`. These
 * scripts have no spaces between words.
 */
export const unspacedCharacter = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\u3000-\u303f\uff00-\uff60]`
const spacesBetweenUnspaced = new RegExp(`(?<=${unspacedCharacter}) +(?=${unspacedCharacter})`, 'gu')

/**
 * pdftotext puts directional marks around left-to-right runs in right-to-left lines, and around those lines; few
 * editors hide these marks.
 */
const ltrRunPattern = /\u202a([^\u202a\u202c]*)\u202c/g
const directionMarkPattern = /[\u202a-\u202e]/g
const edgesAndCorePattern = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su

/** Converts the text that pdftotext extracts from recognized pages to the way people write. */
export function normalizeOcrText(text: string): string {
  return (
    text
      .replaceAll(ltrRunPattern, (_, run: string) => toReadingOrder(run))
      .replaceAll(directionMarkPattern, '')
      // Removes the spaces that stand for gaps which were too wide to be closed in the PDF.
      .replaceAll(spacesBetweenUnspaced, '')
  )
}

/**
 * Restores reading order: a run is in visual order from the left, but characters to the left of a number are read after
 * it.
 */
function toReadingOrder(run: string): string {
  const [, left = '', core = '', right = ''] = edgesAndCorePattern.exec(run) ?? []
  const read = /\p{L}/u.test(core) ? core : core.split(' ').reverse().join(' ')
  return reverseText(right) + read + reverseText(left)
}

const reverseText = (text: string) => [...text].reverse().join('')
