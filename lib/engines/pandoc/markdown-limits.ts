import { readFile } from 'node:fs/promises'
import type { FormatId } from '../../formats/index.ts'
import { createFeatureError } from '../unsupported-feature.ts'

/** Maximum number of backticks in a row. pandoc parses this many in a second, but the time grows with their square. */
const maxBackticks = 5000
/** Maximum number of nested quotations, whose parsing time also grows with the square of their number. */
const maxQuotationDepth = 1000

/** @throws AppError UNSUPPORTED_FORMAT when pandoc would parse the file for hours, although it is not large. */
export async function requireReadableMarkdown(path: string, format: FormatId): Promise<void> {
  const text = await readFile(path, 'latin1')
  const backtickRunLength = findMaxMatchLength(text, /`+/g, (run) => run.length)
  if (backtickRunLength > maxBackticks)
    throw createFeatureError(format, `${backtickRunLength} backticks in a row`)
  const depth = findMaxMatchLength(text, /^[ \t>]*>/gm, (start) => start.replaceAll(/[^>]/g, '').length)
  if (depth > maxQuotationDepth)
    throw createFeatureError(format, `a line with ${depth} nested quotations (>)`)
}

function findMaxMatchLength(text: string, pattern: RegExp, measure: (match: string) => number): number {
  let max = 0
  for (const [match] of text.matchAll(pattern)) max = Math.max(max, measure(match))
  return max
}
