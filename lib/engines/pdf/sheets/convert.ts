import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { FormatId } from '../../../formats/index.ts'
import type { EngineResult, EngineWork, Tools } from '../../engine.ts'
import { runPython } from '../../sandbox/python.ts'
import { readablePdf } from '../docx/convert.ts'
import { layoutOf, type PageParts } from '../docx/layout.ts'
import { tablesOf } from '../docx/page-blocks.ts'
import type { Page } from '../docx/page-content.ts'
import { readPages } from '../docx/parse-pages.ts'
import { SheetsOptions } from './capability.ts'
import { csvOf } from './csv.ts'
import { type Sheet, sheetsOf, textSheet } from './tables.ts'

/**
 * The tables of a PDF, a sheet each, in CSV one below the other: those that are drawn with lines around their cells, and words that stand in columns
 * over several lines.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, INVALID_INPUT.
 */
export async function pdfToSheets(work: EngineWork, tools: Tools): Promise<EngineResult> {
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
  const sheets = tables.length > 0 ? tables : [textSheet(structure.pages)]
  if (tables.length > 0) tellWhatIsOutside(wordsOn(structure.pages), tables, work.to, tools)
  const target = join(work.outDir, `output.${work.to}`)
  if (work.to === 'csv') await writeFile(target, csvOf(sheets))
  else {
    const described = join(tools.workDir, 'sheets.json')
    await writeFile(described, JSON.stringify({ sheets, about }))
    await runPython('pdf/write_sheets.py', [described, target], tools)
  }
  tools.progress(1)
  return { files: [{ path: target }], details: { pages: source.pages.length, tables: tables.length } }
}

function tellWhatIsOutside(all: number, tables: readonly Sheet[], to: FormatId, tools: Tools): void {
  const inside = tables.flatMap(({ cells }) => cells).reduce((sum, { text }) => sum + wordsIn(text), 0)
  if (inside >= all) return
  const kept = tables.length === 1 ? 'the table was' : `the ${tables.length} tables were`
  const where =
    tables.length === 1 ? '' : to === 'csv' ? ', one below the other' : ', each in a sheet of its own'
  tools.warn('TABLES_ONLY', `Only ${kept} kept${where}: ${inside} of ${all} words stand in tables.`)
}

const wordsOn = (pages: readonly Page[]) =>
  pages.flatMap(({ pieces }) => pieces.flat()).reduce((sum, { text }) => sum + wordsIn(text), 0)

const wordsIn = (text: string) => text.match(/\S+/g)?.length ?? 0
