import * as z from 'zod'
import { countSourceTexts } from '../count-source-texts.ts'
import { extractHtmlText } from './markup.ts'
import { removeMarkup } from './plain-text.ts'

/** nbformat 4: a text is a string or a list of lines. */
const Lines = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))]).catch('')
const Output = z.object({
  text: Lines.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  traceback: z.array(z.string()).optional().catch(undefined),
})
const Cell = z.object({
  cell_type: z.string(),
  source: Lines,
  metadata: z
    .object({ raw_mimetype: z.unknown().optional(), format: z.unknown().optional() })
    .catch({})
    .default({}),
  outputs: z.array(Output).catch([]).default([]),
})
const Notebook = z.object({ cells: z.array(Cell) })

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal color sequences start with it.
const colorSequences = /\u001b\[[\d;]{0,20}m/g

/**
 * Counts the text, the code and its output. An output with several representations is skipped, because it is unknown
 * which one will be shown.
 */
export const readNotebook = countSourceTexts((source) =>
  Notebook.safeParse(parseJson(source)).data?.cells.flatMap(({ cell_type, source, metadata, outputs }) => [
    ...(cell_type === 'markdown' ? [removeMarkup('md', source)] : []),
    // A raw cell with a format is written in the language of that format.
    ...(cell_type === 'code' || (cell_type === 'raw' && !(metadata.raw_mimetype ?? metadata.format))
      ? [source]
      : []),
    ...outputs.map(outputText),
  ]),
)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function outputText({ text = '', data = {}, traceback = [] }: z.infer<typeof Output>): string {
  const [representation, ...others] = Object.entries(data)
  const [type, value] = representation ?? []
  const result = Lines.parse(value)
  const onlyResult = others.length > 0 ? '' : type === 'text/html' ? extractHtmlText(result) : result
  const isText = type === 'text/html' || type === 'text/plain' || type === 'text/markdown'
  return [text, traceback.join('\n').replaceAll(colorSequences, ''), isText ? onlyResult : ''].join('\n')
}
