/** What a byte of a PDF is to who reads it (ISO 32000-1, 7.2.2): a table, as each byte of a document is looked up in it. */
const [regular, space, delimiter, numeric] = [0, 1, 2, 3]
const kinds = new Uint8Array(256).map((_, byte) => {
  const sign = String.fromCharCode(byte)
  if ('\0\t\n\f\r '.includes(sign)) return space
  if ('()<>[]{}/%'.includes(sign)) return delimiter
  return '0123456789+-.'.includes(sign) ? numeric : regular
})

export const isSpace = (byte: number) => kinds[byte] === space
export const isRegular = (byte: number) => kinds[byte] === regular || kinds[byte] === numeric
export const isNumeric = (byte: number) => kinds[byte] === numeric

/** Behind a comment that begins there. */
export function commentEnd(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++
  return at
}

/** The word, name or number that begins there. */
export function regularEnd(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && isRegular(bytes[at] ?? 0)) at++
  return at
}

/** 7.3.5, without its slash. */
export function nameIn(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('latin1', start, end)
  if (!text.includes('#')) return text
  return text.replaceAll(/#([\da-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
