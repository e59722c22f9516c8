import type { Option } from '../../api.ts'
import { linkedChoice } from './add-items.ts'
import type { ConversionItem } from './item.ts'
import { loadLastOptions, saveLastOptions } from './local-storage.ts'

/** Remembers the options of each pair of formats in this browser. */

/** What belongs to a single file, or is secret. */
const ownWidgets = ['password', 'pages', 'time', 'date']
const ownNames = [
  ...['title', 'author', 'subject', 'keywords', 'description', 'copyright', 'creator', 'producer'],
  ...['watermarkText', 'headerText', 'footerText', 'paths', 'terms', 'targetSize', 'cropBox'],
  // What is lost has to be accepted for each file.
  'dropSignatures',
]

const belongsToFile = ({ name, widget }: Option) =>
  ownNames.includes(name) || ownWidgets.some((own) => own === widget)

const pairOf = ({ source, target, tool }: ConversionItem) => `${source?.id} ${tool.value ?? target.value?.id}`

/** Uses the options of last time, unless the person or a link has set some. */
export function applyLastOptions(item: ConversionItem): void {
  const pair = pairOf(item)
  const isUntouched = item.lastOptionsOf.value !== undefined || Object.keys(item.values.value).length === 0
  if (!isUntouched || item.lastOptionsOf.value === pair || linkedChoice.value) return
  const lastValues = loadLastOptions(pair)
  item.values.value = lastValues
  item.lastOptionsOf.value = Object.keys(lastValues).length > 0 ? pair : undefined
}

export function rememberOptions(item: ConversionItem): void {
  item.lastOptionsOf.value = undefined
  const reusable = (item.options.value ?? []).filter((option) => !belongsToFile(option))
  const values = Object.entries(item.values.value).filter(([name]) =>
    reusable.some((option) => option.name === name),
  )
  saveLastOptions(pairOf(item), Object.fromEntries(values))
}
