import type { Worksheet } from './tables.ts'

/** Writes the tables one below the other, separated by an empty line (RFC 4180). Numbers keep their printed form. */
export const toCsv = (sheets: readonly Worksheet[]): string =>
  sheets
    .map((sheet) =>
      toRows(sheet)
        .map((fields) => `${fields.map(escapeField).join(',')}\r\n`)
        .join(''),
    )
    .join('\r\n')

function toRows({ cells }: Worksheet): string[][] {
  const [rows, columns] = [
    Math.max(...cells.map(({ row, rowSpan }) => row + rowSpan)),
    Math.max(...cells.map(({ column, columnSpan }) => column + columnSpan)),
  ]
  const fieldsByRow = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ''))
  for (const { row, column, text } of cells) {
    const rowFields = fieldsByRow[row]
    if (rowFields) rowFields[column] = text
  }
  return fieldsByRow
}

const escapeField = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
