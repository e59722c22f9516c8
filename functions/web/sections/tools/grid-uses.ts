import {
  type Arranged,
  orderOf,
  partsOf,
  rangeOf,
  removedPages,
  type Step,
  selectedPages,
  stepsOf,
} from '../../grid/page-order.ts'
import type { Ability } from '../../grid/grid-props.ts'
import type { ToolId } from './tools.ts'

/** What the grid of pages is for with a tool. */
export interface Use {
  readonly can: readonly Ability[]
  readonly isChoice: boolean
  /** Options that it stands for. */
  readonly instead: readonly string[]
  /** Undefined where nothing has been done yet that the tool could do. */
  readonly steps: (arranged: Arranged, id: ToolId) => readonly Step[] | undefined
}

const named = (operation: ToolId, pages: string | undefined): readonly Step[] | undefined =>
  pages ? [{ operation, options: { pages } }] : undefined

const some = (steps: readonly Step[]) => (steps.length > 0 ? steps : undefined)

/** Some pages, or all when none is selected. */
const choice: Use = {
  ...{ can: [], isChoice: true, instead: ['pages'] },
  steps: (arranged, id) => {
    const pages = rangeOf(selectedPages(arranged))
    return [{ operation: id, options: pages ? { pages } : {} }]
  },
}

const uses: Partial<Readonly<Record<ToolId, Use>>> = {
  'organize-pdf': {
    ...{ can: ['move', 'turn', 'remove', 'cut'], isChoice: false, instead: ['pages'] },
    steps: (arranged) => some(stepsOf(arranged)),
  },
  'split-pdf': {
    ...{ can: ['cut'], isChoice: false, instead: ['pages'] },
    // Without a cut each page becomes a file.
    steps: (arranged, id) => {
      const parts = partsOf(arranged)
      return [{ operation: id, options: parts.length > 1 ? { pages: parts.map(rangeOf).join(',') } : {} }]
    },
  },
  'extract-pdf-pages': {
    ...{ can: ['move'], isChoice: true, instead: ['pages'] },
    steps: (arranged, id) => named(id, rangeOf(selectedPages(arranged))),
  },
  'remove-pdf-pages': {
    ...{ can: ['remove'], isChoice: false, instead: ['pages'] },
    steps: (arranged, id) => named(id, rangeOf(removedPages(arranged))),
  },
  'reorder-pdf-pages': {
    ...{ can: ['move'], isChoice: false, instead: ['pages'] },
    steps: (arranged, id) => named(id, orderOf(arranged)),
  },
  'rotate-pdf': {
    ...{ can: ['turn'], isChoice: false, instead: ['pages', 'rotate'] },
    steps: (arranged) => some(stepsOf(arranged)),
  },
}

/** Of a tool that can be told pages. */
export const useOf = (id: ToolId, optionNames: readonly string[]): Use | undefined =>
  uses[id] ?? (optionNames.includes('pages') ? choice : undefined)
