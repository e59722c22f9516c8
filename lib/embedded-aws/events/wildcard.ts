import { badPattern as bad } from './errors.ts'

/** A `*` matches any characters; `\*` and `\\` match the characters themselves. */
export function createWildcardMatcher(pattern: string): (value: string) => boolean {
  const pieces: string[] = []
  let piece = ''
  for (let at = 0; at < pattern.length; at++) {
    let character = pattern.charAt(at)
    if (character === '*') {
      if (pattern[at + 1] === '*') throw bad(`Consecutive wildcard characters at pos ${at + 1}`)
      pieces.push(piece)
      piece = ''
      continue
    }
    if (character === '\\') {
      at++
      character = pattern.charAt(at)
      if (character !== '*' && character !== '\\') throw bad(`Invalid escape character at pos ${at}`)
    }
    piece += character
  }
  pieces.push(piece)
  refuseComplex(pieces.slice(1))
  return (value) => matches(value, pieces)
}

/**
 * AWS limits the complexity of a wildcard pattern and documents no figure: "using fewer wildcard
 * characters or fewer repeating character sequences". The pattern that its documentation names as too complex
 * has five wildcards followed by the same character.
 */
function refuseComplex(inner: readonly string[]): void {
  const counts = new Map<string, number>()
  for (const piece of inner) {
    const first = piece.slice(0, 1)
    const count = (counts.get(first) ?? 0) + 1
    if (count > 4)
      throw bad(
        'Rule is too complex - try using fewer wildcard characters or fewer repeating character sequences after a wildcard character',
      )
    counts.set(first, count)
  }
}

/** The first and last piece are anchored; the others are searched from left to right, without backtracking. */
function matches(value: string, pieces: readonly string[]): boolean {
  const first = pieces[0] ?? ''
  if (pieces.length === 1) return value === first
  const last = pieces.at(-1) ?? ''
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last))
    return false
  let from = first.length
  const end = value.length - last.length
  for (const piece of pieces.slice(1, -1)) {
    const found = value.indexOf(piece, from)
    if (found === -1 || found + piece.length > end) return false
    from = found + piece.length
  }
  return true
}
