import { useState } from 'preact/hooks'
import { type Arranged, rangeOf, selectedPages } from '../../grid/arrangement.ts'
import PageGrid from '../../grid/grid.tsx'

/** Some pages of a file in the order in which they are taken. */
export default function RangeChooser(props: {
  readonly file: File
  readonly onChange: (pages: string) => void
}) {
  const [arranged, setArranged] = useState<Arranged>()
  return (
    <PageGrid
      file={props.file}
      can={['move']}
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
