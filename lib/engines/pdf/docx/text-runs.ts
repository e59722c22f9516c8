import type * as docx from 'docx'
import { defined } from '../../../validation/defined.ts'
import type { StyledRun } from './blocks.ts'
import { toWordFont } from './fonts.ts'

export type DocxLibrary = typeof docx

interface TextBackground {
  /** Background color; unset if it is the color of the paper. */
  readonly backgroundColor?: string | undefined
}

/** Creates the runs of a paragraph, wrapped in a hyperlink if they have one. */
export function createTextRuns(
  library: DocxLibrary,
  runs: readonly StyledRun[],
  background: TextBackground,
): docx.ParagraphChild[] {
  return runs.map((run) => {
    const textRun = new library.TextRun({
      children: run.field ? [library.PageNumber.CURRENT] : splitTabs(library, run.text),
      ...toRunOptions(run, background),
    })
    return run.link === undefined
      ? textRun
      : new library.ExternalHyperlink({ link: run.link, children: [textRun] })
  })
}

/** Splits text at tabs, which are elements of their own in the docx library. */
function splitTabs(library: DocxLibrary, text: string): (string | docx.Tab)[] {
  return text
    .split('\t')
    .flatMap((segment, index) => (index === 0 ? [segment] : [new library.Tab(), segment]))
}

function toRunOptions(
  { style, script, link, isRtl }: StyledRun,
  { backgroundColor }: TextBackground,
): docx.IRunOptions {
  const color = toVisibleColor(style.color, backgroundColor)
  return {
    font: toWordFont(style),
    size: Math.max(2, Math.min(3276, Math.round(style.size * 2))),
    ...(style.bold && { bold: true }),
    ...(style.italic && { italics: true }),
    ...defined({ color }),
    ...(script === 'super' && { superScript: true }),
    ...(script === 'sub' && { subScript: true }),
    ...(link !== undefined && { underline: {} }),
    ...(isRtl && { rightToLeft: true }),
  }
}

/**
 * Returns undefined for black, which is left to the reader's settings, and for light text without a background, which
 * would be invisible on paper.
 */
function toVisibleColor(color: string, backgroundColor: string | undefined): string | undefined {
  if (color === '000000') return undefined
  const channels = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const isLight = channels.every((channel) => channel > 225)
  return isLight && backgroundColor === undefined ? undefined : color
}
