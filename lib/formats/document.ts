import { markupDocuments } from './markup-documents.ts'
import { officeDocuments } from './office-documents.ts'
import { textDocuments } from './text-documents.ts'

export const document = [...textDocuments, ...markupDocuments, ...officeDocuments] as const
