import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { EngineResult, Tools } from '../../engine.ts'
import { runMupdf } from '../mupdf.ts'
import { toPdfError } from '../qpdf.ts'
import { finishPdf, type PdfTool } from './editable-pdf.ts'
import { flattenAnnotations } from './flatten.ts'
import { decodePdfText, isPdfDict, PdfObjects, type PdfValue } from './objects.ts'
import type { ToolOptions } from './options.ts'
import { removeHiddenContent } from './sanitize.ts'

/**
 * Removes terms permanently: characters, and the pixels below them, are replaced by black boxes. Forms and comments
 * become page content first, so that they are redacted too; titles, outline and other strings lose the terms.
 */
export const redactPdf: PdfTool<ToolOptions<'redact-pdf'>> = async (job): Promise<EngineResult> => {
  const { pdf, options, tools } = job
  const terms = options.terms.map((term) => term.normalize('NFC'))
  const flatPath = await flattenAnnotations(pdf, tools)
  const termsPath = join(tools.workDir, 'terms.json')
  const redactedPath = join(tools.workDir, 'blackened.pdf')
  await writeFile(termsPath, JSON.stringify(terms))
  const counts = await redactPages(flatPath, redactedPath, termsPath, tools)
  tools.progress(0.6)
  const redactions = counts.reduce((sum, count) => sum + count, 0)
  if (redactions === 0) {
    const hint =
      (await extractText(redactedPath, tools)).trim() === '' ? ' It contains no text: use ocr-pdf first.' : ''
    tools.warn('NOTHING_TO_DO', `None of the terms appears on a page of the PDF.${hint}`)
  }
  const path = join(tools.workDir, 'redacted.pdf')
  await redactStrings(redactedPath, path, terms, tools)
  await requireRemoved(path, terms, tools)
  const pages = counts.flatMap((count, index) => (count > 0 ? [index + 1] : []))
  return finishPdf(job, path, { pages: pdf.sizes.length, redactions, redactedPages: pages })
}

/** Redacts the terms. @returns their number of occurrences on each page. @throws AppError CORRUPT_FILE. */
async function redactPages(source: string, target: string, termsPath: string, tools: Tools) {
  try {
    const { stdout } = await runMupdf('redact', [source, target, termsPath], tools)
    return stdout.trim().split('\n').map(Number)
  } catch (error) {
    throw toPdfError(error)
  }
}

async function redactStrings(source: string, target: string, terms: readonly string[], tools: Tools) {
  const objects = await PdfObjects.load(source, tools)
  // Thumbnails, private data, attached files and XMP may contain the terms invisibly.
  removeHiddenContent(objects, { keys: ['/Metadata', '/PieceInfo', '/Thumb'] })
  const pattern = new RegExp(terms.map(toTermPattern).join('|'), 'giu')
  const redactValue = (value: PdfValue): PdfValue => {
    if (Array.isArray(value)) return value.map(redactValue)
    if (isPdfDict(value)) {
      for (const key of Object.keys(value)) value[key] = redactValue(value[key] ?? null)
      return value
    }
    const text = decodePdfText(value)
    return text === undefined ? value : `u:${text.normalize('NFC').replace(pattern, '█')}`
  }
  for (const ref of objects.refs) {
    const jsonBefore = JSON.stringify(objects.resolve(ref))
    const valueAfter = redactValue(objects.resolve(ref))
    if (JSON.stringify(valueAfter) === jsonBefore) continue
    if (isPdfDict(valueAfter)) objects.markChanged(ref)
    else objects.set(ref, valueAfter)
  }
  await objects.save(target, tools)
}

/** Matches a term whose words are separated by any white space, including a line break. */
function toTermPattern(term: string): string {
  return term
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, (character) => `\\${character}`))
    .join('\\s+')
}

async function extractText(path: string, tools: Tools): Promise<string> {
  try {
    const { stdout } = await tools.exec('pdftotext', ['-q', '-enc', 'UTF-8', path, '-'])
    return stdout
  } catch (error) {
    throw toPdfError(error)
  }
}

/** Checks the result with a different reader than the one that removed the terms. */
async function requireRemoved(path: string, terms: readonly string[], tools: Tools): Promise<void> {
  const text = (await extractText(path, tools)).normalize('NFC')
  const remainingTerm = terms.findIndex((term) => new RegExp(toTermPattern(term), 'iu').test(text))
  if (remainingTerm < 0) return
  throw new AppError(
    'CONVERSION_FAILED',
    `Term ${remainingTerm + 1} could not be removed everywhere, so no file was created. It may continue on the next line: send its parts as separate terms.`,
    { field: 'terms', term: remainingTerm + 1 },
  )
}
