import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import type { TextlessPdf } from './images.ts'

/** Writes a PDF of the pages without their text, to render what is behind it. */
export async function removeText(path: string, pages: readonly number[], tools: Tools): Promise<TextlessPdf> {
  const out = join(tools.workDir, 'textless.pdf')
  // Ghostscript writes each page once, in document order.
  const sortedPages = [...new Set(pages)].sort((a, b) => a - b)
  await tools.exec('gs', [
    ...['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-dFILTERTEXT', '-sDEVICE=pdfwrite'],
    ...[`-sPageList=${sortedPages.join(',')}`, '-o', out, path],
  ])
  return { path: out, pageOf: (number) => sortedPages.indexOf(number) + 1 }
}
