import type { Tools } from '../../engine.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { damagedPdfError, toPdfError } from '../qpdf.ts'
import { type EditablePdf, warnTagsRemoved } from './editable-pdf.ts'
import { flattenAnnotations } from './flatten.ts'

export type DistillInput = Pick<EditablePdf, 'path' | 'sizes'>

/** How Ghostscript writes a PDF anew. */
export interface DistillSettings {
  /** Arguments before the input, the device's settings. */
  readonly args: readonly string[]
  /** PostScript that runs before the document; its text is ours alone. */
  readonly prolog?: string
  readonly output: string
  /** Called with the share of pages that are done. */
  readonly onProgress?: (ratio: number) => void
}

/**
 * Writes the whole PDF anew by Ghostscript. Drawings and text stay what they are; forms become drawings.
 * @throws AppError CORRUPT_FILE.
 */
export async function distill(
  { path, sizes }: DistillInput,
  { args, prolog, output, onProgress }: DistillSettings,
  tools: Tools,
): Promise<void> {
  const fixed = ['-dSAFER', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pdfwrite', '-dAutoRotatePages=/None']
  const before = prolog === undefined ? [] : ['-c', prolog]
  let pagesSeen = 0
  const onLine = (line: string) => {
    if (!/^Page \d+$/.test(line.trim())) return
    pagesSeen++
    onProgress?.(pagesSeen / sizes.length)
  }
  try {
    const all = [...fixed, ...args, `-sOutputFile=${output}`, ...before, '-f', path]
    await tools.exec('gs', all, { onLine })
    // Of a ruin it makes an empty page and calls that a success.
    if (pagesSeen === 0) throw damagedPdfError(new Error('Ghostscript found no page.'))
  } catch (error) {
    throw toPdfError(error)
  }
}

/** @returns pages of a PDF that a tool has just written; 0 when it is none. */
export async function countPages(path: string, tools: Tools): Promise<number> {
  try {
    const { stdout } = await tools.exec('pdfinfo', [path])
    return Number(/^Pages:\s+(\d+)/m.exec(stdout)?.[1] ?? 0)
  } catch (error) {
    if (error instanceof ProcessFailure) return 0
    throw error
  }
}

/** Ghostscript keeps no forms, and of fields that only readers draw it would keep nothing. */
export async function flattenForm(pdf: EditablePdf, tools: Tools): Promise<DistillInput> {
  return pdf.hasForm ? { path: await flattenAnnotations(pdf, tools), sizes: pdf.sizes } : pdf
}

/** What does not survive `distill`. */
export function warnDistillLosses(pdf: EditablePdf, tools: Tools): void {
  warnTagsRemoved(pdf, tools)
  if (!pdf.hasForm) return
  const sentence = 'Form fields became plain page content: they show, but can no longer be filled in.'
  tools.warn('FORM_FLATTENED', sentence)
}
