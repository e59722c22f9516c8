import * as z from 'zod'
import { inputOption } from '../../options.ts'

/** Common encoding names that are not labels of the Encoding Standard. */
const aliases: Readonly<Record<string, string>> = {
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

/** DOS code pages that iconv-lite supports; the Encoding Standard does not include them. */
const codePages: readonly number[] = [
  437, 720, 737, 775, 808, 850, 852, 855, 856, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869, 922,
]

/**
 * Resolves any label to the name of its encoding in the Encoding Standard, or to `cp…` for a DOS code page; undefined
 * if the label is unknown.
 */
export function findCharset(label: string): string | undefined {
  const plainLabel = label.trim().toLowerCase()
  try {
    return new TextDecoder(aliases[plainLabel] ?? plainLabel).encoding
  } catch {
    const page = Number(/^(?:cp|ibm)(\d{3})$/.exec(plainLabel)?.[1])
    return codePages.includes(page) ? `cp${page}` : undefined
  }
}

const isKnownEncoding = (label: string) => label.toLowerCase() === 'auto' || findCharset(label) !== undefined

export const encodingOption = z
  .string()
  .max(40)
  .refine(isKnownEncoding, {
    error:
      'expected the name of an encoding, such as utf-8, utf-16le, windows-1252, windows-1251, windows-1250, iso-8859-2, koi8-r, shift_jis, euc-jp, gb18030, big5, euc-kr or cp866, or auto',
  })
  .optional()
  .describe(
    'Encoding of the input text, such as windows-1251, iso-8859-2, koi8-r, shift_jis, gb18030, big5, euc-kr or utf-16le. Detected by default or with auto, with a warning if it had to be guessed; a byte order mark in the file takes precedence.',
  )
  .meta(inputOption)

/** Returns the requested charset; undefined if it is to be detected. */
export function resolveRequestedCharset(label: string | undefined): string | undefined {
  return label === undefined || label.toLowerCase() === 'auto' ? undefined : findCharset(label)
}
