import { defined } from '../../../validation/defined.ts'
import type { StyledRun } from './blocks.ts'
import { countSpaces, hasSpaceBetween, isPreformatted, measureGap, type TextLine } from './lines.ts'
import type { Style, Word } from './page-content.ts'

const unspacedCharacterPattern = /[\p{Script=Han}\u3000-\u30ff\uff00-\uffef]/u
const rtlCharacterPattern = /[\p{Script=Arabic}\p{Script=Hebrew}]/u

/** Turns the lines of a paragraph into runs with one style each, joining hyphenated words. */
export function buildRuns(
  lines: readonly TextLine[],
  skipsMarker: boolean,
  hyphenatedWords: ReadonlySet<string>,
): StyledRun[] {
  const runs: StyledRun[] = []
  for (const [row, line] of lines.entries()) {
    const words = skipsMarker && row === 0 ? line.words.slice(1) : line.words
    for (const [index, word] of words.entries()) {
      const previousWord = words[index - 1]
      const run = toRun(word, line)
      if (previousWord) appendRun(runs, run, chooseSeparator(previousWord, word, line))
      else if (runs.length > 0) appendAcrossLines(runs, run, hyphenatedWords)
      else appendRun(runs, run, '')
    }
  }
  return runs
}

/** Joins the runs of two paragraphs as if there were a line break between them. */
export function joinRuns(runsBefore: readonly StyledRun[], runsAfter: readonly StyledRun[]): StyledRun[] {
  const [firstRun, ...rest] = runsAfter
  const runs = [...runsBefore]
  if (firstRun) appendAcrossLines(runs, firstRun, new Set())
  return [...runs, ...rest]
}

function toRun(word: Word, line: TextLine): StyledRun {
  const { size } = line.style
  const isSmall = word.style.size < size * 0.88
  const riseAboveBaseline = line.baseline - word.baseline
  const script =
    isSmall && riseAboveBaseline > size * 0.1
      ? 'super'
      : isSmall && riseAboveBaseline < -size * 0.03
        ? 'sub'
        : undefined
  return {
    text: word.text,
    // Keeps the size, because superscript formatting itself makes text smaller.
    style: script ? { ...word.style, size } : word.style,
    ...defined({ link: word.link, script }),
    ...(rtlCharacterPattern.test(word.text) && { isRtl: true }),
  }
}

export function chooseSeparator(previousWord: Word, word: Word, line: TextLine): string {
  if (isPreformatted(line)) return ' '.repeat(Math.min(200, countSpaces(previousWord, word)))
  if (!line.isRtl && !line.isJustified && measureGap(previousWord, word) > line.style.size * 2) return '\t'
  // Tolerates a larger gap after OCR, which splits scripts without spaces into one word per character.
  const isClose = measureGap(previousWord, word) < line.style.size * (word.style.isRecognized ? 2 : 1)
  if (
    isClose &&
    unspacedCharacterPattern.test(previousWord.text.slice(-1)) &&
    unspacedCharacterPattern.test(word.text.slice(0, 1))
  )
    return ''
  return hasSpaceBetween(previousWord, word) ? ' ' : ''
}

function appendRun(runs: StyledRun[], run: StyledRun, space: string): void {
  const lastRun = runs.at(-1)
  if (lastRun && hasSameFormat(lastRun, run))
    runs[runs.length - 1] = { ...lastRun, text: `${lastRun.text}${space}${run.text}` }
  else if (lastRun && space !== '') {
    runs[runs.length - 1] = { ...lastRun, text: `${lastRun.text}${space}` }
    runs.push(run)
  } else runs.push(run)
}

/** Appends the first word of a line to the last word of the line before. */
function appendAcrossLines(runs: StyledRun[], run: StyledRun, hyphenatedWords: ReadonlySet<string>): void {
  const lastRun = runs.at(-1)
  if (!lastRun) return
  const [, start = '', hyphen] = /(?<!\p{L})(\p{L}{1,100})([-\u00ad\u2010])$/u.exec(lastRun.text) ?? []
  const [end = ''] = /^\p{Ll}+/u.exec(run.text) ?? []
  const isHyphenated =
    hyphen !== undefined && end !== '' && !hyphenatedWords.has(`${start}-${end}`.toLowerCase())
  if (isHyphenated) {
    runs[runs.length - 1] = { ...lastRun, text: lastRun.text.slice(0, -1) }
    appendRun(runs, run, '')
  } else if (
    hyphen !== undefined ||
    (unspacedCharacterPattern.test(lastRun.text.slice(-1)) &&
      unspacedCharacterPattern.test(run.text.slice(0, 1)))
  ) {
    appendRun(runs, run, '')
  } else appendRun(runs, run, ' ')
}

function hasSameFormat(a: StyledRun, b: StyledRun): boolean {
  return a.link === b.link && a.script === b.script && a.isRtl === b.isRtl && isSameStyle(a.style, b.style)
}

function isSameStyle(a: Style, b: Style): boolean {
  if (a === b) return true
  return (
    a.font === b.font &&
    a.bold === b.bold &&
    a.italic === b.italic &&
    a.color === b.color &&
    Math.abs(a.size - b.size) < 0.3
  )
}
