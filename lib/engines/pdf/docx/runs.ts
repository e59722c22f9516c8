import type { Run } from './blocks.ts'
import { gapBetween, isPreformatted, isSpaced, type Line, spacesBetween } from './lines.ts'
import type { Style, Word } from './page-content.ts'

const noSpaces = /[\p{Script=Han}\u3000-\u30ff\uff00-\uffef]/u
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u

/** The text of a paragraph's lines in pieces of one look, words parted by hyphens made whole. */
export function runsOf(lines: readonly Line[], withoutMark: boolean, hyphenated: ReadonlySet<string>): Run[] {
  const runs: Run[] = []
  for (const [row, line] of lines.entries()) {
    const words = withoutMark && row === 0 ? line.words.slice(1) : line.words
    for (const [index, word] of words.entries()) {
      const before = words[index - 1]
      const run = runOf(word, line)
      if (before) add(runs, run, spaceBetween(before, word, line))
      else if (runs.length > 0) addLine(runs, run, hyphenated)
      else add(runs, run, '')
    }
  }
  return runs
}

/** The runs of one paragraph after those of another, as if a line ended between them. */
export function appended(before: readonly Run[], after: readonly Run[]): Run[] {
  const [first, ...rest] = after
  const runs = [...before]
  if (first) addLine(runs, first, new Set())
  return [...runs, ...rest]
}

function runOf(word: Word, line: Line): Run {
  const { size } = line.style
  const small = word.style.size < size * 0.88
  const raised = line.base - word.base
  const script = small && raised > size * 0.1 ? 'super' : small && raised < -size * 0.03 ? 'sub' : undefined
  return {
    text: word.text,
    // A raised letter is made small by being raised.
    style: script ? { ...word.style, size } : word.style,
    ...(word.link !== undefined && { link: word.link }),
    ...(script && { script }),
    ...(rightToLeft.test(word.text) && { rtl: true }),
  }
}

export function spaceBetween(before: Word, word: Word, line: Line): string {
  if (isPreformatted(line)) return ' '.repeat(Math.min(200, spacesBetween(before, word)))
  if (!line.rtl && !line.spread && gapBetween(before, word) > line.style.size * 2) return '\t'
  // Recognized characters of such scripts are words of their own.
  const close = gapBetween(before, word) < line.style.size * (word.style.recognized ? 2 : 1)
  if (close && noSpaces.test(before.text.slice(-1)) && noSpaces.test(word.text.slice(0, 1))) return ''
  return isSpaced(before, word) ? ' ' : ''
}

function add(runs: Run[], run: Run, space: string): void {
  const last = runs.at(-1)
  if (last && isSame(last, run)) runs[runs.length - 1] = { ...last, text: `${last.text}${space}${run.text}` }
  else if (last && space !== '') {
    runs[runs.length - 1] = { ...last, text: `${last.text}${space}` }
    runs.push(run)
  } else runs.push(run)
}

/** A line's first word after the last of the line before. */
function addLine(runs: Run[], run: Run, hyphenated: ReadonlySet<string>): void {
  const last = runs.at(-1)
  if (!last) return
  const [, start = '', mark] = /([\p{L}]+)([-\u00ad\u2010])$/u.exec(last.text) ?? []
  const [end = ''] = /^\p{Ll}+/u.exec(run.text) ?? []
  const parted = mark !== undefined && end !== '' && !hyphenated.has(`${start}-${end}`.toLowerCase())
  if (parted) {
    runs[runs.length - 1] = { ...last, text: last.text.slice(0, -1) }
    add(runs, run, '')
  } else if (
    mark !== undefined ||
    (noSpaces.test(last.text.slice(-1)) && noSpaces.test(run.text.slice(0, 1)))
  ) {
    add(runs, run, '')
  } else add(runs, run, ' ')
}

function isSame(a: Run, b: Run): boolean {
  return a.link === b.link && a.script === b.script && a.rtl === b.rtl && sameStyle(a.style, b.style)
}

function sameStyle(a: Style, b: Style): boolean {
  if (a === b) return true
  return (
    a.font === b.font &&
    a.bold === b.bold &&
    a.italic === b.italic &&
    a.color === b.color &&
    Math.abs(a.size - b.size) < 0.3
  )
}
