import type { Job } from '../../api.ts'
import { getLocale } from '../../shell/locale.ts'
import words from './words/en.ts'

/** Formats sizes, times and stages as text. */

/** Creates a value on first use: creating all values would noticeably delay the first visit on a slow device. */
function createLazy<Value extends object>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= create())
}

const decimalFormat = createLazy(
  () => new Intl.NumberFormat(getLocale(), { maximumFractionDigits: 1, minimumFractionDigits: 1 }),
)
const numberFormat = createLazy(() => new Intl.NumberFormat(getLocale()))

export const formatNumber = (value: number) => numberFormat().format(value)

const percentFormat = createLazy(
  () => new Intl.NumberFormat(getLocale(), { style: 'percent', roundingMode: 'floor' }),
)

/** Rounds down, so that the result is never 100% if anything is missing. */
export const formatPercent = (share: number) => percentFormat().format(share)

/** Formats a size like file managers, with 1 kB = 1000 bytes. Number and unit stay on one line. */
export function formatFileSize(bytes: number): string {
  if (bytes === 1) return words.oneByte
  const unitIndex = Math.min(4, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** unitIndex
  const number = unitIndex === 0 || value >= 100 ? String(Math.round(value)) : decimalFormat().format(value)
  return `${number}\u00a0${words.bytes[unitIndex]}`
}

export function describeSizeChange(bytesBefore: number, bytesAfter: number): string {
  if (bytesBefore === 0 || Math.abs(bytesAfter - bytesBefore) < bytesBefore / 100) return words.sameSize
  if (bytesAfter < bytesBefore)
    return words.smaller(Math.min(99, Math.round(100 - (100 * bytesAfter) / bytesBefore)))
  return bytesAfter < 2 * bytesBefore
    ? words.larger(Math.round((100 * bytesAfter) / bytesBefore - 100))
    : words.times(decimalFormat().format(bytesAfter / bytesBefore))
}

export function describeTimeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return words.secondsLeft(seconds)
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? words.minutesLeft(minutes) : words.hoursLeft(decimalFormat().format(minutes / 60))
}

const dateTimeFormat = createLazy(
  () =>
    new Intl.DateTimeFormat(getLocale(), {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
    }),
)

export const formatExpiry = (iso: string) => dateTimeFormat().format(new Date(iso))

export function describeStage({ status, progress }: Job): string {
  if (status === 'pending') return words.waitingFile
  if (status === 'queued') return words.inQueue
  return words.stages[progress.stage] ?? words.stages['convert'] ?? ''
}
