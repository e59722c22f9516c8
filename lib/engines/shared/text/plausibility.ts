import iconv from 'iconv-lite'

/** Common non-ASCII letters by encoding. */
const westernLetters = 'äöüßéèàçñáíóúâêîôûëïåøæœãÄÖÜÉÅØÀÇÑ'
const centralEuropeanLetters = 'ąćęłńóśźżčďěňřšťůžýáíéúőűöüäâăîşţßŁŚŻČŘŠŽÁÉÖÜ'
const cyrillicLetters = 'оеаинтсрвлкмдпуяыьґєії'
const familiarLetters: Readonly<Record<string, string>> = {
  'windows-1252': westernLetters,
  cp437: westernLetters,
  cp850: westernLetters,
  macintosh: westernLetters,
  cp852: centralEuropeanLetters,
  'windows-1250': centralEuropeanLetters,
  'iso-8859-2': centralEuropeanLetters,
  'windows-1254': 'ğışçöüâîİŞÇÖÜĞ',
  'windows-1251': cyrillicLetters,
  'koi8-r': cyrillicLetters,
  'koi8-u': cyrillicLetters,
  'iso-8859-5': cyrillicLetters,
  ibm866: cyrillicLetters,
}

/** The most common Chinese characters, simplified and traditional. */
const commonHanCharacters = new Set(
  '的一是不了人我在有他这這为為之大来來以个個中上们們到说說国國和地也子时時道出而要于於就下得可你年生自会會那后後能对對着著事其里裡所去行过過家十用发發天如然作方成者多日都三小军軍二无無同么麼经經法当當起与與好看学學进進种種将將还還分此心前面又定见見只主没沒公从從',
)

