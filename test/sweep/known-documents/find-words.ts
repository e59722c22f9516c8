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

/** Pandoc's reader drops the character after two escaped characters. */
const readRtf = (rtf: string) =>
  rtf
    .replaceAll(/\\u(-?\d+) ?(?:\?|\\'[\da-f]{2})?/gi, (_, code) =>
      String.fromCharCode(Number(code) & 0xffff),
    )
    .replaceAll(/\\'([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\[a-z]+-?\d* ?|[{}\r\n]/gi, '')

/**
 * Whether the text has the word, even if a narrow table cell breaks it in two. Lines of neighboring cells may then
 * stand between the two parts. All words end with a number, so a part without one is not a whole word.
 */
export function isWordFound(wordInAnyForm: string, textInAnyForm: string): boolean {
  const [word, text] = [wordInAnyForm.normalize('NFC'), textInAnyForm.normalize('NFC')]
  if (text.replaceAll(/\s/g, '').includes(word)) return true
  const pieces = new Set(text.split(/\s+/))
  return Array.from(word, (_, at) => [word.slice(0, at), word.slice(at)] as const).some(
    ([head, tail]) => !/\d$/.test(head) && pieces.has(head) && pieces.has(tail),
  )
}
