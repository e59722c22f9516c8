import { getLocale } from '../shell/locale.ts'

/** Numbers, sizes and times in the page's language. */

const locale = getLocale()
const numberFormat = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
const percentFormat = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
const dateTimeFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const dateFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** Isolates text, so that number and unit stay in order in right-to-left text (UAX #9, 2.7). */
const isolateText = (text: string) => (document.dir === 'rtl' ? `\u2068${text}\u2069` : text)

export const formatNumber = (value: number) => numberFormat.format(value)
export const formatPercent = (share: number | null) => (share === null ? '–' : percentFormat.format(share))
export const formatDateTime = (iso: string | null | undefined) =>
  iso ? isolateText(dateTimeFormat.format(new Date(iso))) : '–'
export const formatDate = (date: string) =>
  isolateText(date.length === 7 ? date : dateFormat.format(new Date(`${date}T00:00:00Z`)))

const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

export function formatSize(bytes: number): string {
  const unitIndex = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const unit = sizes[unitIndex] ?? 'byte'
  const format = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: unitIndex === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  })
  return isolateText(format.format(bytes / 1000 ** unitIndex))
}

/** Formats a limit and rounds it down, as the drop zone does: 10,240 MiB are "10 GB". */
export function formatMaxSize(bytes: number): string {
  const unitBytes = 1000 ** Math.floor(Math.log10(Math.max(bytes, 1)) / 3)
  return formatSize(bytes < 10 * unitBytes ? bytes : Math.floor(bytes / unitBytes) * unitBytes)
}

const secondsFormat = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })

/** Formats a duration as `420 ms` or `6.2 s`, with the same unit symbols in every language. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return '–'
  return isolateText(
    ms < 1000
      ? `${numberFormat.format(Math.round(ms))}\u00a0ms`
      : `${secondsFormat.format(ms / 1000)}\u00a0s`,
  )
}
