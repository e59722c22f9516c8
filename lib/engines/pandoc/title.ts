import type { FormatId } from '../../formats/index.ts'
import { isElement, noAttributes, plainText, type Tree } from './tree.ts'

/** Whose writers bring the subtitle; the others leave it out, in silence. */
const withSubtitle: readonly FormatId[] = [
  ...(['docx', 'odt', 'pptx', 'epub', 'html', 'xhtml', 'md', 'mmd', 'rst', 'muse', 'tex', 'ctx'] as const),
  ...(['dbk', 'xml', 'jats', 'pjson', 'native'] as const),
]

/** Whose writers bring the abstract of a document, which stands beside its text. */
const withAbstract: readonly FormatId[] = [
  ...(['docx', 'odt', 'html', 'xhtml', 'epub', 'jats', 'tex', 'ctx', 'ms', 'md', 'mmd', 'adoc'] as const),
  ...(['pjson', 'native'] as const),
]

/** Puts what describes the document into places that its new format has. */
export function settleTitle(tree: Tree, target: FormatId, titleAsHeading: boolean): void {
  if (!withAbstract.includes(target)) abstractToText(tree)
  if (titleAsHeading) titleToHeading(tree)
  else if (!withSubtitle.includes(target)) subtitleToTitle(tree)
}

/** The text of the title or of the first heading; empty when there is neither. */
export function titleOf(tree: Tree): string {
  const title = plainText(tree.meta['title'])
  if (title !== '') return title
  const heading = tree.blocks.find((block) => isElement(block) && block.t === 'Header')
  return isElement(heading) && Array.isArray(heading.c) ? plainText(heading.c[2]) : ''
}

export function setTitle(tree: Tree, name: 'title' | 'pagetitle', title: string): void {
  tree.meta[name] = { t: 'MetaString', c: title.slice(0, 300) }
}

/** A heading, and below it a line each for the subtitle, who wrote it and when. */
function titleToHeading(tree: Tree): void {
  const { title, subtitle, author, date } = tree.meta
  const authors =
    isElement(author) && author.t === 'MetaList' && Array.isArray(author.c) ? author.c : [author]
  const lines = [subtitle, ...authors, date].map(plainText).filter((line) => line !== '')
  const text = title === undefined ? '' : titleOf(tree)
  tree.blocks.unshift(
    ...(text === '' ? [] : [{ t: 'Header', c: [1, noAttributes, [{ t: 'Str', c: text }]] }]),
    ...lines.map((line) => ({ t: 'Para', c: [{ t: 'Str', c: line }] })),
  )
}

function subtitleToTitle(tree: Tree): void {
  const [title, subtitle] = [plainText(tree.meta['title']), plainText(tree.meta['subtitle'])]
  if (subtitle !== '') setTitle(tree, 'title', title === '' ? subtitle : `${title}: ${subtitle}`)
}

/** Puts the abstract in front of the text. */
function abstractToText(tree: Tree): void {
  const { abstract } = tree.meta
  delete tree.meta['abstract']
  if (!isElement(abstract) || !Array.isArray(abstract.c)) return
  if (abstract.t === 'MetaBlocks') tree.blocks.unshift(...abstract.c)
  if (abstract.t === 'MetaInlines') tree.blocks.unshift({ t: 'Para', c: abstract.c })
}
