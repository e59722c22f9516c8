import type { FormatId } from '../../formats/index.ts'
import { extractText, isElement, noAttributes, type Tree } from './tree.ts'

/** Targets whose writers output the subtitle; the others silently drop it. */
const targetsWithSubtitle: readonly FormatId[] = [
  ...(['docx', 'odt', 'pptx', 'epub', 'html', 'xhtml', 'md', 'mmd', 'rst', 'muse', 'tex', 'ctx'] as const),
  ...(['dbk', 'xml', 'jats', 'pjson', 'native'] as const),
]

/** Targets whose writers output the abstract, which is metadata in pandoc's AST. */
const targetsWithAbstract: readonly FormatId[] = [
  ...(['docx', 'odt', 'html', 'xhtml', 'epub', 'jats', 'tex', 'ctx', 'ms', 'md', 'mmd', 'adoc'] as const),
  ...(['pjson', 'native'] as const),
]

/** Targets that show the title outside of the text. */
const targetsWithTitlePage: readonly FormatId[] = [
  ...(['html', 'xhtml', 'epub', 'fb2', 'opml', 'pptx', 'dbk', 'xml', 'jats', 'pjson', 'native'] as const),
]

/** Targets that show the title above the text and store it as a property, too. */
const targetsWithTitleProperty: readonly FormatId[] = ['docx', 'odt']

/** Whether the first heading repeats the title, as in pages created from an email. */
function beginsWithTitle(tree: Tree): boolean {
  const [heading] = tree.blocks
  if (!isElement(heading) || heading.t !== 'Header' || !Array.isArray(heading.c)) return false
  return extractText(heading.c[2]) === extractText(tree.meta['title'])
}

/** Moves title, subtitle and abstract to where the target format supports them. */
export function adaptTitle(tree: Tree, target: FormatId, titleAsHeading: boolean): void {
  if (!targetsWithAbstract.includes(target)) moveAbstractToText(tree)
  if (!targetsWithTitlePage.includes(target) && beginsWithTitle(tree)) {
    if (targetsWithTitleProperty.includes(target)) tree.blocks.shift()
    else delete tree.meta['title']
  }
  if (titleAsHeading) convertTitleToHeading(tree)
  else if (!targetsWithSubtitle.includes(target)) joinSubtitleToTitle(tree)
}

/** Returns the title or the first heading as text; empty if there is neither. */
export function readTitle(tree: Tree): string {
  const title = extractText(tree.meta['title'])
  if (title !== '') return title
  const heading = tree.blocks.find((block) => isElement(block) && block.t === 'Header')
  return isElement(heading) && Array.isArray(heading.c) ? extractText(heading.c[2]) : ''
}

export function setTitle(tree: Tree, name: 'title' | 'pagetitle', title: string): void {
  tree.meta[name] = { t: 'MetaString', c: title.slice(0, 300) }
}

/** Adds the title as a heading, followed by lines for subtitle, authors and date. */
function convertTitleToHeading(tree: Tree): void {
  const { title, subtitle, author, date } = tree.meta
  const authors =
    isElement(author) && author.t === 'MetaList' && Array.isArray(author.c) ? author.c : [author]
  const lines = [subtitle, ...authors, date].map(extractText).filter((line) => line !== '')
  const text = title === undefined ? '' : readTitle(tree)
  tree.blocks.unshift(
    ...(text === '' ? [] : [{ t: 'Header', c: [1, noAttributes, [{ t: 'Str', c: text }]] }]),
    ...lines.map((line) => ({ t: 'Para', c: [{ t: 'Str', c: line }] })),
  )
}

function joinSubtitleToTitle(tree: Tree): void {
  const [title, subtitle] = [extractText(tree.meta['title']), extractText(tree.meta['subtitle'])]
  if (subtitle !== '') setTitle(tree, 'title', title === '' ? subtitle : `${title}: ${subtitle}`)
}

/** Moves the abstract to the start of the text. */
function moveAbstractToText(tree: Tree): void {
  const { abstract } = tree.meta
  delete tree.meta['abstract']
  if (!isElement(abstract) || !Array.isArray(abstract.c)) return
  if (abstract.t === 'MetaBlocks') tree.blocks.unshift(...abstract.c)
  if (abstract.t === 'MetaInlines') tree.blocks.unshift({ t: 'Para', c: abstract.c })
}
