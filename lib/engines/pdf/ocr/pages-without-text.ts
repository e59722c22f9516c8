import type { Tools } from '../../engine.ts'
import { formatPageRange } from '../page-range.ts'

/** OCRmyPDF's messages about pages without text, and explanations for clients. */
const reasons = [
  {
    pattern: /^ *(\d+) \[tesseract\] took too long to OCR/gm,
    explain: (seconds: number) => `each took longer than ${seconds} seconds`,
  },
  { pattern: /^ *(\d+) page too big, skipping OCR/gm, explain: () => 'their images are too large' },
] as const

/**
 * Warns about pages that were left without text.
 * @returns the numbers of these pages in the PDF that was read.
 * @param log output of OCRmyPDF, whose lines start with a page number.
 * @param documentPages for each page of that PDF, its number in the whole document; the same number if omitted.
 */
export function warnAboutPagesWithoutText(
  log: string,
  {
    seconds,
    documentPages,
  }: { readonly seconds: number; readonly documentPages?: readonly number[] | undefined },
  tools: Pick<Tools, 'warn'>,
): readonly number[] {
  const allPages = new Set<number>()
  for (const { pattern, explain } of reasons) {
    const pages = Array.from(log.matchAll(pattern), ([, page]) => Number(page))
    if (pages.length === 0) continue
    for (const page of pages) allPages.add(page)
    const pageList = formatPageRange(pages.map((page) => documentPages?.[page - 1] ?? page))
    tools.warn(
      'TEXT_MAY_BE_MISSING',
      `The text of these pages was not read because ${explain(seconds)}: ${pageList}. Send them at a lower resolution.`,
    )
  }
  return [...allPages]
}
