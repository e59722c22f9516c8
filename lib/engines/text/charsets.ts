import iconv from 'iconv-lite'
import * as z from 'zod'
import { ofSource } from '../options.ts'

/** What programs call encodings that the Encoding Standard calls otherwise. */
const otherNames: Readonly<Record<string, string>> = {
  ansi: 'windows-1252',
  cp932: 'shift_jis',
  cp936: 'gb18030',
  cp949: 'euc-kr',
  cp950: 'big5',
  gb2312: 'gb18030',
  gbk: 'gb18030',
  utf16: 'utf-16le',
  utf16be: 'utf-16be',
  utf16le: 'utf-16le',
}

/** Code pages of DOS, which the Encoding Standard leaves out. */
const codePage = /^(?:cp|ibm)(\d{3})$/

/**
 * The name under which the Encoding Standard has an encoding, which may be called by any of its labels; undefined where
 * there is none.
 */
export function charsetNamed(label: string): string | undefined {
  const plain = label.trim().toLowerCase()
  try {
    return new TextDecoder(otherNames[plain] ?? plain).encoding
  } catch {
    const page = codePage.exec(plain)?.[1]
    return page !== undefined && iconv.encodingExists(`cp${page}`) ? `cp${page}` : undefined
  }
}

/** Decodes a text piece by piece; the last call is without one. */
export type Decoder = (piece?: Uint8Array) => string

/** @param name as `charsetNamed` gives it. */
export function decoderOf(name: string): Decoder {
  // Node's own reads fewer letters of Korean and Chinese than Windows writes, and iconv-lite no ISO-2022.
  if (!name.startsWith('utf-') && iconv.encodingExists(name)) {
    const decoder = iconv.getDecoder(name)
    return (piece) => (piece ? decoder.write(Buffer.from(piece)) : (decoder.end() ?? ''))
  }
  const decoder = new TextDecoder(name)
  return (piece) => decoder.decode(piece, { stream: piece !== undefined })
}

export function lettersOf(bytes: Uint8Array, name: string): string {
  const decode = decoderOf(name)
  return decode(bytes) + decode()
}

const isKnown = (label: string) => label.toLowerCase() === 'auto' || charsetNamed(label) !== undefined

export const encoding = z
  .string()
  .max(40)
  .refine(isKnown, {
    error:
      'expected the name of an encoding, such as utf-8, utf-16le, windows-1252, windows-1251, windows-1250, iso-8859-2, koi8-r, shift_jis, euc-jp, gb18030, big5, euc-kr or cp866, or auto',
  })
  .optional()
  .describe(
    'Encoding of the text that is sent, as windows-1251, iso-8859-2, koi8-r, shift_jis, gb18030, big5, euc-kr or utf-16le. Found out when left out or auto, with a warning where it had to be guessed; a byte order mark in the file counts for more.',
  )
  .meta(ofSource)

/** What was asked for; undefined when it is to be found out. */
export function requestedCharset(label: string | undefined): string | undefined {
  return label === undefined || label.toLowerCase() === 'auto' ? undefined : charsetNamed(label)
}
