import * as z from 'zod'
import { flag, inputOption } from '../../options.ts'
import { encodingOption } from './charsets.ts'
import { parseSeparator } from './csv-separator.ts'

/** Whether a text can be a separator: not a letter, digit, quote or line break, which occur within fields. */
const isSeparator = (text: string) =>
  text.toLowerCase() === 'auto' || /^[^\p{L}\p{N}"\r\n]$/u.test(parseSeparator(text))

export const tableOptionShape = {
  encoding: encodingOption,
  delimiter: z
    .string()
    .max(10)
    .refine(isSeparator, {
      error: 'expected comma, semicolon, tab, pipe, space, colon, one such character, or auto',
    })
    .optional()
    .describe(
      'Separator of the fields in the input table: comma, semicolon, tab, pipe, space, colon or another character. Detected from the first lines by default or with auto.',
    )
    .meta(inputOption),
  headers: flag()
    .optional()
    .describe(
      'Whether the first line of the input table contains column names. If true, a spreadsheet shows this line in bold and repeats it on each printed or PDF page. If false, a document shows it as an ordinary row.',
    )
    .meta(inputOption),
}

export const TableOptions = z.object(tableOptionShape)
export type TableOptions = z.output<typeof TableOptions>
