import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile, Tools } from '../engine.ts'

/**
 * Matches a table (FictionBook 2.1 has no nested tables). All patterns here take linear time, even if an end tag is
 * missing.
 */
const tablePattern = /<table\b[^<>]*>([^<]*(?:<(?!\/?table\b)[^<]*)*)<\/table>/g
const rowPattern = /<tr\b[^<>]*>([^<]*(?:<(?!\/?tr\b)[^<]*)*)<\/tr>/g
const cellEndPattern = /<\/t[hd]>\s*(?=<t[hd]\b)/g
const cellTagPattern = /<\/?t[hd]\b[^<>]*>/g

/**
 * Returns a copy of a FictionBook file in which each table row is a paragraph with " | " between the cells, because
 * pandoc drops tables.
 */
export async function convertRowsToParagraphs(input: InputFile, tools: Tools): Promise<InputFile> {
  const book = await readFile(input.path, 'utf8')
  if (!book.includes('<table')) return input
  const path = join(tools.workDir, 'rows.fb2')
  await writeFile(
    path,
    book.replaceAll(tablePattern, (_, rows: string) => toParagraphs(rows)),
  )
  return { ...input, path }
}

const toParagraphs = (rows: string) =>
  [...rows.matchAll(rowPattern)]
    .map(
      ([, cells = '']) => `<p>${cells.replaceAll(cellEndPattern, ' | ').replaceAll(cellTagPattern, '')}</p>`,
    )
    .join('')
