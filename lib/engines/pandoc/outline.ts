import { type Element, isElement, noAttributes, plainText, type Tree, visit } from './tree.ts'

/**
 * Makes a document an outline: notes hang on headings, so that what stands before the first needs one, and they hold
 * no tables, whose rows become lines. `title` is the heading for what has none.
 */
export function makeOutline(tree: Tree, title: string): void {
  const [first] = tree.blocks
  if (first !== undefined && !(isElement(first) && first.t === 'Header')) {
    tree.blocks.unshift({ t: 'Header', c: [1, noAttributes, [{ t: 'Str', c: title }]] })
  }
  visit(tree, (element) => {
    if (element.t !== 'Table') return
    element.c = [noAttributes, rowsOf(element).map(paragraph)]
    element.t = 'Div'
  })
}

function paragraph(cells: readonly string[]): Element {
  return { t: 'Para', c: [{ t: 'Str', c: cells.join(' | ') }] }
}

/** Rows are `[attributes, cells]`, cells `[attributes, alignment, rows, columns, blocks]`; pandoc names neither. */
function rowsOf(table: Element): string[][] {
  const rows: string[][] = []
  const look = (node: unknown): void => {
    if (!Array.isArray(node)) return
    if (node.length === 2 && isAttributes(node[0]) && Array.isArray(node[1]) && node[1].every(isCell)) {
      if (node[1].length > 0) rows.push(node[1].map((cell: unknown[]) => plainText(cell[4])))
    } else {
      for (const child of node) look(child)
    }
  }
  look(table.c)
  return rows
}

const isAttributes = (node: unknown) =>
  Array.isArray(node) && node.length === 3 && typeof node[0] === 'string'
const isCell = (node: unknown): node is unknown[] =>
  Array.isArray(node) && node.length === 5 && isAttributes(node[0]) && typeof node[2] === 'number'

/** Cells of notebooks and sections of books hide the headings in them from writers that look for headings. */
export function unwrapSections(tree: Tree): void {
  tree.blocks = unwrapped(tree.blocks, 0)
}

/** Sections that nest deeper than any author's stay as they are. */
const mostDepth = 20

function unwrapped(blocks: readonly unknown[], depth: number): unknown[] {
  return blocks.flatMap((block) => {
    if (depth > mostDepth || !isElement(block) || block.t !== 'Div' || !Array.isArray(block.c)) return [block]
    const [attributes, inner]: unknown[] = block.c
    const classes: unknown = Array.isArray(attributes) ? attributes[1] : []
    const isSection = Array.isArray(classes) && (classes.includes('cell') || classes.includes('section'))
    return isSection && Array.isArray(inner) ? unwrapped(inner, depth + 1) : [block]
  })
}
