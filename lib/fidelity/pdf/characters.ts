/** Character classes of PDF (ISO 32000-1, 7.2.2). They are in a table, because each byte of a document is looked up. */
const [regular, space, delimiter, numeric] = [0, 1, 2, 3]
const classes = new Uint8Array(256).map((_, byte) => {
  const character = String.fromCharCode(byte)
  if ('\0\t\n\f\r '.includes(character)) return space
  if ('()<>[]{}/%'.includes(character)) return delimiter
  return '0123456789+-.'.includes(character) ? numeric : regular
})

export const isSpace = (byte: number) => classes[byte] === space
export const isRegular = (byte: number) => classes[byte] === regular || classes[byte] === numeric
export const isNumeric = (byte: number) => classes[byte] === numeric

/** Returns the end of the comment that starts at this position. */
export function findCommentEnd(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++
  return at
}

/** Returns the end of the word, name or number that starts at this position. */
export function findRegularEnd(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && isRegular(bytes[at] ?? 0)) at++
  return at
}

/** Decodes a name without its slash (7.3.5). */
export function readPdfName(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('latin1', start, end)
  if (!text.includes('#')) return text
  return text.replaceAll(/#([\da-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
