import { useState } from 'preact/hooks'
import PageGrid from './grid.tsx'
import type { Ability } from './grid-props.ts'
import { formatRange, type PageArrangement, selectedPages } from './page-order.ts'

/** Some pages of a file; in the order in which they are taken, where they can be moved. */
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
      isSelection={false}
      arrangement={arrangement}
      onChange={(next) => {
        // What was typed holds until something is chosen.
        if (next && arrangement) props.onChange(formatRange(selectedPages(next)))
        setArrangement(next)
      }}
      onOpen={() => {}}
    />
  )
}
