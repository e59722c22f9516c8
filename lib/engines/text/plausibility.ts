import iconv from 'iconv-lite'

/** Letters that texts are full of, by the encoding in which they are written; those that many share are all in each. */
const western = 'äöüßéèàçñáíóúâêîôûëïåøæœãÄÖÜÉÅØÀÇÑ'
const central = 'ąćęłńóśźżčďěňřšťůžýáíéúőűöüäâăîşţßŁŚŻČŘŠŽÁÉÖÜ'
const cyrillic = 'оеаинтсрвлкмдпуяыьґєії'
const usual: Readonly<Record<string, string>> = {
  'windows-1252': western,
  cp437: western,
  cp850: western,
  macintosh: western,
  cp852: central,
  'windows-1250': central,
  'iso-8859-2': central,
  'windows-1254': 'ğışçöüâîİŞÇÖÜĞ',
  'windows-1251': cyrillic,
  'koi8-r': cyrillic,
  'koi8-u': cyrillic,
  'iso-8859-5': cyrillic,
  ibm866: cyrillic,
}

/** Signs of the commonest words in Chinese, simple and traditional, and of what is read in both. */
const common = new Set(
  '的一是不了人我在有他这這为為之大来來以个個中上们們到说說国國和地也子时時道出而要于於就下得可你年生自会會那后後能对對着著事其里裡所去行过過家十用发發天如然作方成者多日都三小军軍二无無同么麼经經法当當起与與好看学學进進种種将將还還分此心前面又定见見只主没沒公从從',
)

const letter = /\p{L}|\p{M}/u
const unusable = /[\p{Cc}\p{Cn}\p{Co}\ufffd]/u
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

const scriptOf = (sign: string) =>
  letter.test(sign) ? (scripts.find(([, pattern]) => pattern.test(sign))?.[0] ?? 'other') : undefined

/** First bytes of the signs that are in daily use; of the others each encoding has as many. */
const dailyUse: Readonly<Record<string, readonly [from: number, to: number]>> = {
  gb18030: [0xb0, 0xd7],
  big5: [0xa4, 0xc6],
  shift_jis: [0x88, 0x97],
  'euc-jp': [0xb0, 0xcf],
  'euc-kr': [0xb0, 0xc8],
}

function isInDailyUse(sign: string, charset: string): boolean {
  const [from, to] = dailyUse[charset] ?? [0, 0]
  const first = iconv.encode(sign, charset)[0] ?? 0
  return first >= from && first <= to
}

function worthOfHan(sign: string, charset: string): number {
  // Koreans have letters of their own.
  if (charset === 'euc-kr') return -1
  if (common.has(sign)) return 1
  return isInDailyUse(sign, charset) ? 0.7 : 0
}

const japanese = ['shift_jis', 'euc-jp']

/**
 * How much a text looks like one that somebody has written: at most 1, and below 0 where letters of several scripts,
 * signs within words and capitals after small letters tell that the encoding is not that of the bytes.
 */
export function plausibility(text: string, charset: string): number {
  const familiar = new Set(usual[charset])
  let before = ''
  let scriptBefore: string | undefined
  let [sum, count] = [0, 0]
  for (const sign of text) {
    const script = scriptOf(sign)
    const isForeign = sign > '\u007f'
    // What stands in ASCII is the same in all of them, and counts beside other letters only.
    if (isForeign || before > '\u007f') {
      if (isForeign) count++
      if (isForeign) sum += worthOf(sign, script, charset, familiar)
      if (script && scriptBefore) sum += worthTogether(before, scriptBefore, sign, script)
      if (isForeign && !script && scriptBefore) sum += worthBehind(sign, scriptBefore)
    }
    before = sign
    scriptBefore = script
  }
  return count === 0 ? 0 : sum / count
}

/** Marks in front of words, which nobody sets behind a letter. */
const isOpening = /[„‚†‡]/
const isPunctuation = /[\p{P}\p{Z}]/u
const isUsualSign = /[\p{P}\p{Z}€°]/u
const isEastAsian = (script: string) => ['han', 'kana', 'hangul', 'narrow'].includes(script)

function worthOf(
  sign: string,
  script: string | undefined,
  charset: string,
  familiar: ReadonlySet<string>,
): number {
  if (unusable.test(sign)) return -3
  switch (script) {
    case undefined:
      return isUsualSign.test(sign) ? 0.5 : -0.5
    case 'han':
      return worthOfHan(sign, charset)
    case 'kana':
      return japanese.includes(charset) ? 1 : -1
    case 'narrow':
      return -0.5
    case 'hangul':
      return isInDailyUse(sign, charset) ? 0.9 : 0
    case 'latin':
      return familiar.has(sign) ? 1 : -0.3
    case 'cyrillic':
      return familiar.has(sign) ? 1 : sign.toLowerCase() === sign ? 0.6 : 0.4
    case 'other':
      return -0.5
    default:
      return 0.87
  }
}

/** Of a sign right behind a letter, as in "¿o³æ" and "caf‚". */
function worthBehind(sign: string, scriptBefore: string): number {
  const isUsual = isPunctuation.test(sign) || isEastAsian(scriptBefore)
  return isUsual && !isOpening.test(sign) ? 0 : -0.5
}

function worthTogether(before: string, scriptBefore: string, sign: string, script: string): number {
  if (script === scriptBefore) {
    const isOdd = before !== before.toUpperCase() && sign !== sign.toLowerCase()
    return isOdd ? -1 : 0
  }
  // Japanese mixes its own, and no script stands within words of another.
  return isEastAsian(script) && isEastAsian(scriptBefore) ? 0 : -1
}
