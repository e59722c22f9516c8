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
  return run('pandoc', '-f', format === 'md' ? 'gfm' : format, '-t', 'plain', '--wrap=none', path)
}

/** Decodes RTF without pandoc, whose reader drops the character after an escaped one. */
const readRtf = (rtf: string) =>
  rtf
    .replaceAll(/\\u(-?\d+) ?(?:\?|\\'[\da-f]{2})?/gi, (_, code) =>
      String.fromCharCode(Number(code) & 0xffff),
    )
    .replaceAll(/\\'([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\[a-z]+-?\d* ?|[{}\r\n]/gi, '')

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
