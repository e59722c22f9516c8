import { isUtf8 } from 'node:buffer'
import { decompressRTF } from '@kenjiuno/decompressrtf'
import library, { type FieldsData } from '@kenjiuno/msgreader'
import iconv from 'iconv-lite'
import { deEncapsulateSync } from 'rtf-stream-parser'
import { CompoundFile } from '../../../binary/cfb.ts'
import { openBuffer } from '../../../binary/random-access.ts'
import { decodeText } from '../text/decode.ts'
import { detectCharset } from '../text/detect-charset.ts'
import { findCharsetOfCodePage } from './code-pages.ts'

export interface Mailbox {
  readonly name: string
  /** Email address. Empty if only the mail server of the sender's organization knows the address. */
  readonly address: string
}

interface Attachment {
  readonly filename: string
  readonly mimeType: string | undefined
  readonly contentId: string | undefined
  readonly content: Uint8Array
}

export interface OutlookMessage {
  readonly subject: string
  readonly from: Mailbox | undefined
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
  /** Date as in an email header; undefined for a draft. */
  readonly date: string | undefined
  readonly messageId: string | undefined
  /** Outlook's type of the message, such as `IPM.Note` or `IPM.Appointment`. */
  readonly messageClass: string
  readonly body: { readonly format: 'html' | 'text' | 'rtf'; readonly content: string }
  readonly attachments: readonly Attachment[]
}

/** Reads an Outlook message ([MS-OXMSG]). @throws Error, of any kind, if it is damaged. */
export async function readOutlookMessage(bytes: Buffer): Promise<OutlookMessage> {
  // The library accepts damaged files, and follows loops in them forever.
  const file = await CompoundFile.open(openBuffer(bytes))
  await file.requireIntact()
  // Strings that are not Unicode are in a code page. A field contains its number, so this field is read first.
  const ansiEncoding = findCharsetOfCodePage(createReader(bytes).getFileData().messageCodepage)
  const reader = createReader(bytes)
  if (ansiEncoding !== undefined && iconv.encodingExists(ansiEncoding)) reader.parserConfig = { ansiEncoding }
  const fields = reader.getFileData()
  if (fields.error !== undefined) throw new Error(fields.error)
  const recipients = fields.recipients ?? []
  const listRecipients = (...types: readonly unknown[]) =>
    recipients
      .filter(({ recipType }) => types.includes(recipType))
      .map(({ name, smtpAddress, email }) => createMailbox(name, smtpAddress, email))
  const { senderName, senderSmtpAddress, sentRepresentingSmtpAddress, senderEmail } = fields
  const sender = createMailbox(senderName, senderSmtpAddress, sentRepresentingSmtpAddress, senderEmail)
  return {
    subject: fields.subject ?? '',
    from: sender.name || sender.address ? sender : undefined,
    to: listRecipients('to', undefined),
    cc: listRecipients('cc'),
    bcc: listRecipients('bcc'),
    // Only the date in the headers has the time zone of the sender.
    date:
      /^Date:[ \t]*(\S[^\r\n]*)/im.exec(fields.headers ?? '')?.[1] ??
      fields.clientSubmitTime ??
      fields.messageDeliveryTime,
    messageId: fields.messageId,
    messageClass: fields.messageClass ?? 'IPM.Note',
    body: readBody(fields),
    attachments: (fields.attachments ?? []).map((attachment) => {
      const { fileName, name, fileNameShort, attachMimeTag, pidContentId } = attachment
      // A linked file has no content.
      const hasContent = attachment.dataId !== undefined || attachment.innerMsgContent === true
      const extension = attachment.innerMsgContent ? '.msg' : ''
      return {
        filename: fileName ?? (name === undefined ? fileNameShort : name + extension) ?? 'attachment',
        mimeType: attachMimeTag,
        contentId: pidContentId,
        content: hasContent ? reader.getAttachment(attachment).content : new Uint8Array(),
      }
    }),
  }
}

const createReader = ({ buffer, byteOffset, length }: Buffer) =>
  new library.default(new DataView(buffer, byteOffset, length))

function createMailbox(name = '', ...addresses: readonly (string | undefined)[]): Mailbox {
  // Within an organization, an address can be a path in the organization's directory instead.
  const address = addresses.find((candidate) => candidate?.includes('@')) ?? ''
  return { name: name === address ? '' : name, address }
}

/** Returns the text in its original format: Outlook may store HTML or plain text inside RTF. */
function readBody(fields: FieldsData): OutlookMessage['body'] {
  const { bodyHtml, html, body = '', compressedRtf, internetCodepage } = fields
  if (bodyHtml) return { format: 'html', content: bodyHtml }
  if (html?.length) {
    const sample = { head: html, bytesFromNonAscii: html, isUtf8: isUtf8(html) }
    const { name } = detectCharset(sample, 'html', findCharsetOfCodePage(internetCodepage))
    return { format: 'html', content: decodeText(html, name) }
  }
  if (!compressedRtf?.length) return { format: 'text', content: body }
  const rtf = Buffer.from(decompressRTF([...compressedRtf]))
  if (!/\\from(?:html1|text)\b/.test(rtf.toString('latin1', 0, 1000)))
    return { format: 'rtf', content: rtf.toString('latin1') }
  const { mode, text } = deEncapsulateSync(rtf, { decode: iconv.decode, replaceSymbolFontChars: true })
  return { format: mode, content: text.toString() }
}
