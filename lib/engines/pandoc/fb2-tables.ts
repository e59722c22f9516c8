import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile, Tools } from '../engine.ts'

/** Of FictionBook 2.1, which has no tables within tables. Each is passed over once, whether or not it ends. */
const table = /<table\b[^<>]*>([^<]*(?:<(?!\/?table\b)[^<]*)*)<\/table>/g
const row = /<tr\b[^<>]*>([^<]*(?:<(?!\/?tr\b)[^<]*)*)<\/tr>/g
const cellEnds = /<\/t[hd]>\s*(?=<t[hd]\b)/g
const cellMarks = /<\/?t[hd]\b[^<>]*>/g

/** pandoc leaves out the tables of a FictionBook: a copy has a paragraph for each row, with its cells divided by strokes. */
export async function rowsAsParagraphs(input: InputFile, tools: Tools): Promise<InputFile> {
  const book = await readFile(input.path, 'utf8')
  if (!book.includes('<table')) return input
  const path = join(tools.workDir, 'rows.fb2')
  await writeFile(
    path,
    book.replaceAll(table, (_, rows: string) => paragraphsOf(rows)),
  )
  return { ...input, path }
}

const paragraphsOf = (rows: string) =>
  [...rows.matchAll(row)]
    .map(([, cells = '']) => `<p>${cells.replaceAll(cellEnds, ' | ').replaceAll(cellMarks, '')}</p>`)
    .join('')
