import { createReadStream } from 'node:fs'

/** Matches the style attribute as LibreOffice writes it; in text content, the quotes would be escaped. */
const hiddenStylePattern = /\sstyle="[^"<>]{0,400}\bdisplay: none/
/**
 * Number of characters by which consecutive chunks overlap. No match is longer, so none is missed at the end of a
 * chunk.
 */
const overlapCharacters = 500

/** Whether an HTML file written by LibreOffice contains text that browsers do not show. */
export async function hasHiddenText(path: string): Promise<boolean> {
  let tail = ''
  for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: 1024 * 1024 })) {
    const text = `${tail}${chunk}`
    if (hiddenStylePattern.test(text)) return true
    tail = text.slice(-overlapCharacters)
  }
  return false
}
