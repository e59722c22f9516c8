/** Standalone accents and their combining characters. */
const combiningMarks = new Map(
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
/** Dotless characters used below an accent, and their plain forms. */
const dottedForms = new Map([
  ['\u0131', 'i'],
  ['\u0237', 'j'],
])

/**
 * Joins characters with accents drawn over them, before or after the character: older TeX fonts have no accented
 * characters, so "Café" would be read as "Caf´e".
 *
 * @param walker receives the characters of a page as from MuPDF
 * @returns a walker for MuPDF, with `end` to be called after the page
 */
export function joinAccents(walker) {
  /** The last character and the events after it are delayed, because the next character may join it. */
  let lastChar
  let delayedEvents = []
  const delay = (event) => {
    if (lastChar) delayedEvents.push(event)
    else event()
  }
  const flush = () => {
    if (lastChar) walker.onChar(...lastChar)
    for (const event of delayedEvents) event()
    lastChar = undefined
    delayedEvents = []
  }
  const gapEvents = new Set()
  return {
    beginLine: (...args) => delay(() => walker.beginLine(...args)),
    endLine: () => delay(() => walker.endLine()),
    onChar(...char) {
      if (/\s/.test(char[0])) {
        const event = () => walker.onChar(...char)
        gapEvents.add(event)
        delay(event)
        return
      }
      const accentedChar = lastChar && overlap(lastChar[4], char[4]) ? compose(lastChar, char) : undefined
      if (accentedChar) {
        // The gap that MuPDF reports is only the move back from the accent.
        delayedEvents = delayedEvents.filter((event) => !gapEvents.has(event))
        const accentFollowsBase = isBaseCharacter(lastChar)
        lastChar = undefined
        if (!accentFollowsBase) flush()
      } else flush()
      gapEvents.clear()
      lastChar = accentedChar ?? char
    },
    end: flush,
  }
}

/** Excludes accents that Unicode classifies as letters. */
const isBaseCharacter = ([char]) => /^\p{L}$/u.test(char) && !combiningMarks.has(char)

/** Returns the accented character, whichever of the two is the accent; undefined if they do not combine. */
function compose(one, other) {
  const [base, [accent]] = isBaseCharacter(one) ? [one, other] : [other, one]
  const mark = combiningMarks.get(accent)
  if (!mark || !isBaseCharacter(base)) return undefined
  const composed = ((dottedForms.get(base[0]) ?? base[0]) + mark).normalize('NFC')
  return [...composed].length === 1 ? [composed, ...base.slice(1)] : undefined
}

/**
 * Whether two characters overlap by at least half of the narrower one. Quads contain x and y of each corner, as from
 * MuPDF.
 */
function overlap(one, other) {
  return [0, 1].every((axis) => {
    const [a, b] = [findRange(one, axis), findRange(other, axis)]
    const shared = Math.min(a.to, b.to) - Math.max(a.from, b.from)
    return shared >= Math.min(a.to - a.from, b.to - b.from) / 2
  })
}

function findRange(quad, axis) {
  const values = quad.filter((_, index) => index % 2 === axis)
  return { from: Math.min(...values), to: Math.max(...values) }
}
