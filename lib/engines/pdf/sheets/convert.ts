import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Result, Tools, Work } from '../../engine.ts'
import { runPython } from '../../sandbox/python.ts'
import { readablePdf } from '../docx/convert.ts'
import { layoutOf, type PageParts } from '../docx/layout.ts'
import type { Page } from '../docx/page.ts'
import { tablesOf } from '../docx/page-blocks.ts'
import { readPages } from '../docx/reading.ts'
import { SheetsOptions } from './capability.ts'
import { sheetsOf, textSheet } from './tables.ts'

/**
 * The tables of a PDF, a sheet each: those that are drawn with lines around their cells, and words that stand in columns
 * over several lines.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, INVALID_INPUT.
 */
export async function pdfToSheets(work: Work, tools: Tools): Promise<Result> {
  const { about, ...source } = await readablePdf(work, SheetsOptions.parse(work.options), tools)
  const { structure } = await readPages(source, tools, (done) =>
    tools.progress((done / source.pages.length) * 0.7, 'pages'),
  )
  const parts = new Map<Page, PageParts>()
  for (const page of structure.pages) {
    // Gives way to the clock and to a cancel between pages.
    await setImmediate()
    tools.signal.throwIfAborted()
    parts.set(page, { grids: tablesOf(page), pictures: [], labels: new Set() })
  }
  const { sections } = await layoutOf(structure, parts, tools.signal)
  const tables = sheetsOf(sections.flatMap(({ blocks }) => blocks))
  if (tables.length === 0) {
    tools.warn(
      'NO_TABLES',
      'No table was found: neither lines around cells nor words in columns. The sheet holds the text, line by line.',
    )
  }
  const described = join(tools.workDir, 'sheets.json')
  const sheets = tables.length > 0 ? tables : [textSheet(structure.pages)]
  await writeFile(described, JSON.stringify({ sheets, about }))
  const target = join(work.outDir, 'output.xlsx')
  await runPython('pdf/write_sheets.py', [described, target], tools)
  tools.progress(1)
  return { files: [{ path: target }], details: { pages: source.pages.length, tables: tables.length } }
}
