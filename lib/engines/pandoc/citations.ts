import type { FormatId } from '../../formats/index.ts'
import { extractText, isElement, noAttributes, type Tree, visitNodes } from './tree.ts'

/** Targets with their own citation syntax, such as `\cite{knuth}` or `[@knuth]`. */
const targetsWithCitations: readonly FormatId[] = ['tex', 'ctx', 'mmd', 'pjson', 'native']

interface Citation {
  readonly citationId: string
  readonly citationPrefix: unknown
  readonly citationSuffix: unknown
}

const isCitation = (node: unknown): node is Citation =>
  typeof node === 'object' && node !== null && 'citationId' in node && typeof node.citationId === 'string'

/** Replaces raw LaTeX citations, which other writers drop, with their keys: `[knuth, p. 5]`. */
export function replaceRawCitations(tree: Tree, target: FormatId): void {
  if (targetsWithCitations.includes(target)) return
  visitNodes(tree, (element) => {
    if (element.t !== 'Cite' || !Array.isArray(element.c)) return
    const [citations, inlines]: unknown[] = element.c
    const isRaw =
      Array.isArray(inlines) && inlines.every((inline) => isElement(inline) && inline.t === 'RawInline')
    if (!isRaw || !Array.isArray(citations)) return
    const keyList = citations.filter(isCitation).map(formatCitation).join('; ')
    element.t = 'Span'
    element.c = [noAttributes, [{ t: 'Str', c: `[${keyList}]` }]]
  })
}

function formatCitation({ citationPrefix, citationId, citationSuffix }: Citation): string {
  const suffix = extractText(citationSuffix)
  const suffixText = suffix === '' || suffix.startsWith(',') ? suffix : `, ${suffix}`
  return `${extractText(citationPrefix)} ${citationId}${suffixText}`.trim()
}
