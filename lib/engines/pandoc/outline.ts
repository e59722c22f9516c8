import { extractText, isElement, noAttributes, type PandocElement, type Tree, visitNodes } from './tree.ts'

/**
 * Restructures a document as an outline (OPML). Text belongs to headings, so text before the first one gets `title` as
 * its heading. Tables are not supported, so their rows become lines.
 */
export function convertToOutline(tree: Tree, title: string): void {
  const [firstBlock] = tree.blocks
  if (firstBlock !== undefined && !(isElement(firstBlock) && firstBlock.t === 'Header')) {
    tree.blocks.unshift({ t: 'Header', c: [1, noAttributes, [{ t: 'Str', c: title }]] })
  }
  visitNodes(tree, (element) => {
    if (element.t !== 'Table') return
    element.c = [noAttributes, readRows(element).map(createParagraph)]
    element.t = 'Div'
  })
}

function createParagraph(cells: readonly string[]): PandocElement {
  return { t: 'Para', c: [{ t: 'Str', c: cells.join(' | ') }] }
}

/** Finds rows, `[attributes, cells]`, and cells, `[attributes, alignment, rows, columns, blocks]`, by their shape. */
function readRows(table: PandocElement): string[][] {
  const rows: string[][] = []
  const search = (node: unknown): void => {
    if (!Array.isArray(node)) return
    if (node.length === 2 && isAttributes(node[0]) && Array.isArray(node[1]) && node[1].every(isCell)) {
      if (node[1].length > 0) rows.push(node[1].map((cell: unknown[]) => extractText(cell[4])))
    } else {
      for (const child of node) search(child)
    }
  }
  search(table.c)
  return rows
}

const isAttributes = (node: unknown) =>
  Array.isArray(node) && node.length === 3 && typeof node[0] === 'string'
const isCell = (node: unknown): node is unknown[] =>
  Array.isArray(node) && node.length === 5 && isAttributes(node[0]) && typeof node[2] === 'number'

/** Unwraps notebook cells and ebook sections, because writers that look for headings do not look inside them. */
export function unwrapSections(tree: Tree): void {
  tree.blocks = unwrapBlocks(tree.blocks, 0)
}

/** Sections nested deeper than in any real document are left unchanged. */
const maxDepth = 20

function unwrapBlocks(blocks: readonly unknown[], depth: number): unknown[] {
  return blocks.flatMap((block) => {
    if (depth > maxDepth || !isElement(block) || block.t !== 'Div' || !Array.isArray(block.c)) return [block]
    const [attributes, innerBlocks]: unknown[] = block.c
    const classes: unknown = Array.isArray(attributes) ? attributes[1] : []
    const isSection = Array.isArray(classes) && (classes.includes('cell') || classes.includes('section'))
    return isSection && Array.isArray(innerBlocks) ? unwrapBlocks(innerBlocks, depth + 1) : [block]
  })
}
