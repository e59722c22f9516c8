import { officeDocuments } from './office-documents.ts'
import { textDocuments } from './text-documents.ts'

export const document = [...textDocuments, ...officeDocuments] as const
