import type { FormatId } from '../../formats/index.ts'
import type { EngineWork, InputFile, Tools } from '../engine.ts'
import { inlineEmbeddedContent } from '../shared/text/inline-frames.ts'
import { copyAsUtf8 } from '../shared/text/read-text.ts'
import type { TableCopy } from '../shared/text/table.ts'
import { TableOptions } from '../shared/text/table-options.ts'

interface OfficeSource {
  readonly path: string
  /** Whether the first row of the sheet contains the column names. */
  readonly headers?: boolean
}

/**
 * Returns a file that LibreOffice reads correctly. Plain text and tables are copied to a known encoding and separator.
 * A workbook that LibreOffice would not find in its OLE file is copied out of that file.
 */
export async function prepareOfficeSource(
  { from, to, options }: EngineWork,
  input: InputFile,
  tools: Tools,
): Promise<OfficeSource> {
  const tableOptions = TableOptions.parse(options)
  switch (from) {
    case 'csv':
    case 'tsv': {
      const { copyAsCsv } = await import('../shared/text/table.ts')
      const table = await copyAsCsv(input, tableOptions, tools)
      warnAboutSheetLimits(table, to, tools)
      return { path: table.path, ...(tableOptions.headers && { headers: true }) }
    }
    case 'txt':
      return { path: await copyAsUtf8(input, tools, tableOptions) }
    case 'html': {
      // Without a byte order mark, a page that declares no charset is read as Western European.
      const path = await copyAsUtf8(input, tools, { ...tableOptions, withByteOrderMark: true })
      return { path: await inlineEmbeddedContent(path, tools) }
    }
    case 'xls':
    case 'xlt': {
      const { extractUnlinkedWorkbook } = await import('./unlinked-workbook.ts')
      return { path: (await extractUnlinkedWorkbook(input.path, tools)) ?? input.path }
    }
    default:
      return { path: input.path }
  }
}

/** Sheet limits of LibreOffice. */
const sheetLimits = { rows: 1_048_576, columns: 16_384 }
/** Sheet limits of Excel before 2007. */
const oldSheetLimits = { rows: 65_536, columns: 256 }
const oldFormats: readonly FormatId[] = ['xls', 'xlt']

function warnAboutSheetLimits({ rows, columns }: TableCopy, to: FormatId, tools: Tools): void {
  const max = oldFormats.includes(to) ? oldSheetLimits : sheetLimits
  const hint = max === oldSheetLimits ? ' An xlsx can store more.' : ''
  if (rows > max.rows) {
    tools.warn(
      'ROWS_DROPPED',
      `The first ${max.rows} of ${rows} rows were converted, which is the limit of ${to}.${hint}`,
    )
  }
  if (columns > max.columns) {
    tools.warn(
      'COLUMNS_DROPPED',
      `The first ${max.columns} of ${columns} columns were converted, which is the limit of ${to}.${hint}`,
    )
  }
}
