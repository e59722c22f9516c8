import { distance } from 'fastest-levenshtein'

/** Maximum length of a name: longer names are no misspellings of known names, and comparing them would take long. */
const maxLength = 64

/** Returns the known name that a misspelled name most likely means. */
export function findSimilar(name: string, knownNames: readonly string[]): string | undefined {
  if (name.length > maxLength) return undefined
  const normalizedName = normalize(name)
  const maxDistance = Math.min(3, Math.floor(normalizedName.length / 3))
  let [nearest, nearestDistance]: [string | undefined, number] = [undefined, maxDistance + 1]
  for (const knownName of knownNames) {
    if (Math.abs(knownName.length - name.length) > maxLength) continue
    const knownDistance = computeDistance(normalizedName, normalize(knownName))
    if (knownDistance < nearestDistance) [nearest, nearestDistance] = [knownName, knownDistance]
  }
  return nearest
}

/**
 * Computes how much two names differ. Swapped characters are the most frequent mistake, so they count less than a
 * replaced character.
 */
function computeDistance(name: string, otherName: string): number {
  const editDistance = distance(name, otherName)
  return editDistance === 2 && sortCharacters(name) === sortCharacters(otherName) ? 0.5 : editDistance
}

const sortCharacters = (name: string) => [...name].sort().join('')

const normalize = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Formats a suggestion as the end of a message; empty without a suggestion. */
export const formatSuggestion = (suggestion: string | undefined) =>
  suggestion === undefined ? '' : ` Did you mean ${suggestion}?`
