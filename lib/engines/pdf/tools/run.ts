import type { EngineResult, EngineWork, Operation, Tools } from '../../engine.ts'
import { compress, compressPdf } from './compress.ts'
import { crop } from './crop.ts'
import { openEditable, type Tool } from './editable-pdf.ts'
import { decrypt, encrypt } from './encryption.ts'
import { extractImages } from './extract-images.ts'
import { flatten } from './flatten.ts'
import { describe } from './info.ts'
import { merge } from './merge.ts'
import { editMetadata } from './metadata.ts'
import { type PdfToolId, type ToolOptions, toolOptions } from './options.ts'
import { addPageNumbers } from './page-numbers.ts'
import { extractPages, removeBlankPages, removePages, reorderPages, rotatePages } from './pages.ts'
import { redact } from './redact.ts'
import { repair } from './repair.ts'
import { grayscale, linearize, toPdfA } from './rewrite.ts'
import { sanitize } from './sanitize.ts'
import { splitPages } from './split.ts'
import { addWatermark } from './watermark.ts'

/** These open their files themselves: one has several, the other may have none that can be opened. */
type Own = 'merge' | 'merge-pdf' | 'repair-pdf'

type ToolTable = { readonly [Id in Exclude<PdfToolId, Own>]: Tool<ToolOptions<Id>> }

const tools: ToolTable = {
  'split-pdf': splitPages,
  'encrypt-pdf': encrypt,
  'decrypt-pdf': decrypt,
  'rotate-pdf': rotatePages,
  'compress-pdf': compressPdf,
  'to-pdfa': toPdfA,
  'extract-pdf-pages': extractPages,
  'remove-pdf-pages': removePages,
  'extract-pdf-images': extractImages,
  'add-watermark-pdf': addWatermark,
  watermark: addWatermark,
  'flatten-pdf': flatten,
  'reorder-pdf-pages': reorderPages,
  'add-page-numbers-pdf': addPageNumbers,
  'edit-pdf-metadata': editMetadata,
  'linearize-pdf': linearize,
  'crop-pdf': crop,
  'redact-pdf': redact,
  'sanitize-pdf': sanitize,
  'grayscale-pdf': grayscale,
  'remove-blank-pages-pdf': removeBlankPages,
  'pdf-info': describe,
  compress,
}

/** Runs the tool that the work names. @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, INVALID_INPUT and what tools add. */
export async function runPdfTool(work: EngineWork, offered: Tools): Promise<EngineResult> {
  const { operation } = work
  if (operation === 'merge' || operation === 'merge-pdf')
    return merge(toolOptions.merge.parse(work.options), work, offered)
  if (operation === 'repair-pdf') return repair(toolOptions['repair-pdf'].parse(work.options), work, offered)
  if (!isTool(operation)) throw new Error(`pdf was asked for ${operation}, which it does not declare.`)
  return runOne(operation, work, offered)
}

async function runOne<Id extends keyof ToolTable>(
  id: Id,
  work: EngineWork,
  offered: Tools,
): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error(`${id} was called without an input.`)
  // The schema and the tool stand under one name in both tables, which the compiler cannot follow.
  const options = toolOptions[id].parse(work.options) as ToolOptions<Id>
  const field = id === 'encrypt-pdf' ? 'currentPassword' : 'password'
  // Of a PDF that is to be locked `password` is the new one.
  const pdf = await openEditable(input, (options as Passwords)[field], offered, field)
  const tool: Tool<ToolOptions<Id>> = tools[id]
  return tool({ pdf, options, work, tools: offered })
}

const isTool = (operation: Operation): operation is keyof ToolTable => operation in tools

interface Passwords {
  readonly password?: string | undefined
  readonly currentPassword?: string | undefined
}
