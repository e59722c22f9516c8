import { open } from 'node:fs/promises'

/** Number of bytes that are searched: the browser writes the document information at the start of the file. */
const headBytes = 16 * 1024
/** Matches creator (the browser) and producer, as Skia writes them. */
const infoFieldsPattern = /\/Creator \((?:\\[\s\S]|[^\\()])*\)\n\/Producer \(Skia\/PDF(?:\\[\s\S]|[^\\()])*\)/

/** Overwrites creator and producer with the page's author, in place, so that all offsets in the file stay valid. */
export async function setPdfAuthor(path: string, author: string): Promise<void> {
  await using file = await open(path, 'r+')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
  const match = infoFieldsPattern.exec(buffer.toString('latin1', 0, bytesRead))
  if (!match) return
  const [{ length }] = match
  const authorEntry = author === '' ? '' : `/Author ${encodePdfTextString(author)}`
  await file.write((authorEntry.length <= length ? authorEntry : '').padEnd(length), match.index, 'latin1')
}

/** Encodes a PDF text string (ISO 32000-1, 7.9.2.2), one character per byte. */
function encodePdfTextString(text: string): string {
  const isAscii = /^[\x20-\x7e]*$/.test(text)
  const bytes = isAscii ? text : `\xfe\xff${Buffer.from(text, 'utf16le').swap16().toString('latin1')}`
  return `(${bytes
    .replaceAll(/[\\()]/g, '\\$&')
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n')})`
}
