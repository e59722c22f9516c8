import { readFileSync } from 'node:fs'
import type { FormatId } from '../../../lib/formats/index.ts'
import type { Run } from './makers.ts'

/** Parts of a ZIP-based document that contain its text. */
const textMembers: Partial<Record<FormatId, string>> = {
  odt: 'content.xml',
  docx: 'word/document.xml',
  xlsx: 'xl/*.xml',
  pptx: 'ppt/slides/*.xml',
}

/** Returns the text of a file, as programs read it that did not convert it. */
export function readText(run: Run, path: string, format: FormatId): string {
  if (format === 'pdf') return run('pdftotext', path, '-')
  // Pandoc's readers drop the head rows of OpenDocument tables, and Word tables without a grid, which calibre writes.
  const member = textMembers[format]
  if (member) return run('unzip', '-p', path, member).replaceAll(/<[^>]*>/g, '')
  if (format === 'rtf') return readRtf(readFileSync(path, 'latin1'))
  if (format === 'txt' || format === 'csv') return readFileSync(path, 'utf8')
  if (format !== 'md') return readWithPandoc(run, path, format)
  // Pandoc writes HTML tables of Markdown to web pages, but drops them from plain text.
  const pagePath = `${path}.page.html`
  run('pandoc', '-f', 'gfm', '-t', 'html', '-o', pagePath, path)
  return readWithPandoc(run, pagePath, 'html')
}

const readWithPandoc = (run: Run, path: string, reader: string) =>
  run('pandoc', '-f', reader, '-t', 'plain', '--wrap=none', path)

/** Control word, `\'xx`, control symbol, start or end of a group, and character. */
const rtfTokenPattern = /\\([a-z]+)(-?\d+)? ?|\\'([\da-f]{2})|\\(.)|([{}])|([^\\{}\r\n])/gi

/**
 * Decodes RTF without pandoc, whose reader drops the character after an escaped one. `\ucN` is the number of bytes
 * after each escaped character, for programs without Unicode.
 */
function readRtf(rtf: string): string {
  let text = ''
  let fallbackLength = 1
  let bytesToSkip = 0
  const outerFallbackLengths: number[] = []
  for (const [, word, value, hex = '', , brace, character] of rtf.matchAll(rtfTokenPattern)) {
    if (brace === '{') outerFallbackLengths.push(fallbackLength)
    else if (brace) fallbackLength = outerFallbackLengths.pop() ?? 1
    if (word === 'uc') fallbackLength = Number(value)
    if (word === 'u') text += String.fromCharCode(Number(value) & 0xffff)
    if (word || brace) bytesToSkip = word === 'u' ? fallbackLength : 0
    else if (bytesToSkip > 0) bytesToSkip--
    else text += character ?? Buffer.from(hex, 'hex').toString('latin1')
  }
  return text
}

/**
 * Returns the words that are not in the text. Narrow table cells break words, even within their numbers, and lines of
 * neighboring cells may stand between the parts. A part that is another word of the document does not count.
 */
export function findLostWords(words: readonly string[], text: string): string[] {
  const normalizedText = text.normalize('NFC')
  const textWithoutSpaces = normalizedText.replaceAll(/\s/g, '')
  const otherWords = new Set(words.map((word) => word.normalize('NFC')))
  const parts = new Set(normalizedText.split(/\s+/).filter((part) => part !== '' && !otherWords.has(part)))
  const hasParts = (word: string): boolean =>
    parts.has(word) ||
    Array.from(word, (_, at) => at).some((at) => parts.has(word.slice(0, at)) && hasParts(word.slice(at)))
  return words.filter((word) => {
    const normalizedWord = word.normalize('NFC')
    return !textWithoutSpaces.includes(normalizedWord) && !hasParts(normalizedWord)
  })
}
