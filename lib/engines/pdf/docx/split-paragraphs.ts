import { type ContentBlock, getParagraphText, type Paragraph } from './blocks.ts'
import { joinRuns } from './runs.ts'

/** Whether `first` continues a paragraph that was split by a column or page break. */
export function isContinuation(last: ContentBlock, first: ContentBlock): last is Paragraph {
  if (last.kind !== 'paragraph' || first.kind !== 'paragraph') return false
  if (!last.mayContinue || last.heading !== undefined || first.heading !== undefined || first.marker)
    return false
  if (Math.abs(last.style.size - first.style.size) > 0.5 || last.isRtl !== first.isRtl) return false
  return (
    !/[.!?:;。！？”"»)\]]\s*$/u.test(getParagraphText(last)) &&
    /^[\p{Ll}\p{Lo}]/u.test(getParagraphText(first))
  )
}

/** Joins both parts of a split paragraph in the place of the first. */
export function joinParagraphs<First extends Paragraph>(last: First, first: ContentBlock): First {
  if (first.kind !== 'paragraph') return last
  return {
    ...last,
    runs: joinRuns(last.runs, first.runs),
    mayContinue: first.mayContinue,
    lineCount: last.lineCount + first.lineCount,
    // The longer part shows more reliably whether its lines are justified.
    alignment: last.lineCount < first.lineCount ? first.alignment : last.alignment,
  }
}
