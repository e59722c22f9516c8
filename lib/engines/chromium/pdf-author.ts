import { open } from 'node:fs/promises'

/** The browser writes it first of all. */
const headBytes = 16 * 1024
/** As Skia writes them, one after the other: the browser's name and its own. */
const makers = /\/Creator \((?:\\[\s\S]|[^\\()])*\)\n\/Producer \(Skia\/PDF(?:\\[\s\S]|[^\\()])*\)/

/** Puts who wrote a page where the browser has named itself. In place, so that every offset in the file stays right. */
export async function nameAuthor(path: string, author: string): Promise<void> {
  await using file = await open(path, 'r+')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
  const found = makers.exec(buffer.toString('latin1', 0, bytesRead))
  if (!found) return
  const [{ length }] = found
  const entry = author === '' ? '' : `/Author ${textString(author)}`
  await file.write((entry.length <= length ? entry : '').padEnd(length), found.index, 'latin1')
}

/** A text string (ISO 32000-1, 7.9.2.2), a character to a byte. */
function textString(text: string): string {
  const isAscii = /^[\x20-\x7e]*$/.test(text)
  const bytes = isAscii ? text : `\xfe\xff${Buffer.from(text, 'utf16le').swap16().toString('latin1')}`
  return `(${bytes
    .replaceAll(/[\\()]/g, '\\$&')
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n')})`
}
