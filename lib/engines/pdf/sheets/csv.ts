import type { Sheet } from './tables.ts'

/** Tables one below the other, parted by an empty line (RFC 4180). Numbers stand as they do in print. */
export const csvOf = (sheets: readonly Sheet[]): string =>
  sheets
    .map((sheet) =>
      rowsOf(sheet)
        .map((fields) => `${fields.map(field).join(',')}\r\n`)
        .join(''),
    )
    .join('\r\n')

function rowsOf({ cells }: Sheet): string[][] {
  const [rows, columns] = [
    Math.max(...cells.map(({ row, rowSpan }) => row + rowSpan)),
    Math.max(...cells.map(({ column, columnSpan }) => column + columnSpan)),
  ]
  const fields = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ''))
  for (const { row, column, text } of cells) {
    const ofRow = fields[row]
    if (ofRow) ofRow[column] = text
  }
  return fields
}

const field = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
