/** Accents that stand for themselves, and what combines with a letter in their place. */
const marks = new Map(
  Object.entries({
    '`': '\u0300',
    '\u00b4': '\u0301',
    '^': '\u0302',
    '\u02c6': '\u0302',
    '~': '\u0303',
    '\u02dc': '\u0303',
    '\u00af': '\u0304',
    '\u02d8': '\u0306',
    '\u02d9': '\u0307',
    '\u00a8': '\u0308',
    '\u02da': '\u030a',
    '\u02dd': '\u030b',
    '\u02c7': '\u030c',
    '\u00b8': '\u0327',
    '\u02db': '\u0328',
  }),
)
/** Letters that lose their dot below an accent. */
const dotted = new Map([
  ['\u0131', 'i'],
  ['\u0237', 'j'],
])

/**
 * Puts letters and the accents that are painted over them together, which come before or after them: the older fonts of
 * TeX have no letters with accents, and "Café" would be read as "Caf´e".
 *
 * @param walker is told the letters of a page as MuPDF tells them
 * @returns a walker for MuPDF, and `end` for after the page
 */
export function withAccents(walker) {
  /** The letter told last is kept back, with what came after it: the next may belong to it. */
  let last
  let held = []
  const hold = (tell) => {
    if (last) held.push(tell)
    else tell()
  }
  const flush = () => {
    if (last) walker.onChar(...last)
    for (const tell of held) tell()
    last = undefined
    held = []
  }
  const gaps = new Set()
  return {
    beginLine: (...facts) => hold(() => walker.beginLine(...facts)),
    endLine: () => hold(() => walker.endLine()),
    onChar(...char) {
      if (/\s/.test(char[0])) {
        const tell = () => walker.onChar(...char)
        gaps.add(tell)
        hold(tell)
        return
      }
      const letter = last && overlap(last[4], char[4]) ? composed(last, char) : undefined
      if (letter) {
        // What MuPDF takes for a gap is the way back from the accent.
        held = held.filter((tell) => !gaps.has(tell))
        const isAfter = isLetter(last)
        last = undefined
        if (!isAfter) flush()
      } else flush()
      gaps.clear()
      last = letter ?? char
    },
    end: flush,
  }
}

/** Some accents are letters to Unicode, too. */
const isLetter = ([char]) => /^\p{L}$/u.test(char) && !marks.has(char)

/** A letter with its accent, given in either order; undefined where they are none. */
function composed(one, other) {
  const [letter, [accent]] = isLetter(one) ? [one, other] : [other, one]
  const mark = marks.get(accent)
  if (!mark || !isLetter(letter)) return undefined
  const whole = ((dotted.get(letter[0]) ?? letter[0]) + mark).normalize('NFC')
  return [...whole].length === 1 ? [whole, ...letter.slice(1)] : undefined
}

/** One stands over the other, at least by half of the narrower. Corners as MuPDF gives them: x and y of each. */
function overlap(one, other) {
  return [0, 1].every((axis) => {
    const [a, b] = [rangeOf(one, axis), rangeOf(other, axis)]
    const shared = Math.min(a.to, b.to) - Math.max(a.from, b.from)
    return shared >= Math.min(a.to - a.from, b.to - b.from) / 2
  })
}

function rangeOf(quad, axis) {
  const values = quad.filter((_, index) => index % 2 === axis)
  return { from: Math.min(...values), to: Math.max(...values) }
}
