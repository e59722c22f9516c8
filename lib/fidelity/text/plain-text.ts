import { removeDrawings } from '../../engines/ffmpeg/ass-drawings.ts'
import { detectSeparator } from '../../engines/shared/text/csv-separator.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { countHtmlElements } from './count-elements.ts'
import { decodeTextFile, readIfAscii, type TextEncodingHint } from './decode-text.ts'
import { extractHtmlText, extractText } from './markup.ts'
import { removeFrontMatter, skippedMarkup } from './skipped-markup.ts'
import { WordCounts } from './word-counts.ts'

const urlPattern = /\b(?:https?|ftp|mailto|file):[^\s<>"')\]}|]{1,2000}/gi
/** Larger markup files are not counted; the limit is about a thousand pages. */
const maxMarkupBytes = 4 * 1024 * 1024

/** Counts the words of plain text. */
export async function readPlainText(
  bytes: FileBytes,
  _isResult: boolean,
  { encoding }: TextEncodingHint = {},
): Promise<ContentSummary> {
  const words = new WordCounts()
  const ascii = await readIfAscii(bytes, encoding)
  if (ascii) words.addAscii(ascii, 0, ascii.length)
  else words.add(await decodeTextFile(bytes, encoding))
  return { words, counts: {}, features: [] }
}

/** Removes markup that would be counted as words. */
export function removeMarkup(language: keyof typeof skippedMarkup, markedText: string): string {
  const text = skippedMarkup[language].reduce(
    (remainingText, pattern) => remainingText.replace(pattern, ' '),
    markedText,
  )
  return text.replaceAll(urlPattern, ' ')
}

/** Counts text in a markup language. In a result, markup only adds words, so it is not removed. */
export function createMarkupReader(language: keyof typeof skippedMarkup) {
  return async (
    bytes: FileBytes,
    isResult: boolean,
    { encoding }: TextEncodingHint = {},
  ): Promise<ContentSummary | undefined> => {
    if (isResult) return readPlainText(bytes, isResult)
    if (bytes.size > maxMarkupBytes) return undefined
    const words = new WordCounts()
    const text = (await decodeTextFile(bytes, encoding)).replaceAll('\r\n', '\n')
    words.add(removeMarkup(language, language === 'md' ? removeFrontMatter(text) : text))
    return { words, counts: {}, features: [] }
  }
}

/** Counts the words of an HTML page. */
export async function readHtml(
  bytes: FileBytes,
  _isResult: boolean,
  { encoding }: TextEncodingHint = {},
): Promise<ContentSummary> {
  const words = new WordCounts()
  const html = await decodeTextFile(bytes, encoding)
  words.add(extractHtmlText(html, { showsFallback: true }))
  return { words, counts: countHtmlElements(html), features: /<img\b/i.test(html) ? ['pictures'] : [] }
}

/** Counts XML with its text between tags. @param hiddenElements elements without readable text. */
export function createXmlReader(...hiddenElements: readonly string[]) {
  const names = new Set(hiddenElements)
  return async (
    bytes: FileBytes,
    _isResult: boolean,
    { encoding }: TextEncodingHint = {},
  ): Promise<ContentSummary> => {
    const words = new WordCounts()
    words.add(extractText(await decodeTextFile(bytes, encoding), names))
    return { words, counts: {}, features: [] }
  }
}

/** Counts the fields of a table (RFC 4180), with the separator that the engine detects. Results have commas or tabs. */
export function createTableReader(format: 'csv' | 'tsv') {
  return async (bytes: FileBytes, isResult: boolean, hint: TextEncodingHint): Promise<ContentSummary> => {
    const words = new WordCounts()
    const ascii = await readIfAscii(bytes, hint.encoding)
    const decodedText =
      ascii?.toString('latin1', 0, maxHeadLength) ?? (await decodeTextFile(bytes, hint.encoding))
    const head = decodedText.slice(0, maxHeadLength).replaceAll(/\r\n?/g, '\n')
    const { separator, start } = detectSeparator(
      head,
      format,
      isResult ? separatorByFormat[format] : hint.delimiter,
    )
    if (ascii) words.addAscii(ascii, start, ascii.length)
    else words.add(start > 0 ? decodedText.slice(start) : decodedText)
    const cells = countFilledFields(ascii ?? toUtf16Units(decodedText), start, separator)
    return { words, counts: { cells }, features: [] }
  }
}

function toUtf16Units(text: string): Uint16Array {
  const units = new Uint16Array(text.length)
  for (let at = 0; at < units.length; at++) units[at] = text.charCodeAt(at)
  return units
}

const separatorByFormat = { csv: ',', tsv: '\t' } as const
/** Number of characters that the engine uses to detect the separator. */
const maxHeadLength = 64 * 1024
const quoteCode = 34
const lineFeedCode = 10
const isLineEnd = (code: number) => code === lineFeedCode || code === 13

function countFilledFields(text: Buffer | Uint16Array, start: number, separator: string): number {
  const separatorCode = separator.charCodeAt(0)
  let count = 0
  let isQuoted = false
  let isFilled = false
  let closedAt = -1
  for (let at = start; at < text.length; at++) {
    const code = text[at] ?? lineFeedCode
    if (code === quoteCode) {
      // Within a word, a quote is a literal, such as for inches; in a quoted field, two quotes stand for one.
      if (isQuoted) closedAt = at
      isQuoted = !isQuoted && (!isFilled || closedAt === at - 1)
    } else if (!isQuoted && (code === separatorCode || isLineEnd(code))) {
      if (isFilled) count++
      isFilled = false
    } else if (code > 32) isFilled = true
  }
  return isFilled && !isQuoted ? count + 1 : count
}

/** Patterns for the start of a cue in each format. Some formats end a cue with an empty cue. */
const cueStartPatterns = {
  // A cue without text does not count.
  arrow: /-->(?:[^\n>]|(?<!--)>){0,200}\n(?=[ \t]{0,99}\S)/g,
  dialogue: /^Dialogue:/gm,
  paragraph: /<(?:\w{1,20}:)?p[\s>]/g,
  sync: /<sync\b[^<>]{0,200}>\s{0,20}(?:<p\b[^<>]{0,200}>)?\s{0,20}(?!&nbsp;\s{0,20}<|<\/?(?:p|sync)\b)\S/gi,
  stamp: /^\[\d{1,4}:\d[^\]\n]{0,20}\](?=[^\n]{0,20}\S)/gm,
  // The first cue may contain the frame rate, which does not count.
  frames: /^\{\d{1,9}\}\{\d{0,9}\}(?![\d.]{1,9}\s)/gm,
  deciseconds: /^\[\d{1,9}\]\[\d{0,9}\]/gm,
} as const

