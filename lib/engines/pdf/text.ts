import { appendFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputFile, Tools } from '../engine.ts'
import type { PageSelection } from './page-options.ts'
import { runsOf } from './page-range.ts'
import { unreadablePdf } from './qpdf.ts'

/** The text of the pages, in the order of the range, a form feed after each page. */
export async function toText({ opened, pages, outDir }: PageSelection, tools: Tools): Promise<OutputFile> {
  const path = join(outDir, 'output.txt')
  const part = join(tools.workDir, 'part.txt')
  let empty = true
  for (const [first, last] of runsOf(pages)) {
    const range = ['-f', String(first), '-l', String(last)]
    try {
      await tools.exec('pdftotext', ['-q', '-enc', 'UTF-8', '-eol', 'unix', ...range, opened.path, part])
    } catch (error) {
      throw unreadablePdf(error)
    }
    const text = inWholeLetters(await readFile(part, 'utf8'))
    await rm(part)
    empty &&= text.trim() === ''
    await appendFile(path, text)
  }
  if (empty) tools.warn('NO_TEXT', 'The pages hold no text, only pictures of it.')
  return { path }
}

/**
 * As TeX paints letters that its older fonts lack, and Poppler tells them: each accent by itself, over a letter without
 * its dot; a bullet whose font names no letters as a control character.
 */
function inWholeLetters(text: string): string {
  return text
    .replaceAll(/\p{L}[\u0300-\u036f]+/gu, (letter) =>
      letter.replace('\u0131', 'i').replace('\u0237', 'j').normalize('NFC'),
    )
    .replaceAll(/^( *)[\u0080-\u009f](?= )/gm, '$1•')
}
