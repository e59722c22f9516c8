import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { createCorruptPdfError, toPdfError } from '../qpdf.ts'
import { type EditablePdf, warnAboutRemovedTags } from './editable-pdf.ts'
import { flattenAnnotations } from './flatten.ts'

export type DistillInput = Pick<EditablePdf, 'path' | 'sizes'>

/** Settings for rewriting a PDF with Ghostscript. */
interface DistillSettings {
  /** Device settings that precede the input. */
  readonly args: readonly string[]
  /** PostScript that runs before the document; must not contain unchecked user input. */
  readonly prolog?: string
  readonly output: string
  /** Called with the ratio of finished pages. */
  readonly onProgress?: (ratio: number) => void
}

/**
 * Rewrites the whole PDF with Ghostscript. Vector graphics and text are kept; form fields become page content.
 * @throws AppError CORRUPT_FILE.
 */
export async function distill(
  { path, sizes }: DistillInput,
  { args, prolog, output, onProgress }: DistillSettings,
  tools: Tools,
): Promise<void> {
  const fixedArgs = ['-dSAFER', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pdfwrite', '-dAutoRotatePages=/None']
  const prologArgs = prolog === undefined ? [] : ['-c', prolog]
  let pagesSeen = 0
  const onLine = (line: string) => {
    if (!/^Page \d+$/.test(line.trim())) return
    pagesSeen++
    onProgress?.(pagesSeen / sizes.length)
  }
  try {
    const allArgs = [...fixedArgs, ...args, `-sOutputFile=${output}`, ...prologArgs, '-f', path]
    await tools.exec('gs', allArgs, { onLine })
    // If the file is badly damaged, Ghostscript writes an empty page and reports success.
    if (pagesSeen === 0) throw createCorruptPdfError(new Error('Ghostscript found no page.'))
  } catch (error) {
    throw toPdfError(error)
  }
}

/** Returns the number of pages of a PDF that a tool has written, or 0 if the file is not a PDF. */
export async function countPages(path: string, tools: Tools): Promise<number> {
  try {
    const { stdout } = await tools.exec('pdfinfo', [path])
    return Number(/^Pages:\s+(\d+)/m.exec(stdout)?.[1] ?? 0)
  } catch (error) {
    if (error instanceof ProcessFailure) return 0
    throw error
  }
}

/** Checks that Ghostscript has written all pages. @throws AppError CORRUPT_FILE. */
export async function requirePages(path: string, pages: number, tools: Tools) {
  if ((await countPages(path, tools)) === pages) return
  throw new AppError('CORRUPT_FILE', 'The PDF is damaged: some of its pages cannot be rewritten.')
}

/** Flattens the form before distilling: Ghostscript drops forms, including fields without an appearance stream. */
export async function flattenForm(pdf: EditablePdf, tools: Tools): Promise<DistillInput> {
  return pdf.hasForm ? { path: await flattenAnnotations(pdf, tools), sizes: pdf.sizes } : pdf
}

/** Warns about features that `distill` removes. */
export function warnAboutDistillLosses(pdf: EditablePdf, tools: Tools): void {
  warnAboutRemovedTags(pdf, tools)
  if (!pdf.hasForm) return
  const message = 'Form fields became plain page content: they are visible but can no longer be filled in.'
  tools.warn('FORM_FLATTENED', message)
}
