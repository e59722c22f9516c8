import type { PdfPages } from './local-pages.ts'
import type { PageArrangement } from './page-order.ts'
import type { PdfAccess } from './use-pages.ts'

/** What users can do with pages, besides selecting them. */
export type Ability = 'move' | 'rotate' | 'remove' | 'split'

export interface GridProps {
  readonly file: File
  readonly abilities: readonly Ability[]
  /** Whether the grid is for selecting pages. The selection is then also shown as text. */
  readonly isForSelecting: boolean
  /** The pages and their order; undefined until the pages are loaded. */
  readonly arrangement: PageArrangement | undefined
  readonly onChange: (arrangement: PageArrangement | undefined) => void
  /** Called when the file is open, with what the service needs to access it. */
  readonly onOpen: (access: PdfAccess) => void
}

export interface SheetsProps extends GridProps {
  readonly arrangement: PageArrangement
  readonly pages: PdfPages
}
