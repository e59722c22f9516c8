import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Problem, toProblem } from '../../api.ts'
import { OptionFields } from '../../options/fields.tsx'
import { withValue } from '../../options/option-values.ts'
import { linkedChoice } from './add-items.ts'
import { loadItemOptions } from './choose-target.ts'
import type { ConversionItem } from './item.ts'
import { applyLastOptions, rememberOptions } from './last-options.ts'
import lazyWords from './lazy/words/en.ts'
import { saveItemDraft } from './persist-drafts.ts'
import { Presets } from './presets.tsx'
import { isTransient } from './watch-job.ts'
import words from './words/en.ts'

/** Pause before loading the options again if the server could not be reached. */
const retryMs = 5000

/** Whether the option `password` opens the file, instead of encrypting the result. */
const passwordOpensSource = ({ source, tool }: ConversionItem) =>
  source?.category === 'document' && !tool.value?.includes('crypt')

/** The options of one file. They are collapsed, because the defaults are good. */
export default function ItemOptions({ item }: { readonly item: ConversionItem }) {
  const problem = useSignal<Problem | undefined>(undefined)
  const target = item.target.value
  const tool = item.tool.value
  const load = () => {
    problem.value = undefined
    applyLastOptions(item)
    void loadItemOptions(item).catch((error: unknown) => {
      problem.value = toProblem(error)
    })
  }
  useEffect(load, [item, target?.id, tool])
  useEffect(() => {
    if (!problem.value || !isTransient(problem.value)) return
    const timer = setTimeout(load, retryMs)
    return () => clearTimeout(timer)
  }, [problem.value])
  if (problem.value)
    return (
      <p class="notice">
        {lazyWords.optionsFailed(problem.value.message)}{' '}
        <button type="button" class="link" onClick={load}>
          {words.tryAgain}
        </button>
      </p>
    )
  // The card itself asks for the password of a locked file.
  const options = (item.options.value ?? []).filter(
    ({ name }) => name !== 'password' || !passwordOpensSource(item),
  )
  if (options.length === 0 || !target) return null
  const errors = item.fieldErrors.value
  const changeValue = (name: string, value: string | boolean | undefined) => {
    item.values.value = withValue(item.values.value, name, value)
    const { [name]: _error, ...rest } = item.fieldErrors.value
    item.fieldErrors.value = rest
    rememberOptions(item)
    void saveItemDraft(item)
  }
  // Most tools are useless without their options.
  const isOpen =
    Object.keys(errors).length > 0 ||
    tool !== undefined ||
    options.some(({ name }) => name in (linkedChoice.value?.values ?? {}))
  return (
    <details class="options" open={isOpen || undefined}>
      <summary>
        {lazyWords.options}
        {item.lastOptionsPair.value !== undefined && <span class="meta"> {lazyWords.asLastTime}</span>}
      </summary>
      <OptionFields
        options={options}
        values={item.values.value}
        errors={errors}
        onChange={changeValue}
        file={item.file.value}
      />
      <Presets
        choice={tool === undefined ? { to: target.id } : { tool }}
        options={options}
        values={item.values.value}
        onUse={(values) => {
          item.values.value = values
          rememberOptions(item)
          void saveItemDraft(item)
        }}
      />
    </details>
  )
}
