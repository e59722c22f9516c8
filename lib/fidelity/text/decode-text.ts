import { isAscii, isUtf8 } from 'node:buffer'
import type { FileBytes } from '../bytes.ts'

/** How to read a text, as requested in the options. */
export interface TextEncodingHint {
  readonly encoding?: string | undefined
  readonly delimiter?: string | undefined
}

const sampleBytes = 256 * 1024
const escapeByte = 0x1b

// Whether a valid UTF-8 text is in another encoding after all: zero bytes indicate UTF-16, and escape bytes
// ISO-2022-JP.
const isOtherEncoding = (bytes: Buffer) => bytes.includes(0) || bytes.includes(escapeByte)

/** Returns the bytes of an ASCII text, because creating a string takes longer than counting its words. */
export async function readIfAscii(file: FileBytes, encoding?: string): Promise<Buffer | undefined> {
  const bytes = await file.readWhole()
  return encoding === undefined && isAscii(bytes) && !isOtherEncoding(bytes) ? bytes : undefined
}

/**
 * Decodes a text with the encoding that the engine uses; otherwise, all words would be missing in the result.
 * @param encoding encoding requested in the options.
 */
export async function decodeTextFile(file: FileBytes, encoding?: string): Promise<string> {
  const bytes = await file.readWhole()
  if (encoding === undefined && isUtf8(bytes) && !isOtherEncoding(bytes)) return bytes.toString('utf8')
  // Encoding tables are loaded only when needed.
  const { detectCharset } = await import('../../engines/shared/text/detect-charset.ts')
  const { resolveRequestedCharset } = await import('../../engines/shared/text/charsets.ts')
  const { createTextDecoder } = await import('../../engines/shared/text/decode.ts')
  const firstNonAscii = isAscii(bytes) ? bytes.length : bytes.findIndex((byte) => byte > 0x7f)
  const sample = bytes.subarray(firstNonAscii, firstNonAscii + sampleBytes)
  const { name } = detectCharset(
    { head: bytes, bytesFromNonAscii: sample, isUtf8: isUtf8(bytes) },
    'html',
    resolveRequestedCharset(encoding),
  )
  const decode = createTextDecoder(name)
  return decode(bytes) + decode()
}
