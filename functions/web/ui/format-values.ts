import words from '../words/en.ts'

/** Numbers, sizes and moments in the language of the page. */

const { locale } = words
const wholeNumber = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** Where one reads from right to left, number and unit keep their order (UAX #9, 2.7). */
const whole = (text: string) => (document.dir === 'rtl' ? `\u2068${text}\u2069` : text)

export const sayNumber = (value: number) => wholeNumber.format(value)
export const sayShare = (share: number | null) => (share === null ? '–' : percent.format(share))
export const sayMoment = (iso: string | null | undefined) => (iso ? whole(moment.format(new Date(iso))) : '–')
export const sayDay = (date: string) =>
  whole(date.length === 7 ? date : day.format(new Date(`${date}T00:00:00Z`)))

const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

export function saySize(bytes: number): string {
  const power = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const unit = sizes[power] ?? 'byte'
  const format = new Intl.NumberFormat(locale, {
    ...{ style: 'unit', unit, unitDisplay: power === 0 ? 'long' : 'short', maximumFractionDigits: 1 },
  })
  return whole(format.format(bytes / 1000 ** power))
}

export function sayMs(ms: number | null): string {
  if (ms === null) return '–'
  const isShort = ms < 1000
  const format = new Intl.NumberFormat(locale, {
    ...{ style: 'unit', unit: isShort ? 'millisecond' : 'second', maximumFractionDigits: isShort ? 0 : 1 },
  })
  return whole(format.format(isShort ? ms : ms / 1000))
}
