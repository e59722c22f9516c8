import type { Ability } from '../../grid/grid-props.ts'
import {
  formatNewOrder,
  formatRange,
  listRemovedPages,
  listSelectedPages,
  type PageArrangement,
  type PageOperation,
  splitIntoParts,
  toOperations,
} from '../../grid/page-order.ts'
import type { ToolId } from './tools.ts'

/** How a tool uses the page grid. */
export interface GridUse {
  readonly abilities: readonly Ability[]
  readonly isForSelecting: boolean
  /** Options that the grid sets, so their fields are hidden. */
  readonly replacedOptions: readonly string[]
  /** Returns the operations to run; undefined if there is nothing to do yet. */
  readonly steps: (arrangement: PageArrangement, id: ToolId) => readonly PageOperation[] | undefined
}

const createPagesOperation = (
  operation: ToolId,
  pages: string | undefined,
): readonly PageOperation[] | undefined => (pages ? [{ operation, options: { pages } }] : undefined)

const undefinedIfEmpty = (steps: readonly PageOperation[]) => (steps.length > 0 ? steps : undefined)

/** Uses the selected pages, or all if none are selected. */
const selectionUse: GridUse = {
  abilities: [],
  isForSelecting: true,
  replacedOptions: ['pages'],
  steps: (arrangement, id) => {
    const pages = formatRange(listSelectedPages(arrangement))
    return [{ operation: id, options: pages ? { pages } : {} }]
  },
}

const gridUses: Partial<Readonly<Record<ToolId, GridUse>>> = {
  'organize-pdf': {
    abilities: ['move', 'rotate', 'remove', 'split'],
    isForSelecting: false,
    replacedOptions: ['pages'],
    steps: (arrangement) => undefinedIfEmpty(toOperations(arrangement)),
  },
  'split-pdf': {
    abilities: ['split'],
    isForSelecting: false,
    replacedOptions: ['pages'],
    // Without any split, the operation turns each page into a file.
    steps: (arrangement, id) => {
      const parts = splitIntoParts(arrangement)
      return [{ operation: id, options: parts.length > 1 ? { pages: parts.map(formatRange).join(',') } : {} }]
    },
  },
  'extract-pdf-pages': {
    abilities: ['move'],
    isForSelecting: true,
    replacedOptions: ['pages'],
    steps: (arrangement, id) => createPagesOperation(id, formatRange(listSelectedPages(arrangement))),
  },
  'remove-pdf-pages': {
    abilities: ['remove'],
    isForSelecting: false,
    replacedOptions: ['pages'],
    steps: (arrangement, id) => createPagesOperation(id, formatRange(listRemovedPages(arrangement))),
  },
  'reorder-pdf-pages': {
    abilities: ['move'],
    isForSelecting: false,
    replacedOptions: ['pages'],
    steps: (arrangement, id) => createPagesOperation(id, formatNewOrder(arrangement)),
  },
  'rotate-pdf': {
    abilities: ['rotate'],
    isForSelecting: false,
    replacedOptions: ['pages', 'rotate'],
    steps: (arrangement) => undefinedIfEmpty(toOperations(arrangement)),
  },
}

/** Returns how a tool uses the grid; undefined if the tool does not use it. */
export const getGridUse = (id: ToolId, optionNames: readonly string[]): GridUse | undefined =>
  gridUses[id] ?? (optionNames.includes('pages') ? selectionUse : undefined)
