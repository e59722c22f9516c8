import { readFile } from 'node:fs/promises'
import type { FormatId } from '../../formats/index.ts'
import { unsupportedFeature } from '../unsupported-feature.ts'

/** Signs in a row for which pandoc takes a second; that time grows with the square of their number. */
const mostBackticks = 5000
const mostQuotations = 1000

/** @throws AppError UNSUPPORTED_FORMAT where pandoc would read for hours, though the file is not large. */
export async function requireReadableMarkdown(path: string, format: FormatId): Promise<void> {
  const text = await readFile(path, 'latin1')
  const backticks = longest(text, /`+/g, (run) => run.length)
  if (backticks > mostBackticks) throw unsupportedFeature(format, `${backticks} backticks in a row`)
  const quotations = longest(text, /^[ \t>]*>/gm, (start) => start.replaceAll(/[^>]/g, '').length)
  if (quotations > mostQuotations)
    throw unsupportedFeature(format, `a line with ${quotations} quotations within each other (>)`)
}

function longest(text: string, pattern: RegExp, lengthOf: (match: string) => number): number {
  let most = 0
  for (const [match] of text.matchAll(pattern)) most = Math.max(most, lengthOf(match))
  return most
}
