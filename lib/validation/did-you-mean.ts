import { distance } from 'fastest-levenshtein'

/** Longer names are no misspellings of ours, and comparing them would take long. */
const maxLength = 64

/** Returns the known name that a misspelled one most likely means. */
export function findSimilar(name: string, knownNames: readonly string[]): string | undefined {
  if (name.length > maxLength) return undefined
  const misspelled = normalize(name)
  const maxDistance = Math.min(3, Math.floor(misspelled.length / 3))
  let [nearest, nearestDistance]: [string | undefined, number] = [undefined, maxDistance + 1]
  for (const known of knownNames) {
    if (Math.abs(known.length - name.length) > maxLength) continue
    const knownDistance = distanceOf(misspelled, normalize(known))
    if (knownDistance < nearestDistance) [nearest, nearestDistance] = [known, knownDistance]
  }
  return nearest
}

/** Swapped characters are the most frequent mistake, so they count less than a replaced one. */
function distanceOf(name: string, otherName: string): number {
  const plainDistance = distance(name, otherName)
  return plainDistance === 2 && sortedCharacters(name) === sortedCharacters(otherName) ? 0.5 : plainDistance
}

const sortedCharacters = (name: string) => [...name].sort().join('')

const normalize = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** A sentence for the end of a message; empty without a suggestion. */
export const didYouMean = (suggestion: string | undefined) =>
  suggestion === undefined ? '' : ` Did you mean ${suggestion}?`
