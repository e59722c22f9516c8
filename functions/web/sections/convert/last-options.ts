import type { Option } from '../../api.ts'
import { linkedChoice } from './add-items.ts'
import type { ConversionItem } from './item.ts'
import { loadLastOptions, saveLastOptions } from './local-storage.ts'

/** Remembers the options of each pair of formats in this browser. */

/** Widgets of options that only make sense for one file, or that are secret. */
const fileSpecificWidgets = ['password', 'pages', 'time', 'date']
const fileSpecificNames = [
  ...['title', 'author', 'subject', 'keywords', 'description', 'copyright', 'creator', 'producer'],
  ...['watermarkText', 'headerText', 'footerText', 'paths', 'terms', 'targetSize', 'cropBox'],
  // Users must accept the loss of signatures separately for each file.
  'dropSignatures',
]

const isFileSpecific = ({ name, widget }: Option) =>
  fileSpecificNames.includes(name) || fileSpecificWidgets.some((own) => own === widget)

const getPairKey = ({ source, target, tool }: ConversionItem) =>
  `${source?.id} ${tool.value ?? target.value?.id}`

/** Sets the options used last time, unless the user or a link has already set some. */
export function applyLastOptions(item: ConversionItem): void {
  const pair = getPairKey(item)
  const isUntouched = item.lastOptionsPair.value !== undefined || Object.keys(item.values.value).length === 0
  if (!isUntouched || item.lastOptionsPair.value === pair || linkedChoice.value) return
  const lastValues = loadLastOptions(pair)
  item.values.value = lastValues
  item.lastOptionsPair.value = Object.keys(lastValues).length > 0 ? pair : undefined
}

export function rememberOptions(item: ConversionItem): void {
  item.lastOptionsPair.value = undefined
  const reusableOptions = (item.options.value ?? []).filter((option) => !isFileSpecific(option))
  const values = Object.entries(item.values.value).filter(([name]) =>
    reusableOptions.some((option) => option.name === name),
  )
  saveLastOptions(getPairKey(item), Object.fromEntries(values))
}
