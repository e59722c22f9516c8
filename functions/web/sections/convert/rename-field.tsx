import type { Signal } from '@preact/signals'
import { useId, useLayoutEffect } from 'preact/hooks'
import { adoptStyles } from '../../shell/styles.ts'
import type { ConversionItem } from './item.ts'
import lazyWords from './lazy/words/en.ts'
import rules from './rename-field.css'

adoptStyles(rules)

const maxExamples = 2

/**
 * Applies a pattern such as `{name}-{n}.{ext}`, which turns `a.pdf` into `a-1.pdf`, exactly as the service does for the
 * files in a ZIP.
 */
function applyPattern(pattern: string, filename: string, number: number): string {
  const dot = filename.lastIndexOf('.')
  const [name, extension] = dot > 0 ? [filename.slice(0, dot), filename.slice(dot + 1)] : [filename, '']
  const values: Readonly<Record<string, string>> = {
    name,
    ext: extension,
    n: String(number),
    date: new Date().toISOString().slice(0, 10),
  }
  const filledPattern = pattern.replaceAll(/\{(name|ext|n|date)\}/g, (_, key: string) => values[key] ?? '')
  const isComplete = extension === '' || filledPattern.toLowerCase().endsWith(`.${extension.toLowerCase()}`)
  return isComplete ? filledPattern : `${filledPattern}.${extension}`
}

/** A field for the naming pattern of the files in the ZIP, with a preview of the first names. */
export default function RenameField({
  items,
  pattern,
}: {
  readonly items: readonly ConversionItem[]
  readonly pattern: Signal<string>
}) {
  const id = useId()
  // Before the browser paints, so that the field never appears empty.
  useLayoutEffect(() => {
    pattern.value ||= '{name}-{n}.{ext}'
  }, [pattern])
  const exampleNames = items
    .slice(0, maxExamples)
    .map(({ job, name }, at) => applyPattern(pattern.value, job.value?.result?.filename ?? name, at + 1))
  return (
    <div class="field rename">
      <label for={id}>{lazyWords.fileNames}</label>
      <input
        id={id}
        type="text"
        dir="ltr"
        maxLength={200}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        value={pattern.value}
        onInput={(event) => {
          pattern.value = event.currentTarget.value
        }}
      />
      <p id={`${id}-hint`} class="hint">
        {lazyWords.patternHint} {pattern.value.trim() !== '' && <bdi>{exampleNames.join(', ')}</bdi>}
      </p>
    </div>
  )
}
