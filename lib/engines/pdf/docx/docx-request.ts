import { defined } from '../../../validation/defined.ts'
import type { DocumentInfo } from '../open-pdf.ts'
import type { ParseSource } from './parse-pages.ts'

export interface DocxRequest extends ParseSource {
  readonly documentInfo: DocumentInfo
  readonly outDir: string
  readonly isFixedLayout: boolean
}

export interface DocxResult {
  /** Path of the Word document. */
  readonly file: string
  /** Pages whose text was read by OCR. */
  readonly pagesRecognized: readonly number[]
}

/** Returns the PDF's document properties; without them, the docx library writes an author of its own. */
export function toDocumentProperties({ title, author = '', subject, keywords }: DocumentInfo) {
  return {
    creator: author,
    lastModifiedBy: author,
    ...defined({ title, subject, keywords }),
  }
}
