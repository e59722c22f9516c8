import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile, Tools } from '../engine.ts'

/** Table tags, and constructs whose content must not be searched for tags. */
const tableTagPattern =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|xmp|template)\b[\s\S]*?(?:<\/\1\s*>|$)|<(\/?)(table|thead|tbody|tfoot|tr|td|th)\b[^<>]*>/gi

/** Elements of a table that are open. */
interface OpenTable {
  section?: string | undefined
  row?: true | undefined
  cell?: string | undefined
}

/**
 * Adds the optional end tags of table cells, rows and sections
 * (https://html.spec.whatwg.org/multipage/syntax.html#optional-tags). Without them, pandoc reads only the text of a
 * table.
 */
export function closeTableTags(html: string): string {
  const tables: OpenTable[] = []
  return html.replaceAll(tableTagPattern, (tag, _hidden: unknown, endSlash?: string, tagName?: string) => {
    const name = tagName?.toLowerCase()
    const isEnd = endSlash === '/'
    if (name === 'table' && !isEnd) tables.push({})
    const table = tables.at(-1)
    if (name === undefined || !table) return tag
    if (name === 'table') return isEnd ? `${closeSection(tables.pop() ?? {})}${tag}` : tag
    return `${listMissingTags(table, name, isEnd)}${tag}`
  })
}

/** Returns the end and start tags to insert before the tag with this name. */
function listMissingTags(table: OpenTable, name: string, isEnd: boolean): string {
  if (name === 'td' || name === 'th') return isEnd ? handleCellEnd(table) : handleCellStart(table, name)
  if (name === 'tr') {
    const closingTags = isEnd ? closeCell(table) : closeRow(table)
    table.row = isEnd ? undefined : true
    return closingTags
  }
  const endTags = isEnd ? closeRow(table) : closeSection(table)
  table.section = isEnd ? undefined : name
  return endTags
}

function handleCellEnd(table: OpenTable): string {
  table.cell = undefined
  return ''
}

function handleCellStart(table: OpenTable, name: string): string {
  const closingTags = `${closeCell(table)}${table.row ? '' : '<tr>'}`
  table.row = true
  table.cell = name
  return closingTags
}

function closeCell(table: OpenTable): string {
  const end = table.cell === undefined ? '' : `</${table.cell}>`
  table.cell = undefined
  return end
}

function closeRow(table: OpenTable): string {
  const end = `${closeCell(table)}${table.row ? '</tr>' : ''}`
  table.row = undefined
  return end
}

function closeSection(table: OpenTable): string {
  const end = `${closeRow(table)}${table.section === undefined ? '' : `</${table.section}>`}`
  table.section = undefined
  return end
}

/** Returns the page with complete table tags, so that pandoc recognizes its tables. */
export async function fixTableTags(input: InputFile, tools: Tools): Promise<InputFile> {
  const html = await readFile(input.path, 'utf8')
  const closedHtml = closeTableTags(html)
  if (closedHtml === html) return input
  const path = join(tools.workDir, 'tables.html')
  await writeFile(path, closedHtml)
  return { ...input, path }
}
