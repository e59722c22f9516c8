import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { readEbookText } from '../engines/support/inspect-ebook.ts'
import { readStdout } from '../engines/support/inspect-result.ts'

/**
 * Returns all text that can be found in a file without knowing its format: members of a ZIP, PDF and PostScript with
 * their readers, 8-bit and 16-bit characters. The text is returned twice: with tags removed, and with tags replaced by
 * spaces.
 */
async function readAnyText(path: string): Promise<string> {
  const bytes = await readFile(path)
  const start = bytes.toString('latin1', 0, 1024)
  if (start.includes('%PDF-')) return readStdout('pdftotext', '-q', path, '-')
  if (start.startsWith('%!PS') || start.startsWith('\xc5\xd0\xd3\xc6')) {
    return readStdout(
      'gs',
      '-q',
      '-dSAFER',
      '-dBATCH',
      '-dNOPAUSE',
      '-sDEVICE=txtwrite',
      '-sOutputFile=-',
      path,
    )
  }
  const book = await readEbookText(path)
  if (book !== undefined) return decodeBytes(Buffer.from(book))
  if (start.startsWith('\x1f\x8b')) return decodeBytes(gunzipSync(bytes))
  return decodeBytes(bytes)
}

/** Parts of a ZIP-based document that contain its text. */
const bodyMemberPattern =
  /(^|\/)(content\.xml|document\.xml|sharedStrings\.xml|slide\d+\.xml|page\d+\.xml|sheet\d+\.bin|[^/]+\.(xhtml|html?|fpage))$/

/** Returns the words of a document, if its text can be read without the program of its format. */
export async function readExpectedWords(path: string): Promise<string[]> {
  const bytes = await readFile(path)
  const start = bytes.toString('latin1', 0, 1024)
  // The text of the email samples is not encoded.
  if (path.endsWith('.eml')) return splitWords(bytes.toString().replace(/^.*?\r?\n\r?\n/s, ''))
  const text = await readAnyText(path)
  if (start.includes('%PDF-') || start.startsWith('%!PS')) return splitWords(text)
  const body = start.startsWith('PK\x03\x04')
    ? await readZipBody(path)
    : /^[\s\ufeff]*</.test(bytes.toString())
      ? bytes.toString()
      : ''
  const uniformOfficeText = extractUniformOfficeText(body)
  if (uniformOfficeText !== '') return splitWords(uniformOfficeText)
  const words = splitWords(stripTags(/<(\w+:)?body[\s>].*$/is.exec(body)?.[0] ?? body, ' '))
  // Other parts of a package, such as images and font names, can contain any word.
  const foundMarkers = start.startsWith('PK') ? [] : markers.filter((word) => containsWord(text, word))
  // Fewer than three markers prove nothing, because a program may write them itself.
  return words.length > 0 ? words : foundMarkers.length > 2 ? foundMarkers : []
}

/** Returns the text of a Uniform Office file without style names and placeholders of slide masters. */
function extractUniformOfficeText(xml: string): string {
  const shapes = xml.split('<图:图形').filter((shape) => !shape.includes('Click to edit'))
  return shapes
    .flatMap((shape) => [...shape.matchAll(/<字:文本串[^>]*>([^<]*)</g)].map(([, said]) => said))
    .join(' ')
}

async function readZipBody(path: string): Promise<string> {
  const names = (await readStdout('bsdtar', '-tf', path))
    .split('\n')
    .filter((name) => bodyMemberPattern.test(name))
  const xml = names.length > 0 ? await readStdout('bsdtar', '-xOf', path, ...names) : ''
  // XPS stores text in attributes, and Windows writes it in UTF-16.
  return xml.replaceAll('\0', '').replaceAll(/\bUnicodeString="([^"]*)"/g, '>$1<')
}

/**
 * For files whose text cannot be isolated: words that nearly every sample contains, but that programs hardly ever write
 * themselves.
 */
const markers = ['apple', 'pear', 'nested', 'quoted', 'price', 'italic']

/** Returns the words of a text without color codes and the office suite's own metadata. */
const splitWords = (text: string) => [
  ...new Set(
    (text.toLowerCase().match(/\p{Script=Latin}{4,24}/gu) ?? [])
      .filter((word) => !/^([a-f]+|true|false|libreoffice|linux|project|build|inch|portrait)$/.test(word))
      .slice(0, 200),
  ),
]

const containsWord = (text: string, word: string) => text.includes(word)

/** Returns how many of these words occur in the file. */
export async function countWordsFound(path: string, words: readonly string[]): Promise<number> {
  const text = (await readAnyText(path)).toLowerCase().normalize('NFC')
  return words.filter((word) => containsWord(text, word.normalize('NFC'))).length
}

// Buffer's utf16le decoder is unsafe here: Node 24 frees memory twice for a buffer that starts at an odd address.
const utf16Decoder = new TextDecoder('utf-16le')

function decodeBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return [
    text,
    stripTags(text, ' '),
    stripTags(text, ''),
    text.replaceAll(/=\r?\n/g, ''),
    bytes.toString('latin1'),
    utf16Decoder.decode(bytes),
    utf16Decoder.decode(bytes.subarray(1)),
  ]
    .join('\n')
    .toLowerCase()
}

function stripTags(text: string, replacement: string): string {
  return text
    .replaceAll(/<(style|script|office:binary-data|w:binData|w:instrText)\b.*?<\/\1>/gis, replacement)
    .replaceAll(/<[^>]*>/g, replacement)
    .replaceAll(/&[a-z]{2,8};/gi, replacement)
    .replaceAll(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_, hex: string | undefined, decimal: string) =>
      String.fromCodePoint(Math.min(0x10ffff, hex ? Number.parseInt(hex, 16) : Number(decimal))),
    )
}
