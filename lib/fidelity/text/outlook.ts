import { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { readHtml, readPlainText } from './plain-text.ts'
import { readRichText } from './rich-text.ts'

const readers = { html: readHtml, text: readPlainText, rtf: readRichText }

/** Counts the words of an Outlook message; undefined if it is damaged. */
export async function readOutlook(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const message = await readMessage(await bytes.readWhole())
  if (!message) return undefined
  const { subject, body } = message
  // RTF has one byte per character; other text was decoded.
  const textBytes = Buffer.from(body.content, body.format === 'rtf' ? 'latin1' : 'utf8')
  const read = async (start: number, end: number) => textBytes.subarray(start, end)
  const { words } = await readers[body.format](new FileBytes({ size: textBytes.length, read }), false)
  words?.add(subject)
  return { ...(words && { words }), counts: {}, features: [] }
}

async function readMessage(bytes: Buffer) {
  // The library is loaded only when needed.
  const { readOutlookMessage } = await import('../../engines/shared/email/outlook-message.ts')
  try {
    return await readOutlookMessage(bytes)
  } catch {
    return undefined
  }
}
