import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { EngineResult, Tools } from '../../engine.ts'
import { unreadablePdf } from '../qpdf.ts'
import { finish, type Tool } from './editable-pdf.ts'
import { flattened } from './flatten.ts'
import { runScript } from './mutool.ts'
import { isDict, PdfObjects, type PdfValue, textOf } from './objects.ts'
import type { ToolOptions } from './options.ts'
import { removeHiding } from './sanitize.ts'

/**
 * Removes texts for good: letters, and pixels below them, under black boxes. Forms and comments become page
 * content first, so that their texts are removed as well; titles, outline and other texts lose the words.
 */
export const redact: Tool<ToolOptions<'redact-pdf'>> = async (job): Promise<EngineResult> => {
  const { pdf, options, tools } = job
  const terms = options.terms.map((term) => term.normalize('NFC'))
  const flat = await flattened(pdf, tools)
  const list = join(tools.workDir, 'terms.json')
  const blackened = join(tools.workDir, 'blackened.pdf')
  await writeFile(list, JSON.stringify(terms))
  const counts = (await runScript('redact', [flat, blackened, list], tools)).map(Number)
  tools.progress(0.6)
  const redactions = counts.reduce((sum, count) => sum + count, 0)
  if (redactions === 0) {
    const hint =
      (await textIn(blackened, tools)).trim() === '' ? ' It holds no text at all: use ocr-pdf first.' : ''
    tools.warn('NOTHING_TO_DO', `None of the terms stands on a page of the PDF.${hint}`)
  }
  const path = join(tools.workDir, 'redacted.pdf')
  await cleanTexts(blackened, path, terms, tools)
  await requireGone(path, terms, tools)
  const pages = counts.flatMap((count, index) => (count > 0 ? [index + 1] : []))
  return finish(job, path, { pages: pdf.sizes.length, redactions, redactedPages: pages })
}

async function cleanTexts(source: string, target: string, terms: readonly string[], tools: Tools) {
  const objects = await PdfObjects.load(source, tools)
  // Copies of pages, attached files and XMP may hold anything, and nobody sees them.
  removeHiding(objects, { keys: ['/Metadata', '/PieceInfo', '/Thumb'] })
  const pattern = new RegExp(terms.map(loosely).join('|'), 'giu')
  const cleaned = (value: PdfValue): PdfValue => {
    if (Array.isArray(value)) return value.map(cleaned)
    if (isDict(value)) {
      for (const key of Object.keys(value)) value[key] = cleaned(value[key] ?? null)
      return value
    }
    const text = textOf(value)
    return text === undefined ? value : `u:${text.normalize('NFC').replace(pattern, '█')}`
  }
  for (const ref of objects.refs) {
    const before = JSON.stringify(objects.resolve(ref))
    const after = cleaned(objects.resolve(ref))
    if (JSON.stringify(after) === before) continue
    if (isDict(after)) objects.touch(ref)
    else objects.set(ref, after)
  }
  await objects.save(target, tools)
}

/** Between words may stand any space, or the end of a line. */
function loosely(term: string): string {
  return term
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, (mark) => `\\${mark}`))
    .join('\\s+')
}

async function textIn(path: string, tools: Tools): Promise<string> {
  try {
    const { stdout } = await tools.exec('pdftotext', ['-q', '-enc', 'UTF-8', path, '-'])
    return stdout
  } catch (error) {
    throw unreadablePdf(error)
  }
}

/** Another reader than the one that removed them must not find them either. */
async function requireGone(path: string, terms: readonly string[], tools: Tools): Promise<void> {
  const text = (await textIn(path, tools)).normalize('NFC')
  const left = terms.findIndex((term) => new RegExp(loosely(term), 'iu').test(text))
  if (left < 0) return
  throw new AppError(
    'CONVERSION_FAILED',
    `Term number ${left + 1} could not be removed everywhere, so no file was made. It may run over the end of a line: send its parts.`,
    { field: 'terms', term: left + 1 },
  )
}
