import { type ContentBlock, getParagraphText, type Paragraph } from './blocks.ts'
import { joinRuns } from './runs.ts'

/** Whether `firstBlock` continues the paragraph in `lastBlock`, which was split by a column or page break. */
export function isContinuation(lastBlock: ContentBlock, firstBlock: ContentBlock): lastBlock is Paragraph {
  if (lastBlock.kind !== 'paragraph' || firstBlock.kind !== 'paragraph') return false
  if (
    !lastBlock.mayContinue ||
    lastBlock.heading !== undefined ||
    firstBlock.heading !== undefined ||
    firstBlock.marker
  )
    return false
  if (Math.abs(lastBlock.style.size - firstBlock.style.size) > 0.5 || lastBlock.isRtl !== firstBlock.isRtl)
    return false
  return (
    !/[.!?:;。！？”"»)\]]\s*$/u.test(getParagraphText(lastBlock)) &&
    /^[\p{Ll}\p{Lo}]/u.test(getParagraphText(firstBlock))
  )
}

/** Joins both parts of a split paragraph in the place of the first part. */
export function joinParagraphs<First extends Paragraph>(
  lastParagraph: First,
  firstBlock: ContentBlock,
): First {
  if (firstBlock.kind !== 'paragraph') return lastParagraph
  return {
    ...lastParagraph,
    runs: joinRuns(lastParagraph.runs, firstBlock.runs),
    mayContinue: firstBlock.mayContinue,
    lineCount: lastParagraph.lineCount + firstBlock.lineCount,
    // The longer part shows more reliably whether lines are justified.
    alignment:
      lastParagraph.lineCount < firstBlock.lineCount ? firstBlock.alignment : lastParagraph.alignment,
  }
}
