/** A letter of Chinese or Japanese, whose words have no spaces between them, or one of their marks; for `u` and `v`. */
export const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\u3000-\u303f\uff00-\uff60]`
const betweenUnspaced = new RegExp(`(?<=${unspaced}) +(?=${unspaced})`, 'gu')

/** pdftotext marks what runs to the right in lines that run to the left, and those lines; few editors hide the marks. */
const runToTheRight = /\u202a([^\u202c]*)\u202c/g
const marksOfDirection = /[\u202a-\u202e]/g
const edgesAndCore = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su

/** The text of recognized pages as pdftotext gives it, the way that people write it. */
export function asWritten(text: string): string {
  return (
    text
      .replaceAll(runToTheRight, (_, run: string) => asRead(run))
      .replaceAll(marksOfDirection, '')
      // Gaps too wide to be closed in the PDF are found as spaces.
      .replaceAll(betweenUnspaced, '')
  )
}

/** A run comes as it is seen, from the left; but what is left of a number is read after it. */
function asRead(run: string): string {
  const [, left = '', core = '', right = ''] = edgesAndCore.exec(run) ?? []
  const read = /\p{L}/u.test(core) ? core : core.split(' ').reverse().join(' ')
  return reversed(right) + read + reversed(left)
}

const reversed = (text: string) => [...text].reverse().join('')
