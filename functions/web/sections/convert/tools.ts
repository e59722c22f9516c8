import type { Tool } from './picker.tsx'
import words from './words/en.ts'

/** Tools that work on one file of a PDF, as the service calls them. */
const toolIds = [
  ...([
    'split-pdf',
    'ocr-pdf',
    'compress-pdf',
    'rotate-pdf',
    'extract-pdf-pages',
    'remove-pdf-pages',
  ] as const),
  ...([
    'reorder-pdf-pages',
    'extract-pdf-images',
    'add-page-numbers-pdf',
    'encrypt-pdf',
    'decrypt-pdf',
  ] as const),
  ...(['to-pdfa', 'flatten-pdf', 'repair-pdf', 'edit-pdf-metadata', 'linearize-pdf', 'crop-pdf'] as const),
  ...(['redact-pdf', 'sanitize-pdf', 'grayscale-pdf', 'remove-blank-pages-pdf', 'pdf-info'] as const),
] as const

const pdfTools: readonly Tool[] = toolIds.map((id) => ({ id, name: words.toolNames[id] }))

export const toolsFor = (source: string | undefined): readonly Tool[] => (source === 'pdf' ? pdfTools : [])
