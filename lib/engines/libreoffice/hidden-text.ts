import { createReadStream } from 'node:fs'

/** As the office writes it; in a text of the page the quotes would be written otherwise. */
const unseen = /\sstyle="[^"<>]{0,400}\bdisplay: none/
/** Longer than what is looked for. */
const overlap = 500

/** Whether a web page of the office holds text of the document that browsers do not show. */
export async function holdsHiddenText(path: string): Promise<boolean> {
  let tail = ''
  for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: 1024 * 1024 })) {
    const text = `${tail}${chunk}`
    if (unseen.test(text)) return true
    tail = text.slice(-overlap)
  }
  return false
}
