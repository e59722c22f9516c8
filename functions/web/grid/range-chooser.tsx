import { useState } from 'preact/hooks'
import PageGrid from './grid.tsx'
import { type Arranged, rangeOf, selectedPages } from './page-order.ts'
import type { Ability } from './grid-props.ts'

/** Some pages of a file; in the order in which they are taken, where they can be moved. */
export default function RangeChooser(props: {
  readonly file: File
  readonly can: readonly Ability[]
  readonly onChange: (pages: string) => void
}) {
  const [arranged, setArranged] = useState<Arranged>()
  return (
    <PageGrid
      file={props.file}
      can={props.can}
      isChoice={false}
      arranged={arranged}
      onChange={(next) => {
        // What was typed holds until something is chosen.
        if (next && arranged) props.onChange(rangeOf(selectedPages(next)))
        setArranged(next)
      }}
      onOpen={() => {}}
    />
  )
}
