import type { DocumentInfo } from '../open-pdf.ts'
import type { ParseSource } from './parse-pages.ts'

export interface DocxRequest extends ParseSource {
  readonly documentInfo: DocumentInfo
  readonly outDir: string
  readonly isFixedLayout: boolean
}

export interface DocxResult {
  /** The document. */
  readonly file: string
  /** Pages whose text was read from pictures. */
  readonly pagesRecognized: readonly number[]
}

/** The document is its author's: left to itself the writer of documents names a person of its own. */
export function documentProperties({ title, author = '', subject, keywords }: DocumentInfo) {
  return {
    creator: author,
    lastModifiedBy: author,
    ...(title !== undefined && { title }),
    ...(subject !== undefined && { subject }),
    ...(keywords !== undefined && { keywords }),
  }
}
