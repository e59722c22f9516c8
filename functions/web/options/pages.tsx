import { useState } from 'preact/hooks'
import { Lazy } from '../shell/lazy.tsx'
import type { ControlProps } from './field-props.ts'
import { Text } from './texts.tsx'
import words from './words/en.ts'

const loadPageChooser = () => import('../grid/range-chooser.tsx')
const noAbilities = [] as const

/** A text field for a page range, and thumbnails if the page has the PDF. */
export function Pages(props: ControlProps) {
  const [isOpen, setOpen] = useState(false)
  const { file, option, onChange } = props
  return (
    <div class="pages">
      <Text {...props} type="text" />
      {file && isPdf(file) && (
        <button type="button" class="button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {words.pickPages}
        </button>
      )}
      {file && isOpen && (
        <Lazy
          load={loadPageChooser}
          file={file}
          abilities={noAbilities}
          onChange={(pages) => onChange(option.name, pages || undefined)}
        />
      )}
    </div>
  )
}

const isPdf = ({ name, type }: File) => type === 'application/pdf' || /\.pdf$/i.test(name)
