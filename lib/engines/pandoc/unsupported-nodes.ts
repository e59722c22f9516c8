import type { FormatId } from '../../formats/index.ts'
import { type Element, isElement, noAttributes, plainText, type Tree, visit } from './tree.ts'

/** Parts of a document that pandoc's writers leave out in silence, brought into a form that they write. */

/** Whose notes hold one paragraph. */
const shortNotes: readonly FormatId[] = ['adoc']
/** Elements in which a writer drops notes. */
const noNotesIn: Partial<Record<FormatId, readonly string[]>> = {
  dokuwiki: ['Header'],
  zimwiki: ['Table'],
  // It writes them, but as cells of the table, where LibreOffice drops them.
  rtf: ['Table'],
  opml: ['Table'],
  haddock: ['Image'],
  jira: ['Image'],
  ms: ['Image'],
  fb2: ['Image'],
}
const noCaptions: readonly FormatId[] = ['jira', 'xwiki', 'tei', 'opml']

export function keepUnwritten(tree: Tree, target: FormatId): void {
  if (shortNotes.includes(target)) visit(tree, shorten)
  const holders = noNotesIn[target] ?? []
  if (holders.length > 0) {
    visit(tree, (element) => {
      if (holders.includes(element.t)) visit(element.c, inBrackets)
    })
  }
  if (noCaptions.includes(target)) visit(tree, captionAbove)
  // A table whose columns have widths is drawn there, without caption and names of the columns.
  if (target === 'muse') visit(tree, forgetWidths)
}

const isBlocks = (content: unknown): content is unknown[] => Array.isArray(content)

function shorten(element: Element): void {
  if (element.t !== 'Note' || !isBlocks(element.c)) return
  const [first, ...others] = element.c
  const isPlain = isElement(first) && (first.t === 'Para' || first.t === 'Plain')
  if (isPlain && others.length === 0) return
  const parts = element.c.map((block) =>
    isElement(block) && (block.t === 'Para' || block.t === 'Plain') && Array.isArray(block.c)
      ? block.c
      : [{ t: 'Str', c: plainText(block) }],
  )
  const inlines = parts.flatMap((part, at) => (at === 0 ? part : [{ t: 'LineBreak' }, ...part]))
  element.c = [{ t: 'Para', c: inlines }]
}

function inBrackets(element: Element): void {
  if (element.t !== 'Note') return
  element.c = [noAttributes, [{ t: 'Str', c: ` [${plainText(element.c)}]` }]]
  element.t = 'Span'
}

/** `[attributes, [short, blocks], columns, head, bodies, foot]` */
function captionAbove(element: Element): void {
  if (element.t !== 'Table' || !Array.isArray(element.c)) return
  const [, caption, ...rest]: unknown[] = element.c
  const blocks: unknown = Array.isArray(caption) ? caption[1] : undefined
  if (!isBlocks(blocks) || blocks.length === 0) return
  const table = { t: 'Table', c: [element.c[0], [null, []], ...rest] }
  element.t = 'Div'
  element.c = [noAttributes, [...blocks.map(asParagraph), table]]
}

const asParagraph = (block: unknown) =>
  isElement(block) && block.t === 'Plain' ? { ...block, t: 'Para' } : block

function forgetWidths(element: Element): void {
  if (element.t !== 'Table' || !Array.isArray(element.c) || !Array.isArray(element.c[2])) return
  element.c[2] = element.c[2].map((column) =>
    Array.isArray(column) ? [column[0], { t: 'ColWidthDefault' }] : column,
  )
}
