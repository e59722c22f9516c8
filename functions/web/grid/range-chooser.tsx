import { useState } from 'preact/hooks'
import PageGrid from './grid.tsx'
import type { Ability } from './grid-props.ts'
import { formatRange, listSelectedPages, type PageArrangement } from './page-order.ts'

/** Lets users select pages of a file, and order them if the pages can be moved. */
export default function RangeChooser(props: {
  readonly file: File
  readonly abilities: readonly Ability[]
  readonly onChange: (pages: string) => void
}) {
  const [arrangement, setArrangement] = useState<PageArrangement>()
  return (
    <PageGrid
      file={props.file}
      abilities={props.abilities}
      isForSelecting={false}
      arrangement={arrangement}
      onChange={(nextArrangement) => {
        // A typed range stays unchanged until the user selects pages.
        if (nextArrangement && arrangement) props.onChange(formatRange(listSelectedPages(nextArrangement)))
        setArrangement(nextArrangement)
      }}
      onOpen={() => {}}
    />
  )
}
