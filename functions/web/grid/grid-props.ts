import type { Pages } from './local-pages.ts'
import type { Arranged } from './page-order.ts'
import type { Way } from './use-pages.ts'

/** What can be done with pages, beside selecting them. */
export type Ability = 'move' | 'turn' | 'remove' | 'cut'

export interface GridProps {
  readonly file: File
  readonly can: readonly Ability[]
  /** Selecting is what it is for: the selection is shown as text, too. */
  readonly isChoice: boolean
  /** Undefined until the pages are there. */
  readonly arranged: Arranged | undefined
  readonly onChange: (arranged: Arranged | undefined) => void
  /** What the service needs for the same file. */
  readonly onOpen: (way: Way) => void
}

export interface SheetsProps extends GridProps {
  readonly arranged: Arranged
  readonly pages: Pages
}
