import chardet from 'chardet'
import type { FormatId } from '../../../formats/index.ts'
import { detectUtf16 } from '../../../formats/utf16.ts'
import { findCharset } from './charsets.ts'
import { decodeText } from './decode.ts'
import { ratePlausibility } from './plausibility.ts'

/** Parts of a text file that are needed to detect its encoding. */
export interface TextSample {
  /** Bytes from the start of the file. */
  readonly head: Uint8Array
  /** Bytes from the first non-ASCII byte on, which may be far into the file. */
  readonly bytesFromNonAscii: Uint8Array
  /** Whether the whole file is valid UTF-8. */
  readonly isUtf8: boolean
}

export interface Charset {
  /** Name in the Encoding Standard, a DOS code page, or UTF-32. */
  readonly name: string
  /** How the encoding was determined; only a guess can be wrong. */
  readonly source: 'mark' | 'request' | 'bytes' | 'declaration' | 'guess'
}

/** Detects the encoding. A byte order mark takes precedence over everything, as in browsers (Encoding Standard, 6). */
export function detectCharset(text: TextSample, format: FormatId, requestedCharset?: string): Charset {
  const { head, bytesFromNonAscii, isUtf8 } = text
  const byteOrderMark = detectByteOrderMark(head)
  if (byteOrderMark) return { name: byteOrderMark, source: 'mark' }
  if (requestedCharset !== undefined) return { name: requestedCharset, source: 'request' }
  const utf16 = detectUtf16(head)
  if (utf16) return { name: utf16, source: 'bytes' }
  if (isUtf8) return { name: isIso2022Jp(head) ? 'iso-2022-jp' : 'utf-8', source: 'bytes' }
  const declaredCharset = findDeclaredCharset(head, format)
  if (declaredCharset !== undefined && declaredCharset !== 'utf-8')
    return { name: declaredCharset, source: 'declaration' }
  return { name: guessCharset(bytesFromNonAscii), source: 'guess' }
}

function detectByteOrderMark([firstByte, secondByte, thirdByte, fourthByte]: Uint8Array): string | undefined {
  // The byte order mark of UTF-32 starts with that of UTF-16, but no UTF-16 text starts with a null character.
  if (firstByte === 0xff && secondByte === 0xfe && thirdByte === 0 && fourthByte === 0) return 'utf-32le'
  if (firstByte === 0 && secondByte === 0 && thirdByte === 0xfe && fourthByte === 0xff) return 'utf-32be'
  if (firstByte === 0xef && secondByte === 0xbb && thirdByte === 0xbf) return 'utf-8'
  if (firstByte === 0xff && secondByte === 0xfe) return 'utf-16le'
  return firstByte === 0xfe && secondByte === 0xff ? 'utf-16be' : undefined
}

