import type { FormatId } from '../../formats/index.ts'
import { extractText, isElement, noAttributes, type PandocElement, type Tree, visitNodes } from './tree.ts'

/** Rewrites content that pandoc's writers silently drop into a form that they write. */

/** Targets whose notes consist of a single paragraph. */
const targetsWithShortNotes: readonly FormatId[] = ['adoc']
/** Elements whose notes a writer drops, by target. */
const elementsWithoutNotes: Partial<Record<FormatId, readonly string[]>> = {
  dokuwiki: ['Header'],
  zimwiki: ['Table'],
  // The writer puts notes into table cells, where LibreOffice drops them.
  rtf: ['Table'],
  opml: ['Table'],
  haddock: ['Image'],
  jira: ['Image'],
  ms: ['Image'],
  fb2: ['Image'],
}
const targetsWithoutCaptions: readonly FormatId[] = ['jira', 'xwiki', 'tei', 'opml']

export function rewriteUnsupportedNodes(tree: Tree, target: FormatId): void {
  if (targetsWithShortNotes.includes(target)) visitNodes(tree, shortenNote)
  const parentTypes = elementsWithoutNotes[target] ?? []
  if (parentTypes.length > 0) {
    visitNodes(tree, (element) => {
      if (parentTypes.includes(element.t)) visitNodes(element.c, replaceNoteWithBrackets)
    })
  }
  if (targetsWithoutCaptions.includes(target)) visitNodes(tree, moveCaptionAbove)
  // If columns have widths, the writer draws the table as text, without caption and header row.
  if (target === 'muse') visitNodes(tree, removeColumnWidths)
}

const isBlockList = (content: unknown): content is unknown[] => Array.isArray(content)

function shortenNote(element: PandocElement): void {
  if (element.t !== 'Note' || !isBlockList(element.c)) return
  const [firstValue, ...otherValues] = element.c
  const isParagraph = isElement(firstValue) && (firstValue.t === 'Para' || firstValue.t === 'Plain')
  if (isParagraph && otherValues.length === 0) return
  const parts = element.c.map((block) =>
    isElement(block) && (block.t === 'Para' || block.t === 'Plain') && Array.isArray(block.c)
      ? block.c
      : [{ t: 'Str', c: extractText(block) }],
  )
  const inlines = parts.flatMap((part, at) => (at === 0 ? part : [{ t: 'LineBreak' }, ...part]))
  element.c = [{ t: 'Para', c: inlines }]
}

function replaceNoteWithBrackets(element: PandocElement): void {
  if (element.t !== 'Note') return
  element.c = [noAttributes, [{ t: 'Str', c: ` [${extractText(element.c)}]` }]]
  element.t = 'Span'
}

/** Moves the caption above its table, whose content is `[attributes, [short, blocks], columns, head, bodies, foot]`. */
function moveCaptionAbove(element: PandocElement): void {
  if (element.t !== 'Table' || !Array.isArray(element.c)) return
  const [, caption, ...rest]: unknown[] = element.c
  const blocks: unknown = Array.isArray(caption) ? caption[1] : undefined
  if (!isBlockList(blocks) || blocks.length === 0) return
  const table = { t: 'Table', c: [element.c[0], [null, []], ...rest] }
  element.t = 'Div'
  element.c = [noAttributes, [...blocks.map(toParagraph), table]]
}

const toParagraph = (block: unknown) =>
  isElement(block) && block.t === 'Plain' ? { ...block, t: 'Para' } : block

function removeColumnWidths(element: PandocElement): void {
  if (element.t !== 'Table' || !Array.isArray(element.c) || !Array.isArray(element.c[2])) return
  element.c[2] = element.c[2].map((column) =>
    Array.isArray(column) ? [column[0], { t: 'ColWidthDefault' }] : column,
  )
}
