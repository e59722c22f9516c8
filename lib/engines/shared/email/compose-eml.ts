import { isAscii } from 'node:buffer'
import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord, encodeWords, foldLines } from 'nodemailer/lib/mime-funcs'
import type { Mailbox, OutlookMessage } from './outlook-message.ts'

/** Matches header fields that the composer adds, with their continuation lines. */
const addedFieldPattern = /^(?:Date|Message-ID): .*\r\n(?:[ \t].*\r\n)*/gim

// Attachments are encoded as Base64, which the types `message` and `multipart` do not allow (RFC 2045, 6.4).
const isMimeType = (text = '') => /^(?!message|multipart)[a-z]+\/[\w.+-]+$/i.test(text)

/** Returns the message as an email file (RFC 5322). */
export async function composeEml(message: Omit<OutlookMessage, 'messageClass'>): Promise<Buffer> {
  const { body, attachments } = message
  const composer = new MailComposer({
    [body.format === 'html' ? 'html' : 'text']: body.content,
    attachments: attachments.map(({ filename, mimeType, contentId, content }) => ({
      filename,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
      contentTransferEncoding: 'base64',
      ...(isMimeType(mimeType) && { contentType: mimeType }),
      // Outlook gives every attachment an id, but only the attachments that the body refers to are part of the body.
      ...(contentId !== undefined && body.content.includes(`cid:${contentId}`) && { cid: contentId }),
    })),
  })
  const emlBytes = await composer.compile().build()
  const headEnd = emlBytes.indexOf('\r\n\r\n') + 2
  const head = emlBytes.toString('latin1', 0, headEnd).replaceAll(addedFieldPattern, '')
  return Buffer.concat([Buffer.from(composeHeader(message) + head, 'latin1'), emlBytes.subarray(headEnd)])
}

/** Composes the fields here, because the composer accepts no sender or recipient without an address. */
function composeHeader({
  from,
  to,
  cc,
  bcc,
  subject,
  date,
  messageId,
}: Omit<OutlookMessage, 'messageClass'>) {
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ['From', from && formatMailbox(from)],
    ['To', to.map(formatMailbox).join(', ')],
    ['Cc', cc.map(formatMailbox).join(', ')],
    ['Bcc', bcc.map(formatMailbox).join(', ')],
    ['Subject', encodeWords(subject.replaceAll(controlCharacterPattern, ' '), 'B', 52)],
    ['Date', date],
    ['Message-ID', messageId],
  ]
  return fields
    .filter(([, value]) => value)
    .map(([name, value]) => `${foldLines(`${name}: ${value?.replaceAll(controlCharacterPattern, ' ')}`)}\r\n`)
    .join('')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would end a header field.
const controlCharacterPattern = /[\x00-\x1f\x7f]+/g

function formatMailbox({ name, address }: Mailbox): string {
  const phrase = formatPhrase(name)
  if (address === '') return phrase
  return name === '' ? address : `${phrase} <${address}>`
}

function formatPhrase(name: string): string {
  if (/^[\w .-]*$/.test(name)) return name
  return isAscii(Buffer.from(name)) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : encodeWord(name, 'B', 52)
}
