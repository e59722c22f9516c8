import { markupDocuments } from './markup-documents.ts'
import { officeDocuments } from './office-documents.ts'
import { subtitles } from './subtitles.ts'
import { textDocuments } from './text-documents.ts'

export const document = [...textDocuments, ...markupDocuments, ...officeDocuments, ...subtitles] as const
