import { createInvalidPatternError as bad } from './errors.ts'

/**
 * Returns a function that matches a pattern: `*` matches any characters, `\*` and `\\` match the characters themselves.
 */
export function createWildcardMatcher(pattern: string): (value: string) => boolean {
  const pieces: string[] = []
  let currentPiece = ''
  for (let at = 0; at < pattern.length; at++) {
    let character = pattern.charAt(at)
    if (character === '*') {
      if (pattern[at + 1] === '*') throw bad(`Consecutive wildcard characters at pos ${at + 1}`)
      pieces.push(currentPiece)
      currentPiece = ''
      continue
    }
    if (character === '\\') {
      at++
      character = pattern.charAt(at)
      if (character !== '*' && character !== '\\') throw bad(`Invalid escape character at pos ${at}`)
    }
    currentPiece += character
  }
  pieces.push(currentPiece)
  refuseComplex(pieces.slice(1))
  return (value) => matches(value, pieces)
}

/**
 * Refuses patterns that are too complex. AWS limits the complexity of a wildcard pattern, but documents no number:
 * "using fewer wildcard characters or fewer repeating character sequences". The example in its documentation has five
 * wildcards followed by the same character.
 */
function refuseComplex(innerPieces: readonly string[]): void {
  const counts = new Map<string, number>()
  for (const innerPiece of innerPieces) {
    const firstCharacter = innerPiece.slice(0, 1)
    const count = (counts.get(firstCharacter) ?? 0) + 1
    if (count > 4)
      throw bad(
        'Rule is too complex - try using fewer wildcard characters or fewer repeating character sequences after a wildcard character',
      )
    counts.set(firstCharacter, count)
  }
}

/**
 * Matches the first and last piece at the ends of the value; searches the other pieces from left to right, without
 * backtracking.
 */
function matches(value: string, pieces: readonly string[]): boolean {
  const firstPiece = pieces[0] ?? ''
  if (pieces.length === 1) return value === firstPiece
  const lastPiece = pieces.at(-1) ?? ''
  if (
    value.length < firstPiece.length + lastPiece.length ||
    !value.startsWith(firstPiece) ||
    !value.endsWith(lastPiece)
  )
    return false
  let from = firstPiece.length
  const end = value.length - lastPiece.length
  for (const middlePiece of pieces.slice(1, -1)) {
    const foundIndex = value.indexOf(middlePiece, from)
    if (foundIndex === -1 || foundIndex + middlePiece.length > end) return false
    from = foundIndex + middlePiece.length
  }
  return true
}
