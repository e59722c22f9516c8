import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import type { InputFile, Tools } from '../engine.ts'
import { isCountable } from './csv-numbers.ts'
import type { Charset } from './detect-charset.ts'
import { charsetOfFile, decoded } from './read-text.ts'
import { separatorOf } from './csv-separator.ts'
import type { TableOptions } from './table-options.ts'

/** A table as RFC 4180 has it, in UTF-8. */
export interface TableCopy {
  readonly path: string
  readonly rows: number
  readonly columns: number
}

/**
 * A copy of a table with commas, whatever parts its fields, in which quotes mean text: what stands without is surely a
 * number or a date (`isCountable`), or empty.
 */
export async function tableCopy(input: InputFile, wanted: TableOptions, tools: Tools): Promise<TableCopy> {
  const charset = await charsetOfFile(input, wanted.encoding, tools)
  try {
    return await copy(input, { ...wanted, charset }, tools)
  } catch (error) {
    if (!(error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED')) throw error
    // One that nobody closes is no quote but a sign, as of inches: otherwise all that follows it were one field.
    return copy(input, { ...wanted, charset, quote: false }, tools)
  }
}

interface Reading extends TableOptions {
  readonly charset: Charset
  readonly quote?: false
}

async function copy(input: InputFile, reading: Reading, tools: Tools): Promise<TableCopy> {
  const path = join(tools.workDir, 'table.csv')
  const texts = unixLines(decoded(input, reading.charset, tools))
  const first = (await texts.next()).value ?? ''
  const { separator: delimiter, start } = separatorOf(first, input.format, reading.delimiter)
  const source = async function* () {
    yield first.slice(start)
    yield* texts
  }
  const quote = reading.quote ?? '"'
  const table = parse({ ...tolerant, delimiter, quote })
  let [rows, columns, blank] = [0, 0, 0]
  const lines = async function* (records: AsyncIterable<readonly string[]>) {
    let written = ''
    for await (const fields of records) {
      if (fields.length === 1 && fields[0] === '') {
        blank++
        continue
      }
      const isHeader = rows === 0 && reading.headers === true
      written += `${'\n'.repeat(blank)}${fields.map((field) => quoted(field, isHeader)).join(',')}\n`
      rows += blank + 1
      blank = 0
      columns = Math.max(columns, fields.length)
      if (written.length < lettersAtOnce) continue
      yield written
      written = ''
    }
    yield written
  }
  await pipeline(Readable.from(source()), table, lines, createWriteStream(path))
  return { path, rows, columns }
}

/** Rows need not be of the same length, and quotes within words are signs. */
const tolerant = {
  record_delimiter: '\n',
  relax_column_count: true,
  relax_quotes: true,
} as const

const lettersAtOnce = 64 * 1024

/** With one kind of line end, so that a table of two kinds keeps its rows. */
async function* unixLines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let isHalf = false
  for await (const text of texts) {
    const whole: string = isHalf ? `\r${text}` : text
    isHalf = whole.endsWith('\r')
    yield (isHalf ? whole.slice(0, -1) : whole).replaceAll(/\r\n?/g, '\n')
  }
  if (isHalf) yield '\n'
}

function quoted(field: string, isText: boolean): string {
  if (field === '') return ''
  const bare = field.trim()
  return !isText && isCountable(bare) ? bare : `"${field.replaceAll('"', '""')}"`
}