/** Parts of subtitles that contain letters but are not text. */
const nonTextPatterns = [
  /(?<=\n\n)(?:NOTE|STYLE|REGION)(?:[ \t][^\n]*)?(?:\n[^\n]+)*/g,
  /^(?:WEBVTT|NOTE|STYLE|REGION|Style:|Format:|Comment:).*$/gm,
  /^\[[a-z]{2,8}:[^\]\n]{0,300}\]$/gm,
  /\{[^{}\n]{0,500}\}/g,
  /\\[Nnh]/g,
  // Positions and names of cues.
  /\d -->[^\n]{0,200}/g,
  /(?<=\n\n)[^\n]{1,200}\n(?=[\d:.,]{5,20} {1,3}\n)/g,
]
/**
 * The format line of events; it may omit some of these fields: layer, start, end, style, name, three margins, effect.
 */
const eventFieldsPattern = /^\[Events\][ \t]{0,9}\n(?:[^[\n][^\n]*\n|\n)*?Format:([^\n]*)/im
const defaultFieldCount = 10

/** Returns the text of a line, its last field, which may contain commas. */
function readDialogue(source: string): string {
  const fieldCount = eventFieldsPattern.exec(source)?.[1]?.split(',').length ?? defaultFieldCount
  const lines = source.match(/^Dialogue:.*$/gm) ?? []
  return lines
    .map((line) =>
      line
        .split(',')
        .slice(fieldCount - 1)
        .join(','),
    )
    .join('\n')
}

export function createSubtitleReader(kind: keyof typeof cueStartPatterns) {
  return async (
    bytes: FileBytes,
    _isResult: boolean,
    { encoding }: TextEncodingHint = {},
  ): Promise<ContentSummary> => {
    const decodedText = (await decodeTextFile(bytes, encoding)).replaceAll('\r\n', '\n')
    const source = kind === 'dialogue' ? removeDrawings(decodedText) : decodedText
    const starts = source.match(cueStartPatterns[kind]) ?? []
    // Lines with the same timestamp form one cue.
    const cues = kind === 'stamp' ? new Set(starts).size : starts.length
    const dialogue = kind === 'dialogue' ? readDialogue(source) : source
    const text = nonTextPatterns.reduce(
      (remainingText, nonTextPattern) => remainingText.replaceAll(nonTextPattern, ' '),
      dialogue,
    )
    const words = new WordCounts()
    words.add(extractHtmlText(text))
    return { words, counts: { cues }, features: [] }
  }
}
