import type { FormatId } from '../../../formats/index.ts'

const separatorNames: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  '\\t': '\t',
  pipe: '|',
  space: ' ',
  colon: ':',
}

/** Returns the separator with this name, or the text itself if it is not a name. */
export const parseSeparator = (text: string) => separatorNames[text.toLowerCase()] ?? text

/** Separator of the fields, and offset of the first line of the table, which may follow a line such as `sep=;`. */
interface SeparatorInfo {
  readonly separator: string
  readonly start: number
}

/**
 * Determines the separator of a table.
 * @param text start of the table, with LF line ends.
 * @param requestedSeparator the requested separator, if any.
 */
export function detectSeparator(text: string, format: FormatId, requestedSeparator?: string): SeparatorInfo {
  const declaredSeparator = separatorLinePattern.exec(text)
  const detect = () => declaredSeparator?.[1] ?? (format === 'tsv' ? '\t' : guessSeparator(text))
  return {
    separator: toExplicitSeparator(requestedSeparator) ?? detect(),
    start: declaredSeparator?.[0].length ?? 0,
  }
}

/** Matches a first line such as `sep=;`, which declares the separator for Excel. */
const separatorLinePattern = /^sep=(.)\n/i

const toExplicitSeparator = (delimiter: string | undefined) =>
  delimiter === undefined || delimiter.toLowerCase() === 'auto' ? undefined : parseSeparator(delimiter)

const separators = [',', ';', '\t', '|']
const maxLines = 20

/**
 * Returns the separator that occurs the same number of times in each of the first lines, or else the most frequent one.
 */
function guessSeparator(text: string): string {
  const lines = text.split('\n', maxLines).filter((line) => line.trim() !== '')
  const unquotedLines = lines.map((line) => line.replaceAll(/"[^"]*"?/g, ''))
  const candidates = separators.map((separator) => {
    const counts = unquotedLines.map((line) => line.split(separator).length - 1)
    const isRegular =
      counts.length > 0 && Math.min(...counts) > 0 && Math.min(...counts) === Math.max(...counts)
    return { separator, isRegular, sum: counts.reduce((sum, count) => sum + count, 0) }
  })
  const likelySeparators = candidates.some(({ isRegular }) => isRegular)
    ? candidates.filter(({ isRegular }) => isRegular)
    : candidates
  return likelySeparators.toSorted((a, b) => b.sum - a.sum)[0]?.separator ?? ','
}
