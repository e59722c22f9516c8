import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import type { TextlessPdf } from './images.ts'

/** The pages without their text, to draw what is behind it. */
export async function removeText(path: string, pages: readonly number[], tools: Tools): Promise<TextlessPdf> {
  const out = join(tools.workDir, 'textless.pdf')
  // Ghostscript takes them in the order of the document, each once.
  const sorted = [...new Set(pages)].sort((a, b) => a - b)
  await tools.exec('gs', [
    ...['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-dFILTERTEXT', '-sDEVICE=pdfwrite'],
    ...[`-sPageList=${sorted.join(',')}`, '-o', out, path],
  ])
  return { path: out, pageOf: (number) => sorted.indexOf(number) + 1 }
}
