import { extractText, isElement, type PandocElement, type Tree } from './tree.ts'

/** Classes of containers that pandoc's slide writer supports. */
const slideClasses: readonly unknown[] = ['columns', 'column', 'notes', 'incremental', 'nonincremental']

/**
 * Moves tables and images to the top level of the document, because the slide writer drops those in containers, and
 * tables in lists, quotations and cells. A table follows the block that contained it.
 */
export function moveTablesToTopLevel(tree: Tree): void {
  while (tree.blocks.some(isContainer))
    tree.blocks = tree.blocks.flatMap((block): unknown => (isContainer(block) ? block.c[1] : [block]))
  tree.blocks = tree.blocks.flatMap((block) => {
    const tables = isElement(block) && block.t !== 'Div' ? removeInnerTables(block) : []
    return tables.length > 0 ? [block, ...tables].filter((part) => extractText(part) !== '') : [block]
  })
}

function isContainer(block: unknown): block is PandocElement & { c: unknown[] } {
  if (!isElement(block) || block.t !== 'Div' || !Array.isArray(block.c)) return false
  const [attributes]: unknown[] = block.c
  const classes: unknown = Array.isArray(attributes) ? attributes[1] : []
  return Array.isArray(classes) && !classes.some((name) => slideClasses.includes(name))
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
