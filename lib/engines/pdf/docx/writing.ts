import type { PdfAbout } from '../open.ts'

export interface Writing {
  readonly path: string
  readonly pages: readonly number[]
  readonly about: PdfAbout
  readonly outDir: string
  readonly exact: boolean
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
