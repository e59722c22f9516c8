import { type Block, type Paragraph, textOf } from './blocks.ts'
import { appended } from './runs.ts'

/** A paragraph that a column or a page cut in two. */
export function goesOnAcross(last: Block, first: Block): last is Paragraph {
  if (last.kind !== 'paragraph' || first.kind !== 'paragraph') return false
  if (!last.open || last.heading !== undefined || first.heading !== undefined || first.mark) return false
  if (Math.abs(last.style.size - first.style.size) > 0.5 || last.rtl !== first.rtl) return false
  return !/[.!?:;。！？”"»)\]]\s*$/u.test(textOf(last)) && /^[\p{Ll}\p{Lo}]/u.test(textOf(first))
}

/** The first part with the text of the second; it stands where the first part stood. */
export function extended<First extends Paragraph>(last: First, first: Block): First {
  if (first.kind !== 'paragraph') return last
  return {
    ...last,
    runs: appended(last.runs, first.runs),
    open: first.open,
    lineCount: last.lineCount + first.lineCount,
    // The longer part tells better whether its lines are filled.
    alignment: last.lineCount < first.lineCount ? first.alignment : last.alignment,
  }
}
