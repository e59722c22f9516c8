import type { Tools } from '../../engine.ts'
import { rangesOf } from '../page-range.ts'

/** What OCRmyPDF says of a page that it leaves without text, and what a client is told instead. */
const reasons = [
  {
    said: /^ *(\d+) \[tesseract\] took too long to OCR/gm,
    told: (seconds: number) => `reading one took longer than ${seconds} seconds`,
  },
  { said: /^ *(\d+) page too big, skipping OCR/gm, told: () => 'their pictures are too large' },
] as const

/**
 * Tells which pages came without text.
 * @returns their numbers in the PDF that was read.
 * @param log of OCRmyPDF, whose lines begin with the number of a page.
 * @param numbers of its pages in the document; the same when left out.
 */
export function warnUnread(
  log: string,
  { seconds, numbers }: { readonly seconds: number; readonly numbers?: readonly number[] | undefined },
  tools: Pick<Tools, 'warn'>,
): readonly number[] {
  const all = new Set<number>()
  for (const { said, told } of reasons) {
    const pages = Array.from(log.matchAll(said), ([, page]) => Number(page))
    if (pages.length === 0) continue
    for (const page of pages) all.add(page)
    const named = rangesOf(pages.map((page) => numbers?.[page - 1] ?? page))
    tools.warn(
      'TEXT_MAY_BE_MISSING',
      `The text of these pages was not read, as ${told(seconds)}: ${named}. Send them in a lower resolution.`,
    )
  }
  return [...all]
}
