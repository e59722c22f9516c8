const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\u3000-\u303f\uff00-\uff60]`
const betweenUnspaced = new RegExp(`(?<=${unspaced}) +(?=${unspaced})`, 'gu')

/** Marks of direction that pdftotext sets around what runs to the left, and around numbers in it. */
const toTheLeft = '\u202b'
const numberInIt = /\u202a([^\u202c]*)\u202c/g
const marks = /[\u202a-\u202e]/g

/**
 * The text of recognized pages as pdftotext gives it, the way that people write it. Tesseract places all of a line
 * that runs to the left in that direction, numbers too, so that `1902` is found as `2091`. Chinese and Japanese have
 * no spaces between words; each recognized word comes with one.
 */
export function asWritten(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line.includes(toTheLeft) ? line.replaceAll(numberInIt, (_, run: string) => reversed(run)) : line,
    )
    .join('\n')
    .replaceAll(marks, '')
    .replaceAll(betweenUnspaced, '')
}

const reversed = (text: string) => [...text].reverse().join('')
