import type { Ability } from '../../grid/grid-props.ts'
import {
  formatNewOrder,
  formatRange,
  type PageArrangement,
  removedPages,
  type Step,
  selectedPages,
  splitParts,
  toOperations,
} from '../../grid/page-order.ts'
import type { ToolId } from './tools.ts'

/** What the grid of pages is for with a tool. */
export interface GridUse {
  readonly abilities: readonly Ability[]
  readonly isSelection: boolean
  /** Options that it stands for. */
  readonly replacedOptions: readonly string[]
  /** Undefined where nothing has been done yet that the tool could do. */
  readonly steps: (arrangement: PageArrangement, id: ToolId) => readonly Step[] | undefined
}

const pagesOperation = (operation: ToolId, pages: string | undefined): readonly Step[] | undefined =>
  pages ? [{ operation, options: { pages } }] : undefined

const undefinedIfEmpty = (steps: readonly Step[]) => (steps.length > 0 ? steps : undefined)

/** Some pages, or all when none is selected. */
const selectionUse: GridUse = {
  ...{ abilities: [], isSelection: true, replacedOptions: ['pages'] },
  steps: (arrangement, id) => {
    const pages = formatRange(selectedPages(arrangement))
    return [{ operation: id, options: pages ? { pages } : {} }]
  },
}

const gridUses: Partial<Readonly<Record<ToolId, GridUse>>> = {
  'organize-pdf': {
    ...{ abilities: ['move', 'rotate', 'remove', 'split'], isSelection: false, replacedOptions: ['pages'] },
    steps: (arrangement) => undefinedIfEmpty(toOperations(arrangement)),
  },
  'split-pdf': {
    ...{ abilities: ['split'], isSelection: false, replacedOptions: ['pages'] },
    // Without a cut each page becomes a file.
    steps: (arrangement, id) => {
      const parts = splitParts(arrangement)
      return [{ operation: id, options: parts.length > 1 ? { pages: parts.map(formatRange).join(',') } : {} }]
    },
  },
  'extract-pdf-pages': {
    ...{ abilities: ['move'], isSelection: true, replacedOptions: ['pages'] },
    steps: (arrangement, id) => pagesOperation(id, formatRange(selectedPages(arrangement))),
  },
  'remove-pdf-pages': {
    ...{ abilities: ['remove'], isSelection: false, replacedOptions: ['pages'] },
    steps: (arrangement, id) => pagesOperation(id, formatRange(removedPages(arrangement))),
  },
  'reorder-pdf-pages': {
    ...{ abilities: ['move'], isSelection: false, replacedOptions: ['pages'] },
    steps: (arrangement, id) => pagesOperation(id, formatNewOrder(arrangement)),
  },
  'rotate-pdf': {
    ...{ abilities: ['rotate'], isSelection: false, replacedOptions: ['pages', 'rotate'] },
    steps: (arrangement) => undefinedIfEmpty(toOperations(arrangement)),
  },
}

/** Of a tool that can be told pages. */
export const gridUseFor = (id: ToolId, optionNames: readonly string[]): GridUse | undefined =>
  gridUses[id] ?? (optionNames.includes('pages') ? selectionUse : undefined)