const letterPattern = /\p{L}|\p{M}/u
const invalidCharacterPattern = /[\p{Cc}\p{Cn}\p{Co}\ufffd]/u
const scripts: readonly (readonly [string, RegExp])[] = [
  ['latin', /\p{Script=Latin}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
  ['greek', /\p{Script=Greek}/u],
  ['hebrew', /\p{Script=Hebrew}/u],
  ['arabic', /\p{Script=Arabic}/u],
  ['han', /\p{Script=Han}/u],
  ['kana', /[\u3041-\u30ff]/u],
  ['hangul', /[\uac00-\ud7a3]/u],
  ['thai', /\p{Script=Thai}/u],
  ['narrow', /[\uff61-\uff9f]/u],
]

const findScript = (character: string) =>
  letterPattern.test(character)
    ? (scripts.find(([, pattern]) => pattern.test(character))?.[0] ?? 'other')
    : undefined

/** Ranges of the lead bytes of characters in daily use. A text in the wrong encoding has many other characters. */
const commonRangesByCharset: Readonly<Record<string, readonly [from: number, to: number]>> = {
  gb18030: [0xb0, 0xd7],
  big5: [0xa4, 0xc6],
  shift_jis: [0x88, 0x97],
  'euc-jp': [0xb0, 0xcf],
  'euc-kr': [0xb0, 0xc8],
}

function isCommonCharacter(character: string, charset: string): boolean {
  const [from, to] = commonRangesByCharset[charset] ?? [0, 0]
  const firstByte = iconv.encode(character, charset)[0] ?? 0
  return firstByte >= from && firstByte <= to
}

function rateHan(character: string, charset: string): number {
  // Korean text is written in Hangul, so Chinese characters make this encoding unlikely.
  if (charset === 'euc-kr') return -1
  if (commonHanCharacters.has(character)) return 1
  return isCommonCharacter(character, charset) ? 0.7 : 0
}

const japaneseCharsets = ['shift_jis', 'euc-jp']

/**
 * Rates how plausible a decoded text is; the maximum is 1. A rating below 0 means that the bytes are in another
 * encoding, because there are mixed scripts, symbols within words, or capitals after lower-case letters.
 */
export function ratePlausibility(text: string, charset: string): number {
  const familiarCharacters = new Set(familiarLetters[charset])
  let previousCharacter = ''
  let previousScript: string | undefined
  let [sum, count] = [-countAccentedRuns(text), 0]
  for (const character of text) {
    const script = findScript(character)
    const isNonAscii = character > '\u007f'
    // ASCII is the same in all encodings, so it counts only next to non-ASCII characters.
    if (isNonAscii || previousCharacter > '\u007f') {
      if (isNonAscii) count++
      if (isNonAscii) sum += rateCharacter(character, script, charset, familiarCharacters)
      if (script && previousScript) sum += ratePair(previousCharacter, previousScript, character, script)
      if (isNonAscii && !script && previousScript) sum += rateSymbolAfterLetter(character, previousScript)
    }
    previousCharacter = character
    previousScript = script
  }
  return count === 0 ? 0 : sum / count
}

/** Maximum number of accented letters in a row; longer words are text of another alphabet. */
const maxAccentedRun = 4
const accentedRunPattern = /[\p{Script=Latin}--[A-Za-z]]{5,}/gv

/** Returns the number of letters beyond that maximum. */
const countAccentedRuns = (text: string) =>
  (text.match(accentedRunPattern) ?? []).reduce((sum, run) => sum + run.length - maxAccentedRun, 0)

/** Characters that come before words, never directly after a letter. */
const openingPattern = /[„‚†‡]/
const punctuationPattern = /[\p{P}\p{Z}]/u
const commonSymbolPattern = /[\p{P}\p{Z}\p{Nd}€°]/u
const isEastAsian = (script: string) => ['han', 'kana', 'hangul', 'narrow'].includes(script)

function rateCharacter(
  character: string,
  script: string | undefined,
  charset: string,
  familiarCharacters: ReadonlySet<string>,
): number {
  if (invalidCharacterPattern.test(character)) return -3
  switch (script) {
    case undefined:
      return commonSymbolPattern.test(character) ? 0.5 : -0.5
    case 'han':
      return rateHan(character, charset)
    case 'kana':
      return japaneseCharsets.includes(charset) ? 1 : -1
    case 'narrow':
      return -0.5
    case 'hangul':
      return isCommonCharacter(character, charset) ? 0.9 : 0
    case 'latin':
      return familiarCharacters.has(character) ? 1 : -0.3
    case 'cyrillic':
      return familiarCharacters.has(character) ? 1 : character.toLowerCase() === character ? 0.6 : 0.4
    case 'other':
      return -0.5
    case 'thai':
      return rareThaiPattern.test(character) ? 0.2 : 0.87
    default:
      return 0.87
  }
}

/** Rates a symbol directly after a letter, as in "¿o³æ" and "caf‚". */
function rateSymbolAfterLetter(character: string, previousScript: string): number {
  const isPlausible = punctuationPattern.test(character) || isEastAsian(previousScript)
  return isPlausible && !openingPattern.test(character) ? 0 : -0.5
}

function ratePair(
  previousCharacter: string,
  previousScript: string,
  character: string,
  script: string,
): number {
  if (script === 'thai' && !isThaiOrder(previousCharacter, character)) return -1
  if (script === previousScript) {
    const isMixedCase =
      previousCharacter !== previousCharacter.toUpperCase() && character !== character.toLowerCase()
    return isMixedCase ? -1 : 0
  }
  // Japanese mixes its scripts; otherwise a word does not mix scripts.
  return isEastAsian(script) && isEastAsian(previousScript) ? 0 : -1
}

const rareThaiPattern = /[ฃฅฆฌฎฏฑฒฤฦฬฮฯๆ]/
const thaiConsonantPattern = /[ก-ฮ]/
const thaiMarkPattern = /[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/
const thaiLeadingVowelPattern = /[เ-ไ]/

/** Whether two Thai characters can follow each other: a mark needs a base, and a leading vowel a consonant. */
function isThaiOrder(previousCharacter: string, character: string): boolean {
  if (thaiLeadingVowelPattern.test(previousCharacter)) return thaiConsonantPattern.test(character)
  const needsBase = thaiMarkPattern.test(character) || /[าำ]/.test(character)
  return !needsBase || thaiConsonantPattern.test(previousCharacter) || thaiMarkPattern.test(previousCharacter)
}
