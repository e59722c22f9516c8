import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile, Tools } from '../engine.ts'

/** Tags of tables, and what holds letters that are none. */
const tags =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|xmp|template)\b[\s\S]*?(?:<\/\1\s*>|$)|<(\/?)(table|thead|tbody|tfoot|tr|td|th)\b[^<>]*>/gi

/** What is open in a table. */
interface Open {
  part?: string | undefined
  row?: true | undefined
  cell?: string | undefined
}

/**
 * Writes out the ends of cells, rows and parts of tables, which HTML may leave out
 * (https://html.spec.whatwg.org/multipage/syntax.html#optional-tags). Pandoc reads no table then, only its words.
 */
export function withEndTags(html: string): string {
  const tables: Open[] = []
  return html.replaceAll(tags, (tag, _hidden: unknown, slash?: string, named?: string) => {
    const name = named?.toLowerCase()
    const isEnd = slash === '/'
    if (name === 'table' && !isEnd) tables.push({})
    const table = tables.at(-1)
    if (name === undefined || !table) return tag
    if (name === 'table') return isEnd ? `${endOfPart(tables.pop() ?? {})}${tag}` : tag
    return `${before(table, name, isEnd)}${tag}`
  })
}

/** What ends, or has to begin, where this tag stands. */
function before(table: Open, name: string, isEnd: boolean): string {
  if (name === 'td' || name === 'th') return isEnd ? atEndOfCell(table) : atCell(table, name)
  if (name === 'tr') {
    const ends = isEnd ? endOfCell(table) : endOfRow(table)
    table.row = isEnd ? undefined : true
    return ends
  }
  const ends = isEnd ? endOfRow(table) : endOfPart(table)
  table.part = isEnd ? undefined : name
  return ends
}

function atEndOfCell(table: Open): string {
  table.cell = undefined
  return ''
}

function atCell(table: Open, name: string): string {
  const ends = `${endOfCell(table)}${table.row ? '' : '<tr>'}`
  table.row = true
  table.cell = name
  return ends
}

function endOfCell(table: Open): string {
  const end = table.cell === undefined ? '' : `</${table.cell}>`
  table.cell = undefined
  return end
}

function endOfRow(table: Open): string {
  const end = `${endOfCell(table)}${table.row ? '</tr>' : ''}`
  table.row = undefined
  return end
}

function endOfPart(table: Open): string {
  const end = `${endOfRow(table)}${table.part === undefined ? '' : `</${table.part}>`}`
  table.part = undefined
  return end
}

/** A page is read with its tables. */
export async function withWholeTables(input: InputFile, tools: Tools): Promise<InputFile> {
  const html = await readFile(input.path, 'utf8')
  const whole = withEndTags(html)
  if (whole === html) return input
  const path = join(tools.workDir, 'tables.html')
  await writeFile(path, whole)
  return { ...input, path }
}
