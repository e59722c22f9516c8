/** One element of a pattern: `*`, or a function that says whether it accepts a character. */
type Token = '*' | ((character: string) => boolean)

/**
 * Whether a name matches a pattern with `*` (any characters), `?` (one character) and `[a-z0]` or `[!a-z]` (one
 * character of a set), case-sensitively. The function only remembers the last `*`, so that the time is at most
 * proportional to the product of both lengths.
 * @param options.hasClasses false if brackets stand for themselves.
 */
export function matchesWildcards(name: string, pattern: string, { hasClasses = true } = {}): boolean {
  const tokens = parsePattern(pattern, hasClasses)
  let [at, tokenAt] = [0, 0]
  let lastStar: { readonly at: number; readonly tokenAt: number } | undefined
  while (at < name.length) {
    const token = tokens[tokenAt]
    if (token === '*') {
      lastStar = { at, tokenAt }
      tokenAt++
    } else if (token?.(name.charAt(at))) {
      at++
      tokenAt++
    } else {
      if (!lastStar) return false
      // The last `*` matches one more character.
      lastStar = { ...lastStar, at: lastStar.at + 1 }
      at = lastStar.at
      tokenAt = lastStar.tokenAt + 1
    }
  }
  return tokens.slice(tokenAt).every((token) => token === '*')
}

function parsePattern(pattern: string, hasClasses: boolean): readonly Token[] {
  const tokens: Token[] = []
  const lastBracketAt = hasClasses ? pattern.lastIndexOf(']') : -1
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at)
    const end = character === '[' && at + 2 <= lastBracketAt ? pattern.indexOf(']', at + 2) : -1
    if (character === '*') tokens.push('*')
    else if (character === '?') tokens.push(() => true)
    else if (end > 0) {
      tokens.push(parseClass(pattern.slice(at + 1, end)))
      at = end
    } else tokens.push((other) => other === character)
  }
  return tokens
}

/** Parses the inside of a class such as `[a-z0]`. */
function parseClass(content: string): (character: string) => boolean {
  const isNegated = content.startsWith('!')
  const ranges: (readonly [from: string, to: string])[] = []
  for (let at = isNegated ? 1 : 0; at < content.length; at++) {
    const from = content.charAt(at)
    const isRange = content.charAt(at + 1) === '-' && at + 2 < content.length
    ranges.push([from, isRange ? content.charAt(at + 2) : from])
    if (isRange) at += 2
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated
}
