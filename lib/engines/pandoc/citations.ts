import type { FormatId } from '../../formats/index.ts'
import { isElement, noAttributes, plainText, type Tree, visit } from './tree.ts'

/** Whose readers know what the keys of citations are: `\cite{knuth}`, `[@knuth]`. */
const citing: readonly FormatId[] = ['tex', 'ctx', 'mmd', 'pjson', 'native']

interface Citation {
  readonly citationId: string
  readonly citationPrefix: unknown
  readonly citationSuffix: unknown
}

const isCitation = (node: unknown): node is Citation =>
  typeof node === 'object' && node !== null && 'citationId' in node && typeof node.citationId === 'string'

/** A citation of LaTeX is there as it was written, which other writers leave out: its keys stand for it, `[knuth, p. 5]`. */
export function keysOfCitations(tree: Tree, target: FormatId): void {
  if (citing.includes(target)) return
  visit(tree, (element) => {
    if (element.t !== 'Cite' || !Array.isArray(element.c)) return
    const [citations, shown]: unknown[] = element.c
    const isRaw = Array.isArray(shown) && shown.every((part) => isElement(part) && part.t === 'RawInline')
    if (!isRaw || !Array.isArray(citations)) return
    const keys = citations.filter(isCitation).map(textOf).join('; ')
    element.t = 'Span'
    element.c = [noAttributes, [{ t: 'Str', c: `[${keys}]` }]]
  })
}

function textOf({ citationPrefix, citationId, citationSuffix }: Citation): string {
  const suffix = plainText(citationSuffix)
  const after = suffix === '' || suffix.startsWith(',') ? suffix : `, ${suffix}`
  return `${plainText(citationPrefix)} ${citationId}${after}`.trim()
}
