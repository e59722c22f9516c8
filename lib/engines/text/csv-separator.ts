import type { FormatId } from '../../formats/index.ts'
import { mark } from './table-options.ts'

/** What parts the fields of a table, and where its first line begins. */
interface Separated {
  readonly separator: string
  readonly start: number
}

/**
 * @param text of the table, with one kind of line end; its first lines are looked at.
 * @param asked what was asked for, if anything.
 */
export function separatorOf(text: string, format: FormatId, asked?: string): Separated {
  const announced = announcement.exec(text)
  const found = () => announced?.[1] ?? (format === 'tsv' ? '\t' : separatorIn(text))
  return { separator: given(asked) ?? found(), start: announced?.[0].length ?? 0 }
}

/** By which programs tell Excel what parts the fields. */
const announcement = /^sep=(.)\n/i

const given = (delimiter: string | undefined) =>
  delimiter === undefined || delimiter.toLowerCase() === 'auto' ? undefined : mark(delimiter)

const separators = [',', ';', '\t', '|']
const linesToLookAt = 20

/** The sign that is found equally often in each of the first lines, or else most often. */
function separatorIn(text: string): string {
  const lines = text.split('\n', linesToLookAt).filter((line) => line.trim() !== '')
  const bare = lines.map((line) => line.replaceAll(/"[^"]*"?/g, ''))
  const found = separators.map((sign) => {
    const counts = bare.map((line) => line.split(sign).length - 1)
    const isRegular =
      counts.length > 0 && Math.min(...counts) > 0 && Math.min(...counts) === Math.max(...counts)
    return { sign, isRegular, sum: counts.reduce((sum, count) => sum + count, 0) }
  })
  const likely = found.some(({ isRegular }) => isRegular) ? found.filter(({ isRegular }) => isRegular) : found
  return likely.toSorted((a, b) => b.sum - a.sum)[0]?.sign ?? ','
}
