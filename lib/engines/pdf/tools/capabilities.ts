import type { FormatId } from '../../../formats/index.ts'
import { defined } from '../../../validation/defined.ts'
import type { Capability } from '../../engine.ts'
import { stampInputs } from '../../shared/image/watermark-options.ts'
import { type PdfToolId, toolOptions } from './options.ts'

const additionalPdfInputs = { from: ['pdf'], min: 1, max: 99 } as const satisfies Capability['more']

interface ToolRow {
  readonly to?: readonly FormatId[]
  readonly more?: Capability['more']
  /** Approximate seconds for a document of ten pages. */
  readonly cost: number
}

const rowByOperation: Readonly<Record<PdfToolId, ToolRow>> = {
  'split-pdf': { to: ['pdf', 'zip'], cost: 0.2 },
  'encrypt-pdf': { cost: 0.1 },
  'decrypt-pdf': { cost: 0.1 },
  'rotate-pdf': { cost: 0.1 },
  'compress-pdf': { cost: 1 },
  'to-pdfa': { cost: 1 },
  'extract-pdf-pages': { cost: 0.3 },
  'remove-pdf-pages': { cost: 0.3 },
  'extract-pdf-images': { to: ['zip', 'pdf'], cost: 0.3 },
  'add-watermark-pdf': { more: stampInputs, cost: 0.3 },
  watermark: { more: stampInputs, cost: 0.3 },
  'flatten-pdf': { cost: 0.2 },
  'repair-pdf': { cost: 0.3 },
  'reorder-pdf-pages': { cost: 0.3 },
  'add-page-numbers-pdf': { cost: 0.5 },
  'edit-pdf-metadata': { cost: 0.4 },
  'linearize-pdf': { cost: 0.1 },
  'crop-pdf': { cost: 0.3 },
  'redact-pdf': { cost: 0.5 },
  'sanitize-pdf': { cost: 0.3 },
  'grayscale-pdf': { cost: 1 },
  'remove-blank-pages-pdf': { cost: 0.5 },
  'pdf-info': { to: ['json', 'pdf'], cost: 0.2 },
  merge: { more: additionalPdfInputs, cost: 0.5 },
  'merge-pdf': { more: additionalPdfInputs, cost: 0.5 },
  compress: { cost: 2 },
}

/**
 * Operations on PDFs other than conversion. A tool whose result is not a PDF is also listed with the target pdf,
 * because the specification tells clients to request this target with every tool.
 */
export const pdfToolCapabilities: readonly Capability[] = Object.entries(rowByOperation).map(
  ([operation, row]): Capability => {
    const id = operation as PdfToolId // Object.entries loses the key type.
    const { to = ['pdf'], more, cost }: ToolRow = row
    return {
      operation: id,
      from: ['pdf'],
      to,
      same: true,
      ...defined({ more }),
      options: toolOptions[id],
      cost,
    }
  },
)
