import { isAscii, isUtf8 } from 'node:buffer'
import type { FileBytes } from './bytes.ts'

/** How a text is to be read, where somebody said so. */
export interface TextEncodingHint {
  readonly encoding?: string | undefined
  readonly delimiter?: string | undefined
}

const sampleBytes = 256 * 1024
const escapeByte = 0x1b

// UTF-16 has bytes of zero, and old Japanese mails have escapes, in what else is UTF-8.
const isOtherEncoding = (bytes: Buffer) => bytes.includes(0) || bytes.includes(escapeByte)

/** A text in ASCII, whose bytes are its letters: to make a text of them takes longer than to count its words. */
export async function readIfAscii(file: FileBytes, encoding?: string): Promise<Buffer | undefined> {
  const bytes = await file.whole()
  return encoding === undefined && isAscii(bytes) && !isOtherEncoding(bytes) ? bytes : undefined
}

/**
 * The letters of a text, read in the encoding in which an engine reads them: words that are read otherwise would all
 * be missed in the result.
 * @param encoding that was asked for.
 */
export async function readText(file: FileBytes, encoding?: string): Promise<string> {
  const bytes = await file.whole()
  if (encoding === undefined && isUtf8(bytes) && !isOtherEncoding(bytes)) return bytes.toString('utf8')
  // The tables of all encodings are loaded for the first text that needs them.
  const { detectCharset: charsetOf } = await import('../engines/text/detect-charset.ts')
  const { resolveRequestedCharset: requestedCharset } = await import('../engines/text/charsets.ts')
  const { createTextDecoder: decoderOf } = await import('../engines/text/decode.ts')
  const first = isAscii(bytes) ? bytes.length : bytes.findIndex((byte) => byte > 0x7f)
  const sample = bytes.subarray(first, first + sampleBytes)
  const { name } = charsetOf(
    { head: bytes, more: sample, isUtf8: isUtf8(bytes) },
    'html',
    requestedCharset(encoding),
  )
  const decode = decoderOf(name)
  return decode(bytes) + decode()
}
