/** What a sign that is no letter is to who counts words; below any letter. */
export const [divider, digit, singleCharacter, contextDependent] = [1, 2, 3, 4]

/** Scripts without spaces between words: each of their letters counts as one. */
export const scriptsWithoutSpaces = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`

/** By the code of a sign, 0 until it is first met: the tables of Unicode are slow to ask for each letter of a text. */
const classes = new Uint16Array(65_536)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  const other = /\d/.test(character) ? digit : divider
  classes[code] = /[a-z]/i.test(character) ? character.toLowerCase().charCodeAt(0) : other
}

/** The letter in lower case, or one of the above. `rare` is what nobody can tell without what stands beside it. */
export function classOf(code: number): number {
  const known = classes[code] ?? divider
  if (known !== 0) return known
  const characterClass = classify(String.fromCharCode(code))
  classes[code] = characterClass
  return characterClass
}

/** Of a letter of a word. */
export function toLowerCase(code: number): number {
  const characterClass = classOf(code)
  return characterClass > contextDependent ? characterClass : code
}

const wordCharacter = /[\p{L}\p{M}]/u
const characterWithoutSpaces = new RegExp(`[${scriptsWithoutSpaces}]`, 'v')
/** Joined to what is before it, not shown, half of a sign, part of a Korean one, or a sigma, which has two forms. */
const contextDependentCharacter = /[\p{M}\p{Cf}\p{Cs}\u1100-\u11ff\u03a3\u03c2]/u

function classify(character: string): number {
  const normalized = character.normalize('NFKC')
  if (characterWithoutSpaces.test(character))
    return normalized === character ? singleCharacter : contextDependent
  if (contextDependentCharacter.test(character) || contextDependentCharacter.test(normalized))
    return contextDependent
  if (!wordCharacter.test(normalized)) return /\p{Nd}/u.test(normalized) ? digit : divider
  const lower = normalized.toLowerCase()
  return normalized === character && lower.length === 1 ? lower.charCodeAt(0) : contextDependent
}
