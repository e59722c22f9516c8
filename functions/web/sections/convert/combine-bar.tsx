import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import type { Option } from '../../api.ts'
import { OptionFields } from '../../options/fields.tsx'
import { loadOptions } from '../../options/load-options.ts'
import { type Values, validateOptions, withValue } from '../../options/option-values.ts'
import { canCombine, combineImages, type ImageOrder, imageOrders } from './combine-images.ts'
import type { ConversionItem } from './item.ts'
import lazyWords from './lazy/words/en.ts'
import { openToolWith } from './open-tool.ts'
import words from './words/en.ts'

/** Offers to combine images into one PDF, with a paper size and the order of the pages. */
export default function CombineBar({ group }: { readonly group: readonly ConversionItem[] }) {
  const orderId = useId()
  const order = useSignal<ImageOrder>('list')
  const options = useSignal<readonly Option[]>([])
  const values = useSignal<Values>({})
  const [first] = group
  const format = first?.source?.id
  const isOffered = useSignal(false)
  const formats = [...new Set(group.flatMap(({ source }) => source?.id ?? []))].join()
  useEffect(() => {
    let isCurrent = true
    const offer = (answer: boolean) => {
      if (isCurrent) isOffered.value = answer
    }
    // If the request fails, combining is offered anyway: the service will report what it cannot combine.
    canCombine(formats.split(',')).then(offer, () => offer(true))
    return () => {
      isCurrent = false
    }
  }, [formats])
  useEffect(() => {
    if (!format) return
    // If the options cannot be loaded, the PDF is created with the defaults.
    loadOptions(format, 'pdf', 'merge').then(
      (loadedOptions) => {
        // There are few options, so all are shown.
        options.value = loadedOptions.map((option) => ({ ...option, group: 'basics' }))
      },
      () => {},
    )
  }, [format])
  if (!first || !isOffered.value) return null
  const errors = validateOptions(options.value, values.value)
  const hasErrors = Object.keys(errors).length > 0
  return (
    <div class="combine">
      <div class="actions">
        <button
          type="button"
          class="button"
          disabled={hasErrors}
          onClick={() =>
            void combineImages(group, order.value, { options: options.value, values: values.value })
          }
        >
          {words.combine(group.length)}
        </button>
        <button type="button" class="button quiet" onClick={() => openToolWith('merge', first)}>
          {words.combineOther}
        </button>
      </div>
      <details class="options" open={hasErrors || undefined}>
        <summary>{lazyWords.combineOptions}</summary>
        <OptionFields
          options={options.value}
          values={values.value}
          errors={errors}
          onChange={(name, value) => {
            values.value = withValue(values.value, name, value)
          }}
        />
        <div class="field">
          <label for={orderId}>{lazyWords.order}</label>
          <select
            id={orderId}
            value={order.value}
            onChange={({ currentTarget: { value } }) => {
              order.value = imageOrders.find((id) => id === value) ?? 'list'
            }}
          >
            {imageOrders.map((id) => (
              <option key={id} value={id}>
                {lazyWords.orders[id]}
              </option>
            ))}
          </select>
        </div>
      </details>
    </div>
  )
}
