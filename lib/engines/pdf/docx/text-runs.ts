import type * as docx from 'docx'
import type { Run } from './blocks.ts'
import { fontName } from './fonts.ts'

export type Docx = typeof docx

interface Ground {
  /** What is behind the text, where it has another color than paper. */
  readonly onColor?: string | undefined
}

/** The runs of a paragraph, links around those that have one. */
export function textRuns(library: Docx, runs: readonly Run[], ground: Ground): docx.ParagraphChild[] {
  return runs.map((run) => {
    const text = new library.TextRun({
      children: run.field ? [library.PageNumber.CURRENT] : piecesOf(library, run.text),
      ...lookOf(run, ground),
    })
    return run.link === undefined ? text : new library.ExternalHyperlink({ link: run.link, children: [text] })
  })
}

/** A tab is an element of its own. */
function piecesOf(library: Docx, text: string): (string | docx.Tab)[] {
  return text.split('\t').flatMap((part, index) => (index === 0 ? [part] : [new library.Tab(), part]))
}

function lookOf({ style, script, link, rtl }: Run, { onColor }: Ground): docx.IRunOptions {
  const color = visible(style.color, onColor)
  return {
    font: fontName(style),
    size: Math.max(2, Math.min(3276, Math.round(style.size * 2))),
    ...(style.bold && { bold: true }),
    ...(style.italic && { italics: true }),
    ...(color !== undefined && { color }),
    ...(script === 'super' && { superScript: true }),
    ...(script === 'sub' && { subScript: true }),
    ...(link !== undefined && { underline: {} }),
    ...(rtl && { rightToLeft: true }),
  }
}

/** Black is left to the reader's settings; light text whose ground was lost would not be seen on paper. */
function visible(color: string, onColor: string | undefined): string | undefined {
  if (color === '000000') return undefined
  const channels = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const isLight = channels.every((channel) => channel > 225)
  return isLight && onColor === undefined ? undefined : color
}
