import type { PdfAbout } from '../open-pdf.ts'
import type { Pages } from './parse-pages.ts'

export interface Writing extends Pages {
  readonly about: PdfAbout
  readonly outDir: string
  readonly exact: boolean
}

export interface Written {
  /** The document. */
  readonly file: string
  /** Pages whose text was read from pictures. */
  readonly recognized: readonly number[]
}

/** The document is its author's: left to itself the writer of documents names a person of its own. */
export function authorship({ title, author = '', subject, keywords }: PdfAbout) {
  return {
    creator: author,
    lastModifiedBy: author,
    ...(title !== undefined && { title }),
    ...(subject !== undefined && { subject }),
    ...(keywords !== undefined && { keywords }),
  }
}
