import { findCharset } from '../text/charsets.ts'

/** Labels (Encoding Standard) of those Windows code pages that have no label such as `cp1252`. */
const labels: Readonly<Record<number, string>> = {
  874: 'windows-874',
  20127: 'us-ascii',
  20866: 'koi8-r',
  21866: 'koi8-u',
  50220: 'iso-2022-jp',
  50221: 'iso-2022-jp',
  50222: 'iso-2022-jp',
  51932: 'euc-jp',
  51949: 'euc-kr',
  54936: 'gb18030',
  65001: 'utf-8',
}
/** Code page of ISO 8859-1. The code pages of the other parts of ISO 8859 follow. */
const firstIso8859 = 28591

/** Returns the charset of a Windows code page, named as by `findCharset`; undefined if the code page is unknown. */
export function findCharsetOfCodePage(codePage: number | undefined): string | undefined {
  if (codePage === undefined) return undefined
  const part = codePage - firstIso8859 + 1
  return findCharset(labels[codePage] ?? (part > 0 && part <= 16 ? `iso-8859-${part}` : `cp${codePage}`))
}
