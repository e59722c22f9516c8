import type { PdfPages } from './local-pages.ts'
import type { PageArrangement } from './page-order.ts'
import type { PdfAccess } from './use-pages.ts'

/** What can be done with pages, beside selecting them. */
export type Ability = 'move' | 'rotate' | 'remove' | 'split'

export interface GridProps {
  readonly file: File
  readonly abilities: readonly Ability[]
  /** Selecting is what it is for: the selection is shown as text, too. */
  readonly isSelection: boolean
  /** Undefined until the pages are there. */
  readonly arrangement: PageArrangement | undefined
  readonly onChange: (arrangement: PageArrangement | undefined) => void
  /** What the service needs for the same file. */
  readonly onOpen: (access: PdfAccess) => void
}

export interface SheetsProps extends GridProps {
  readonly arrangement: PageArrangement
  readonly pages: PdfPages
}
