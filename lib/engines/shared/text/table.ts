import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import type { InputFile, Tools } from '../../engine.ts'
import { isNumberOrDate } from './csv-numbers.ts'
import { detectSeparator } from './csv-separator.ts'
import type { Charset } from './detect-charset.ts'
import { decodeFile, detectFileCharset } from './read-text.ts'
import type { TableOptions } from './table-options.ts'

/** A table in RFC 4180 format (CSV), in UTF-8. */
export interface TableCopy {
  readonly path: string
  readonly rows: number
  readonly columns: number
}

/**
 * Copies a table with any separator to CSV with commas. In the copy, quoted fields are text; unquoted fields are empty,
 * or unambiguously a number or a date (`isNumberOrDate`).
 */
export async function copyAsCsv(input: InputFile, options: TableOptions, tools: Tools): Promise<TableCopy> {
  const charset = await detectFileCharset(input, options.encoding, tools)
  try {
    return await writeCsv(input, { ...options, charset }, tools)
  } catch (error) {
    if (!(error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED')) throw error
    // Otherwise, a quote that is never closed, such as an inch mark, would make the rest of the file one field.
    return writeCsv(input, { ...options, charset, quote: false }, tools)
  }
}

interface CsvSettings extends TableOptions {
  readonly charset: Charset
  readonly quote?: false
}

async function writeCsv(input: InputFile, settings: CsvSettings, tools: Tools): Promise<TableCopy> {
  const path = join(tools.workDir, 'table.csv')
  const texts = normalizeLineEnds(decodeFile(input, settings.charset, tools))
  const firstLine = (await texts.next()).value ?? ''
  const { separator: delimiter, start } = detectSeparator(firstLine, input.format, settings.delimiter)
  const yieldTexts = async function* () {
    yield firstLine.slice(start)
    yield* texts
  }
  const quote = settings.quote ?? '"'
  const csvParser = parse({ ...parserOptions, delimiter, quote })
  let [rows, columns, blankLineCount] = [0, 0, 0]
  const yieldLines = async function* (records: AsyncIterable<readonly string[]>) {
    let writtenText = ''
    for await (const fields of records) {
      if (fields.length === 1 && fields[0] === '') {
        blankLineCount++
        continue
      }
      const isHeader = rows === 0 && settings.headers === true
      writtenText += `${'\n'.repeat(blankLineCount)}${fields.map((field) => quoteField(field, isHeader)).join(',')}\n`
      rows += blankLineCount + 1
      blankLineCount = 0
      columns = Math.max(columns, fields.length)
      if (writtenText.length < bufferedCharacters) continue
      yield writtenText
      writtenText = ''
    }
    yield writtenText
  }
  await pipeline(Readable.from(yieldTexts()), csvParser, yieldLines, createWriteStream(path))
  return { path, rows, columns }
}

/** Accepts rows of different lengths, and quotes within fields. */
const parserOptions = {
  record_delimiter: '\n',
  relax_column_count: true,
  relax_quotes: true,
} as const

const bufferedCharacters = 64 * 1024

/** Normalizes line ends to LF, so that tables with mixed line ends keep their rows. */
async function* normalizeLineEnds(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let endsWithCr = false
  for await (const text of texts) {
    const joinedText: string = endsWithCr ? `\r${text}` : text
    endsWithCr = joinedText.endsWith('\r')
    yield (endsWithCr ? joinedText.slice(0, -1) : joinedText).replaceAll(/\r\n?/g, '\n')
  }
  if (endsWithCr) yield '\n'
}

function quoteField(field: string, isText: boolean): string {
  if (field === '') return ''
  const trimmedField = field.trim()
  return !isText && isNumberOrDate(trimmedField) ? trimmedField : `"${field.replaceAll('"', '""')}"`
}
