import * as z from 'zod'
import type { FileBytes } from './bytes.ts'
import type { Holding } from './holding.ts'
import { type Asked, lettersIn } from './letters.ts'
import { decoded, textOfPage } from './markup.ts'
import { textOfMarked } from './plain-text.ts'
import { comment } from './unread-marks.ts'
import { Words } from './words.ts'

/** Pictures stand in it as text. */
const mostBytes = 32 * 1024 * 1024

/** nbformat 4: a text is one, or its lines. */
const Lines = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))]).catch('')
const Output = z.object({
  text: Lines.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  traceback: z.array(z.string()).optional().catch(undefined),
})
const Cell = z.object({
  cell_type: z.string(),
  source: Lines,
  outputs: z.array(Output).catch([]).default([]),
})
const Notebook = z.object({ cells: z.array(Cell) })

// biome-ignore lint/suspicious/noControlCharactersInRegex: colors of a terminal begin with it.
const colors = /\u001b\[[\d;]{0,20}m/g

/**
 * What is written, the programs and what they printed. Of a result that is there in more than one form nobody knows
 * which will be shown; cells that are raw are for one program alone.
 */
export async function notebook(
  bytes: FileBytes,
  isResult: boolean,
  { encoding }: Asked = {},
): Promise<Holding | undefined> {
  if (isResult || bytes.size > mostBytes) return undefined
  const read = Notebook.safeParse(parsed(await lettersIn(bytes, encoding)))
  if (!read.success) return undefined
  const words = new Words()
  for (const { cell_type, source, outputs } of read.data.cells) {
    if (cell_type === 'markdown') words.add(textOfMarked('md', source))
    if (cell_type === 'code') words.add(source)
    for (const output of outputs) words.add(shown(output))
  }
  return { words, counts: {}, features: [] }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function shown({ text = '', data = {}, traceback = [] }: z.infer<typeof Output>): string {
  const [form, ...others] = Object.entries(data)
  const [type, value] = form ?? []
  const result = Lines.parse(value)
  const alone = others.length > 0 ? '' : type === 'text/html' ? textOfPage(result) : result
  const isText = type === 'text/html' || type === 'text/plain' || type === 'text/markdown'
  return [text, traceback.join('\n').replaceAll(colors, ''), isText ? alone : ''].join('\n')
}

const texts = /\s(?:text|_note)\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)')/g

/** OPML 2.0: the words of an outline are in attributes, as HTML, and those of its notes as Markdown. */
export async function outline(
  bytes: FileBytes,
  isResult: boolean,
  { encoding }: Asked = {},
): Promise<Holding | undefined> {
  if (isResult || bytes.size > mostBytes) return undefined
  const words = new Words()
  const source = (await lettersIn(bytes, encoding)).replaceAll(comment, ' ')
  for (const [, double, single = ''] of source.matchAll(texts)) {
    words.add(textOfMarked('md', textOfPage(decoded(double ?? single))))
  }
  return { words, counts: {}, features: [] }
}
