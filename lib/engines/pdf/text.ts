import { appendFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputFile, Tools } from '../engine.ts'
import type { PageSelection } from './page-options.ts'
import { findConsecutiveRuns } from './page-range.ts'
import { toPdfError } from './qpdf.ts'

/** Writes the text of the pages in the order of the range, with a form feed after each page. */
export async function toText({ openedPdf, pages, outDir }: PageSelection, tools: Tools): Promise<OutputFile> {
  const path = join(outDir, 'output.txt')
  const chunkPath = join(tools.workDir, 'part.txt')
  let isEmpty = true
  for (const [firstPage, lastPage] of findConsecutiveRuns(pages)) {
    const rangeArgs = ['-f', String(firstPage), '-l', String(lastPage)]
    try {
      await tools.exec('pdftotext', [
        '-q',
        '-enc',
        'UTF-8',
        '-eol',
        'unix',
        ...rangeArgs,
        openedPdf.path,
        chunkPath,
      ])
    } catch (error) {
      throw toPdfError(error)
    }
    const text = normalizeTexText(await readFile(chunkPath, 'utf8'))
    await rm(chunkPath)
    isEmpty &&= text.trim() === ''
    await appendFile(path, text)
  }
  if (isEmpty) tools.warn('NO_TEXT', 'The pages contain no text, only images of it.')
  return { path }
}

/**
 * Fixes characters that older TeX fonts lack. Poppler returns an accent separately from its dotless base character, and
 * a bullet as a control character if its font has no encoding.
 */
function normalizeTexText(text: string): string {
  return text
    .replaceAll(/\p{L}[\u0300-\u036f]+/gu, (character) =>
      character.replace('\u0131', 'i').replace('\u0237', 'j').normalize('NFC'),
    )
    .replaceAll(/^( *)[\u0080-\u009f](?= )/gm, '$1•')
}
