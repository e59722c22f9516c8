/**
 * Classes of characters that are not letters, for counting words. Their numbers are smaller than the code of any
 * letter.
 */
export const [divider, digit, singleCharacter, contextDependent] = [1, 2, 3, 4]

/** Scripts without spaces between words: each of their characters counts as a word. */
export const scriptsWithoutSpaces = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`

/**
 * Caches classes by character code, with 0 for codes not looked up yet: looking up Unicode properties of each character
 * is slow.
 */
const classes = new Uint16Array(65_536)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  const otherClass = /\d/.test(character) ? digit : divider
  classes[code] = /[a-z]/i.test(character) ? character.toLowerCase().charCodeAt(0) : otherClass
}

/** Returns the lower-case letter or a class. `contextDependent` means that the class depends on adjacent characters. */
export function getClass(code: number): number {
  const knownClass = classes[code] ?? divider
  if (knownClass !== 0) return knownClass
  const characterClass = classify(String.fromCharCode(code))
  classes[code] = characterClass
  return characterClass
}

/** Lower-cases a character of a word. */
export function toLowerCase(code: number): number {
  const characterClass = getClass(code)
  return characterClass > contextDependent ? characterClass : code
}

const wordCharacterPattern = /[\p{L}\p{M}]/u
const unspacedScriptPattern = new RegExp(`[${scriptsWithoutSpaces}]`, 'v')
/** Combining and invisible characters, surrogates, Korean jamo, and sigma, which has two lower-case forms. */
const contextDependentPattern = /[\p{M}\p{Cf}\p{Cs}\u1100-\u11ff\u03a3\u03c2]/u

function classify(character: string): number {
  const normalized = character.normalize('NFKC')
  if (unspacedScriptPattern.test(character))
    return normalized === character ? singleCharacter : contextDependent
  if (contextDependentPattern.test(character) || contextDependentPattern.test(normalized))
    return contextDependent
  if (!wordCharacterPattern.test(normalized)) return /\p{Nd}/u.test(normalized) ? digit : divider
  const lower = normalized.toLowerCase()
  return normalized === character && lower.length === 1 ? lower.charCodeAt(0) : contextDependent
}
