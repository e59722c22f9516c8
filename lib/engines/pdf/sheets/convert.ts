import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { FormatId } from '../../../formats/index.ts'
import type { EngineResult, EngineWork, Tools } from '../../engine.ts'
import { runPython } from '../../sandbox/python.ts'
import { openReadablePdf, warnAboutOcr } from '../docx/convert.ts'
import { buildLayout, type PageParts } from '../docx/layout.ts'
import { findRuledTables } from '../docx/page-blocks.ts'
import type { PageContent } from '../docx/page-content.ts'
import { parsePages } from '../docx/parse-pages.ts'
import { SheetsOptions } from './capability.ts'
import { toCsv } from './csv.ts'
import { createTextWorksheet, toWorksheets, type Worksheet } from './tables.ts'

/**
 * Extracts the tables of a PDF, both those with rules around their cells and words aligned in columns over several
 * lines. Each table becomes a sheet; in CSV, the tables follow each other.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, INVALID_INPUT.
 */
export async function pdfToSheets(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const options = SheetsOptions.parse(work.options)
  const { documentInfo, pagesRecognized: read, ...source } = await openReadablePdf(work, options, tools)
  const { structure, pagesRecognized } = await parsePages(source, tools, (donePages) =>
    tools.progress((donePages / source.pages.length) * 0.7, 'pages'),
  )
  warnAboutOcr([...new Set([...(read ?? []), ...pagesRecognized])], tools)
  const partsByPage = new Map<PageContent, PageParts>()
  for (const page of structure.pages) {
    // Lets timers and cancellation run between pages.
    await setImmediate()
    tools.signal.throwIfAborted()
    partsByPage.set(page, { grids: findRuledTables(page), images: [], labels: new Set() })
  }
  const { sections } = await buildLayout(structure, partsByPage, tools.signal)
  const tables = toWorksheets(sections.flatMap(({ blocks }) => blocks))
  if (tables.length === 0) {
    tools.warn(
      'NO_TABLES',
      'No tables were found: neither rules around cells nor words in columns. The sheet contains the text, line by line.',
    )
  }
  const sheets = tables.length > 0 ? tables : [createTextWorksheet(structure.pages)]
  if (tables.length > 0) warnAboutTextOutsideTables(countPageWords(structure.pages), tables, work.to, tools)
  const targetPath = join(work.outDir, `output.${work.to}`)
  if (work.to === 'csv') await writeFile(targetPath, toCsv(sheets))
  else {
    const sheetsJsonPath = join(tools.workDir, 'sheets.json')
    await writeFile(sheetsJsonPath, JSON.stringify({ sheets, about: documentInfo }))
    await runPython('pdf/write_sheets.py', [sheetsJsonPath, targetPath], tools)
  }
  tools.progress(1)
  return { files: [{ path: targetPath }], details: { pages: source.pages.length, tables: tables.length } }
}

function warnAboutTextOutsideTables(
  totalWordCount: number,
  tables: readonly Worksheet[],
  to: FormatId,
  tools: Tools,
): void {
  const tableWordCount = tables
    .flatMap(({ cells }) => cells)
    .reduce((sum, { text }) => sum + countWords(text), 0)
  if (tableWordCount >= totalWordCount) return
  const keptTablesPhrase = tables.length === 1 ? 'the table was' : `the ${tables.length} tables were`
  const placeOfText =
    tables.length === 1 ? '' : to === 'csv' ? ', one below the other' : ', each in its own sheet'
  tools.warn(
    'TABLES_ONLY',
    `Only ${keptTablesPhrase} converted${placeOfText}: ${tableWordCount} of ${totalWordCount} words are in tables.`,
  )
}

const countPageWords = (pages: readonly PageContent[]) =>
  pages
    .flatMap(({ textSegments }) => textSegments.flat())
    .reduce((sum, { text }) => sum + countWords(text), 0)

const countWords = (text: string) => text.match(/\S+/g)?.length ?? 0
