import { extractText, isElement, type PandocElement, type Tree } from './tree.ts'

/** Classes of containers that pandoc's slide writer supports, besides two columns. */
const slideClasses = ['notes', 'incremental', 'nonincremental']

/**
 * Moves tables and images to the top level of the document, because the slide writer drops those in containers, and
 * tables in lists, quotations and cells. A table follows the block that contained it.
 */
export function moveTablesToTopLevel(tree: Tree): void {
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
    const tables = removeInnerTables(block)
    return tables.length > 0 ? [block, ...tables].filter((part) => extractText(part) !== '') : [block]
  })
}

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

/** Removes the tables inside a block and returns them in document order. */
function removeInnerTables(block: PandocElement): PandocElement[] {
  const tables: PandocElement[] = []
  const stack: unknown[] = [block.c]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    if (isTable(node)) tables.push(node)
    const children: unknown[] = Object.values(node)
    for (const child of children.toReversed()) stack.push(child)
    if (Array.isArray(node) && node.some(isTable)) removeTables(node)
  }
  return tables
}

function removeTables(nodes: unknown[]): void {
  const otherNodes = nodes.filter((node) => !isTable(node))
  nodes.length = 0
  for (const node of otherNodes) nodes.push(node)
}

const isTable = (node: unknown): node is PandocElement => isElement(node) && node.t === 'Table'
