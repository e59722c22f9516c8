import { countSourceTexts } from '../count-source-texts.ts'
import { extractHtmlText } from './markup.ts'
import { removeMarkup } from './plain-text.ts'

type JsonObject = Readonly<Record<string, unknown>>

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal color sequences start with it.
const colorSequencePattern = /\u001b\[[\d;]{0,20}m/g

/**
 * Counts the text, the code and its output (nbformat 4). Skips an output with several representations, because it is
 * unknown which one will be shown. Ignores fields of unexpected types. Uses no schema, because a schema would collect
 * an error for each such field.
 */
export const readNotebook = countSourceTexts((source) => {
  const cells = toObject(parseJson(source))?.['cells']
  return Array.isArray(cells) ? cells.map((cell) => extractCellText(toObject(cell) ?? {})) : undefined
})

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const toObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined

/** Joins a text, which is a string or a list of lines. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('') : ''
}

function extractCellText({ cell_type, source, metadata, outputs }: JsonObject): string {
  const { raw_mimetype, format } = toObject(metadata) ?? {}
  // A raw cell with a format is written in the language of that format.
  const isCode = cell_type === 'code' || (cell_type === 'raw' && !(raw_mimetype ?? format))
  return [
    cell_type === 'markdown' ? removeMarkup('md', toText(source)) : isCode ? toText(source) : '',
    ...(Array.isArray(outputs) ? outputs.map((output) => extractOutputText(toObject(output) ?? {})) : []),
  ].join('\n')
}

function extractOutputText({ text, data, traceback }: JsonObject): string {
  const representations = toObject(data) ?? {}
  const [type, ...otherTypes] = Object.keys(representations)
  const isText = type === 'text/html' || type === 'text/plain' || type === 'text/markdown'
  const result = isText && otherTypes.length === 0 ? toText(representations[type]) : ''
  return [
    toText(text),
    (Array.isArray(traceback) ? traceback : []).map(toText).join('\n').replaceAll(colorSequencePattern, ''),
    type === 'text/html' ? extractHtmlText(result) : result,
  ].join('\n')
}
