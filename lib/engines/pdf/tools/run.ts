import type { Operation } from '../../../model/operations.ts'
import type { EngineResult, EngineWork, Tools } from '../../engine.ts'
import { compressByPreset, compressByQuality } from './compress.ts'
import { cropPages } from './crop.ts'
import { openEditable, type PdfTool, requireUnsigned, warnAboutLockedAttachments } from './editable-pdf.ts'
import { decryptPdf, encryptPdf } from './encryption.ts'
import { extractImages } from './extract-images.ts'
import { flattenPdf } from './flatten.ts'
import { describePdf } from './info.ts'
import { mergePdfs } from './merge.ts'
import { editMetadata } from './metadata.ts'
import { type PdfToolId, type ToolOptions, toolOptions } from './options.ts'
import { addPageNumbers } from './page-numbers.ts'
import { extractPages, removeBlankPages, removePages, reorderPages, rotatePdfPages } from './pages.ts'
import { toPdfA } from './pdfa.ts'
import { redactPdf } from './redact.ts'
import { repairPdf } from './repair.ts'
import { convertToGrayscale, linearizePdf } from './rewrite.ts'
import { sanitizePdf } from './sanitize.ts'
import { splitPdf } from './split.ts'
import { addWatermark } from './watermark.ts'

/** Tools that open their inputs themselves: merging has several inputs, and a file to repair may not open. */
type SelfOpeningTool = 'merge' | 'merge-pdf' | 'repair-pdf'

type ToolTable = { readonly [Id in Exclude<PdfToolId, SelfOpeningTool>]: PdfTool<ToolOptions<Id>> }

const toolsById: ToolTable = {
  'split-pdf': splitPdf,
  'encrypt-pdf': encryptPdf,
  'decrypt-pdf': decryptPdf,
  'rotate-pdf': rotatePdfPages,
  'compress-pdf': compressByPreset,
  'to-pdfa': toPdfA,
  'extract-pdf-pages': extractPages,
  'remove-pdf-pages': removePages,
  'extract-pdf-images': extractImages,
  'add-watermark-pdf': addWatermark,
  watermark: addWatermark,
  'flatten-pdf': flattenPdf,
  'reorder-pdf-pages': reorderPages,
  'add-page-numbers-pdf': addPageNumbers,
  'edit-pdf-metadata': editMetadata,
  'linearize-pdf': linearizePdf,
  'crop-pdf': cropPages,
  'redact-pdf': redactPdf,
  'sanitize-pdf': sanitizePdf,
  'grayscale-pdf': convertToGrayscale,
  'remove-blank-pages-pdf': removeBlankPages,
  'pdf-info': describePdf,
  compress: compressByQuality,
}

/**
 * Runs the tool for an operation. @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, INVALID_INPUT, and errors of the tools.
 */
export async function runPdfTool(work: EngineWork, engineTools: Tools): Promise<EngineResult> {
  const { operation } = work
  if (operation === 'merge' || operation === 'merge-pdf')
    return mergePdfs(toolOptions.merge.parse(work.options), work, engineTools)
  if (operation === 'repair-pdf')
    return repairPdf(toolOptions['repair-pdf'].parse(work.options), work, engineTools)
  if (!isTool(operation)) throw new Error(`pdf does not support the operation ${operation}.`)
  return runEditingTool(operation, work, engineTools)
}

async function runEditingTool<Id extends keyof ToolTable>(
  id: Id,
  work: EngineWork,
  engineTools: Tools,
): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error(`${id} was called without an input.`)
  // A tool and its schema have the same key in both tables, but the compiler cannot infer that.
  const options = toolOptions[id].parse(work.options) as ToolOptions<Id>
  const field = id === 'encrypt-pdf' ? 'currentPassword' : 'password'
  // The `password` of encrypt-pdf is the new one, so this operation has another field for the current one.
  const pdf = await openEditable(input, (options as Passwords)[field], engineTools, field)
  if ('dropSignatures' in options) await requireUnsigned([pdf], options)
  if (id !== 'pdf-info') warnAboutLockedAttachments(pdf, engineTools)
  const tool: PdfTool<ToolOptions<Id>> = toolsById[id]
  return tool({ pdf, options, work, tools: engineTools })
}

const isTool = (operation: Operation): operation is keyof ToolTable => operation in toolsById

interface Passwords {
  readonly password?: string | undefined
  readonly currentPassword?: string | undefined
}
