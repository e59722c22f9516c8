import { extractText, isElement, type PandocElement, type Tree } from './tree.ts'

/** Classes of containers that pandoc's slide writer supports, besides two columns. */
const slideClasses = ['notes', 'incremental', 'nonincremental']

/**
 * Moves tables and images to the top level of the document, because the slide writer drops those in containers, lists,
 * quotations and cells, and images within a line of text. They follow the block that contained them.
 */
export function moveTablesAndImagesToTopLevel(tree: Tree): void {
  tree.blocks = liftBlocks(tree.blocks)
}

function liftBlocks(blocks: readonly unknown[]): unknown[] {
  let unwrappedBlocks = blocks
  while (unwrappedBlocks.some(isContainer))
    unwrappedBlocks = unwrappedBlocks.flatMap((block) => (isContainer(block) ? block.c[1] : [block]))
  return unwrappedBlocks.flatMap((block) => {
    if (!isElement(block)) return [block]
    if (isDiv(block) && isTwoColumns(block)) {
      for (const column of block.c[1].filter(isDiv)) column.c[1] = liftBlocks(column.c[1])
      return [block]
    }
    return splitAtImages(block).flatMap(liftFromBlock)
  })
}

/** Makes each image of a paragraph a paragraph of its own; the slide writer shows no others. */
function splitAtImages(block: PandocElement): PandocElement[] {
  if (!isParagraph(block) || !block.c.some(isImage)) return [block]
  const groups: unknown[][] = [[]]
  for (const inline of block.c) {
    if (isImage(inline)) groups.push([inline], [])
    else groups.at(-1)?.push(inline)
  }
  return groups
    .filter((inlines) => inlines.some(isImage) || extractText(inlines) !== '')
    .map((inlines) => ({ t: block.t, c: inlines.slice(inlines.findIndex((inline) => !isBlank(inline))) }))
}

const isBlank = (inline: unknown) =>
  isElement(inline) && ['Space', 'SoftBreak', 'LineBreak'].includes(inline.t)

function liftFromBlock(block: PandocElement): PandocElement[] {
  if (isParagraph(block) && block.c.some(isImage)) return [block]
  const innerBlocks = removeTablesAndImages(block)
    // A table of images is empty without them.
    .filter((element) => isImage(element) || extractText(element) !== '')
    .map((element) => (isTable(element) ? element : { t: 'Para', c: [element] }))
  return innerBlocks.length > 0 && extractText(block) === '' ? innerBlocks : [block, ...innerBlocks]
}

type Paragraph = PandocElement & { c: unknown[] }
const isParagraph = (block: PandocElement): block is Paragraph =>
  (block.t === 'Para' || block.t === 'Plain') && Array.isArray(block.c)

type Div = PandocElement & { c: [attributes: unknown, blocks: unknown[]] }
const isDiv = (block: unknown): block is Div =>
  isElement(block) && block.t === 'Div' && Array.isArray(block.c) && Array.isArray(block.c[1])

const isContainer = (block: unknown): block is Div =>
  isDiv(block) && !slideClasses.some((name) => hasClass(block, name)) && !isTwoColumns(block)

/** Whether the slide writer shows the columns. It drops all others, which web pages have. */
const isTwoColumns = (block: Div) =>
  hasClass(block, 'columns') &&
  block.c[1].length === 2 &&
  block.c[1].every((column) => isDiv(column) && hasClass(column, 'column'))

function hasClass({ c: [attributes] }: Div, name: string): boolean {
  const classes: unknown = Array.isArray(attributes) ? attributes[1] : []
  return Array.isArray(classes) && classes.includes(name)
}

/** Removes the tables and images inside a block and returns them in document order. */
function removeTablesAndImages(block: PandocElement): PandocElement[] {
  const elements: PandocElement[] = []
  const stack: unknown[] = [block.c]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    if (isTable(node) || isImage(node)) elements.push(node)
    // The caption of an image belongs to it.
    if (isImage(node)) continue
    const children: unknown[] = Object.values(node)
    for (const child of children.toReversed()) stack.push(child)
    if (Array.isArray(node)) removeFrom(node)
  }
  return elements
}

function removeFrom(nodes: unknown[]): void {
  const otherNodes = nodes.filter((node) => !isTable(node) && !isImage(node))
  if (otherNodes.length === nodes.length) return
  nodes.length = 0
  for (const node of otherNodes) nodes.push(node)
}

const isTable = (node: unknown): node is PandocElement => isElement(node) && node.t === 'Table'

/** Whether the slide writer shows the element as an image: an image, or a link that contains only an image. */
function isImage(node: unknown): node is PandocElement {
  if (!isElement(node)) return false
  if (node.t === 'Image') return true
  const inlines: unknown = node.t === 'Link' && Array.isArray(node.c) ? node.c[1] : []
  return Array.isArray(inlines) && inlines.length === 1 && isElement(inlines[0]) && inlines[0].t === 'Image'
}