/** Whether the text is ISO-2022-JP, once common in emails: ASCII bytes with escapes to Japanese and back. */
function isIso2022Jp(sample: Uint8Array): boolean {
  if (!sample.includes(0x1b)) return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for escapes.
  return /\x1b\$[@B][\s\S]*\x1b\([BJ]/.test(toLatin1(sample))
}

const toLatin1 = (bytes: Uint8Array, end = bytes.length) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', 0, end)

// The patterns match only the name of the encoding, so that it can be replaced.
const metaCharsetPattern = /(?=[\w:.-])(?<=<meta\b[^<>]{0,200}\bcharset\s{0,9}=\s{0,9}["']?\s{0,9})[\w:.-]+/i
const xmlEncodingPattern = /(?<=^\s*<\?xml\b[^>]{0,100}?\bencoding\s*=\s*["'])[\w:.-]+/i
const declarationPatterns: Readonly<Partial<Record<FormatId, readonly RegExp[]>>> = {
  html: [xmlEncodingPattern, metaCharsetPattern],
  smi: [metaCharsetPattern],
  ttml: [xmlEncodingPattern],
  dbk: [xmlEncodingPattern],
  xml: [xmlEncodingPattern],
  jats: [xmlEncodingPattern],
  opml: [xmlEncodingPattern],
  fb2: [xmlEncodingPattern],
  tex: [/(?<=\\usepackage\s*\[)[\w-]+(?=\]\s*\{inputenc\})/],
  rtf: [/(?<=\\ansicpg)\d{3,5}/],
}
const maxDeclarationOffset = 4096

/** Returns the encoding that a file declares. UTF-16 is ignored: the declaration would not be readable as ASCII. */
export function findDeclaredCharset(sample: Uint8Array, format: FormatId): string | undefined {
  const head = toLatin1(sample, maxDeclarationOffset)
  for (const pattern of declarationPatterns[format] ?? []) {
    const label = pattern.exec(head)?.[0] ?? ''
    const name = findCharset(/^\d+$/.test(label) ? `cp${label}` : label)
    if (name !== undefined && !name.startsWith('utf-16')) return name
  }
  return undefined
}

/**
 * Changes the declared encoding to UTF-8 for a UTF-8 copy. An RTF file keeps its declaration, because its escapes refer
 * to it.
 */
export function declareUtf8(text: string, format: FormatId): string {
  if (format === 'rtf') return text
  const head = (declarationPatterns[format] ?? []).reduce(
    (source, pattern) => source.replace(pattern, format === 'tex' ? 'utf8' : 'utf-8'),
    text.slice(0, maxDeclarationOffset),
  )
  return head + text.slice(maxDeclarationOffset)
}

/**
 * Encodings to consider for texts without a declared encoding, most common first. UTF-8 and UTF-16 are detected
 * reliably.
 */
const candidateCharsets = [
  ...[
    'windows-1252',
    'windows-1250',
    'windows-1254',
    'windows-1251',
    'koi8-r',
    'koi8-u',
    'ibm866',
    'iso-8859-5',
  ],
  ...['windows-1253', 'iso-8859-7', 'windows-1255', 'windows-1256', 'iso-8859-6', 'iso-8859-2'],
  ...['windows-874', 'shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'],
]
/**
 * DOS and old Mac encodings: their letters share codes with Windows quotation marks and dashes, which are more common.
 */
const legacyCharsets = ['cp850', 'cp437', 'cp852', 'macintosh']
const legacyPenalty = -0.4
const relatedCharsets: Readonly<Record<string, readonly string[]>> = {
  'koi8-r': ['koi8-r', 'koi8-u'],
  'iso-8859-2': ['iso-8859-2', 'windows-1250'],
  'iso-8859-8': ['windows-1255'],
}

/** Maximum number of bytes for the letter statistics. */
const maxStatisticsBytes = 32 * 1024
/** Maximum number of bytes that are decoded in every candidate encoding. */
const maxDecodedBytes = 2 * 1024
/** Weight of the letter statistics relative to the plausibility; for short texts, the statistics are unreliable. */
const statisticsWeight = 0.5
const expectedBonus = 0.15
/** Maximum share of invalid sequences in text that is otherwise UTF-8. */
const maxDamagedShare = 0.1

/**
 * Guesses the encoding from the plausibility of the decoded text and from letter statistics of languages.
 * @param expected preferred among equally plausible encodings.
 */
export function guessCharset(bytes: Uint8Array, expected = 'windows-1252'): string {
  if (isDamagedUtf8(bytes)) return 'utf-8'
  const confidences = new Map<string, number>()
  for (const { name, confidence } of chardet.analyse(bytes.subarray(0, maxStatisticsBytes))) {
    const label = findCharset(name) ?? ''
    for (const relatedCharset of relatedCharsets[label] ?? [label])
      confidences.set(relatedCharset, Math.max(confidences.get(relatedCharset) ?? 0, confidence / 100))
  }
  const sample = bytes.subarray(0, maxDecodedBytes)
  const score = (name: string) =>
    ratePlausibility(decodeText(sample, name), name) +
    statisticsWeight * (confidences.get(name) ?? 0) +
    (name === expected ? expectedBonus : legacyCharsets.includes(name) ? legacyPenalty : 0)
  const [bestCharset] = [...new Set([expected, ...candidateCharsets, ...legacyCharsets])]
    .map((name) => ({ name, score: score(name) }))
    .sort((a, b) => b.score - a.score)
  return bestCharset?.name ?? expected
}

function isDamagedUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes)
  const nonAsciiCount = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0
  const damagedCount = text.match(/\ufffd/g)?.length ?? 0
  return nonAsciiCount > 0 && damagedCount <= nonAsciiCount * maxDamagedShare
}
