import chardet from 'chardet'
import type { FormatId } from '../../formats/index.ts'
import { wideCharset } from '../../formats/utf16.ts'
import { charsetNamed } from './charsets.ts'
import { lettersOf } from './decode.ts'
import { plausibility } from './plausibility.ts'

/** Parts of a text file that are needed to detect its encoding. */
export interface TextBytes {
  /** The start of the file. */
  readonly head: Uint8Array
  /** A part that starts at the first non-ASCII byte, which may be far into the file. */
  readonly more: Uint8Array
  /** The whole file is valid UTF-8. */
  readonly isUtf8: boolean
}

export interface Charset {
  /** Name in the Encoding Standard, a DOS code page, or UTF-32. */
  readonly name: string
  /** How it was determined; only a guess can be wrong. */
  readonly by: 'mark' | 'request' | 'bytes' | 'declaration' | 'guess'
}

/** Detects the encoding. A byte order mark takes precedence over everything, as in browsers (Encoding Standard, 6). */
export function charsetOf(text: TextBytes, format: FormatId, requested?: string): Charset {
  const { head, more, isUtf8 } = text
  const marked = byMark(head)
  if (marked) return { name: marked, by: 'mark' }
  if (requested !== undefined) return { name: requested, by: 'request' }
  const wide = wideCharset(head)
  if (wide) return { name: wide, by: 'bytes' }
  if (isUtf8) return { name: switchesByEscape(head) ? 'iso-2022-jp' : 'utf-8', by: 'bytes' }
  const declared = declaredIn(head, format)
  if (declared !== undefined && declared !== 'utf-8') return { name: declared, by: 'declaration' }
  return { name: guessed(more), by: 'guess' }
}

function byMark([first, second, third, fourth]: Uint8Array): string | undefined {
  // The UTF-32 mark starts with that of UTF-16, where text would not start with a null character.
  if (first === 0xff && second === 0xfe && third === 0 && fourth === 0) return 'utf-32le'
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return 'utf-32be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** Whether the text is ISO-2022-JP, once common in emails: ASCII bytes with escapes to Japanese and back. */
function switchesByEscape(sample: Uint8Array): boolean {
  if (!sample.includes(0x1b)) return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is what is looked for.
  return /\x1b\$[@B][\s\S]*\x1b\([BJ]/.test(asLatin(sample))
}

const asLatin = (bytes: Uint8Array, end = bytes.length) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', 0, end)

// The patterns match only the name itself, so that it can be replaced.
const inTag = /(?<=<meta\b[^>]{0,200}?\bcharset\s*=\s*["']?\s*)[\w:.-]+/i
const inProlog = /(?<=^\s*<\?xml\b[^>]{0,100}?\bencoding\s*=\s*["'])[\w:.-]+/i
const declarations: Readonly<Partial<Record<FormatId, readonly RegExp[]>>> = {
  html: [inProlog, inTag],
  smi: [inTag],
  ttml: [inProlog],
  dbk: [inProlog],
  xml: [inProlog],
  jats: [inProlog],
  opml: [inProlog],
  fb2: [inProlog],
  tex: [/(?<=\\usepackage\s*\[)[\w-]+(?=\]\s*\{inputenc\})/],
  rtf: [/(?<=\\ansicpg)\d{3,5}/],
}
const declaredWithin = 4096

/** Returns the encoding that a file declares. UTF-16 is ignored: the declaration would not be readable as ASCII. */
export function declaredIn(sample: Uint8Array, format: FormatId): string | undefined {
  const head = asLatin(sample, declaredWithin)
  for (const pattern of declarations[format] ?? []) {
    const label = pattern.exec(head)?.[0] ?? ''
    const name = charsetNamed(/^\d+$/.test(label) ? `cp${label}` : label)
    if (name !== undefined && !name.startsWith('utf-16')) return name
  }
  return undefined
}

/** Changes the declared encoding to UTF-8 for a UTF-8 copy. RTF keeps it, because its escapes refer to it. */
export function renamedIn(text: string, format: FormatId): string {
  if (format === 'rtf') return text
  const head = (declarations[format] ?? []).reduce(
    (part, pattern) => part.replace(pattern, format === 'tex' ? 'utf8' : 'utf-8'),
    text.slice(0, declaredWithin),
  )
  return head + text.slice(declaredWithin)
}

/** Encodings to consider for texts that declare none, most common first. UTF-8 and UTF-16 are detected reliably. */
const candidates = [
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
/** DOS and old Mac encodings: their letters share codes with Windows quotation marks and dashes, which are more common. */
const outdated = ['cp850', 'cp437', 'cp852', 'macintosh']
const outdatedWeight = -0.4
const otherwiseCalled: Readonly<Record<string, readonly string[]>> = {
  'koi8-r': ['koi8-r', 'koi8-u'],
  'iso-8859-2': ['iso-8859-2', 'windows-1250'],
  'iso-8859-8': ['windows-1255'],
}

/** Bytes for the statistical analysis, and bytes that are decoded in every candidate encoding. */
const countedBytes = 32 * 1024
const readBytes = 2 * 1024
/** Weight of the statistics relative to plausibility; for short texts they are unreliable. */
const countingWeight = 0.5
const precedence = 0.15
/** Maximum share of invalid sequences in text that is otherwise UTF-8. */
const mostDamage = 0.1

/**
 * Guesses the encoding from the plausibility of the decoded text and from letter statistics of languages.
 * @param expected preferred among equally plausible encodings.
 */
export function guessed(bytes: Uint8Array, expected = 'windows-1252'): string {
  if (isDamagedUtf8(bytes)) return 'utf-8'
  const confidences = new Map<string, number>()
  for (const { name, confidence } of chardet.analyse(bytes.subarray(0, countedBytes))) {
    const label = charsetNamed(name) ?? ''
    for (const one of otherwiseCalled[label] ?? [label])
      confidences.set(one, Math.max(confidences.get(one) ?? 0, confidence / 100))
  }
  const sample = bytes.subarray(0, readBytes)
  const score = (name: string) =>
    plausibility(lettersOf(sample, name), name) +
    countingWeight * (confidences.get(name) ?? 0) +
    (name === expected ? precedence : outdated.includes(name) ? outdatedWeight : 0)
  const [best] = [...new Set([expected, ...candidates, ...outdated])]
    .map((name) => ({ name, score: score(name) }))
    .sort((a, b) => b.score - a.score)
  return best?.name ?? expected
}

function isDamagedUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes)
  const beyond = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0
  const damaged = text.match(/\ufffd/g)?.length ?? 0
  return beyond > 0 && damaged <= beyond * mostDamage
}
