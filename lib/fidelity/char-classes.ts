/** What a sign that is no letter is to who counts words; below any letter. */
export const [divider, digit, alone, rare] = [1, 2, 3, 4]

/** Scripts without spaces between words: each of their letters counts as one. */
export const spaceless = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`

/** By the code of a sign, 0 until it is first met: the tables of Unicode are slow to ask for each letter of a text. */
const kinds = new Uint16Array(65_536)
for (let code = 0; code < 128; code++) {
  const sign = String.fromCharCode(code)
  const other = /\d/.test(sign) ? digit : divider
  kinds[code] = /[a-z]/i.test(sign) ? sign.toLowerCase().charCodeAt(0) : other
}

/** The letter in lower case, or one of the above. `rare` is what nobody can tell without what stands beside it. */
export function kindOf(code: number): number {
  const known = kinds[code] ?? divider
  if (known !== 0) return known
  const kind = looked(String.fromCharCode(code))
  kinds[code] = kind
  return kind
}

/** Of a letter of a word. */
export function lowerCased(code: number): number {
  const kind = kindOf(code)
  return kind > rare ? kind : code
}

const inWord = /[\p{L}\p{M}]/u
const isSpaceless = new RegExp(`[${spaceless}]`, 'v')
/** Joined to what is before it, not shown, half of a sign, part of a Korean one, or a sigma, which has two forms. */
const isRare = /[\p{M}\p{Cf}\p{Cs}\u1100-\u11ff\u03a3\u03c2]/u

function looked(sign: string): number {
  const plain = sign.normalize('NFKC')
  if (isSpaceless.test(sign)) return plain === sign ? alone : rare
  if (isRare.test(sign) || isRare.test(plain)) return rare
  if (!inWord.test(plain)) return /\p{Nd}/u.test(plain) ? digit : divider
  const lower = plain.toLowerCase()
  return plain === sign && lower.length === 1 ? lower.charCodeAt(0) : rare
}
