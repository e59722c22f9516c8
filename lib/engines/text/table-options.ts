import * as z from 'zod'
import { flag, inputOption } from '../options.ts'
import { encoding } from './charsets.ts'

const words: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  '\\t': '\t',
  pipe: '|',
  space: ' ',
  colon: ':',
}

export const mark = (given: string) => words[given.toLowerCase()] ?? given

/** A separator must not be a letter, digit, quote or line break, which occur within fields. */
const isMark = (given: string) => given.toLowerCase() === 'auto' || /^[^\p{L}\p{N}"\r\n]$/u.test(mark(given))

export const tableShape = {
  encoding,
  delimiter: z
    .string()
    .max(10)
    .refine(isMark, { error: 'expected comma, semicolon, tab, pipe, space, colon, one such sign, or auto' })
    .optional()
    .describe(
      'What parts the fields of the table that is sent: comma, semicolon, tab, pipe, space, colon or another sign. Found out from its first lines when left out or auto.',
    )
    .meta(inputOption),
  headers: flag()
    .optional()
    .describe(
      'Whether the first line of the table that is sent names the columns. true: in a spreadsheet it is text in bold, and begins each page of print and PDF. false: in a document it is a row like the others.',
    )
    .meta(inputOption),
}

export const TableOptions = z.object(tableShape)
export type TableOptions = z.output<typeof TableOptions>
