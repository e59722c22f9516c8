import type { Job } from './api.ts'

/** How numbers, moments and states are said. */

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** As file managers count, 1 kB = 1000 bytes. Number and unit stay on one line. */
export function sizeWords(bytes: number): string {
  if (bytes === 1) return '1 byte'
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)}\u00a0${units[power]}`
}

export function changeWords(before: number, after: number): string {
  if (before === 0 || Math.abs(after - before) < before / 100) return 'about the same size'
  if (after < before) return `${Math.min(99, Math.round(100 - (100 * after) / before))}% smaller`
  return after < 2 * before
    ? `${Math.round((100 * after) / before - 100)}% larger`
    : `${(after / before).toFixed(1)} times the size`
}

export function remainingWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `about ${seconds} s left`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `about ${minutes} min left` : `about ${(minutes / 60).toFixed(1)} h left`
}

const moment = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

export const momentWords = (iso: string) => moment.format(new Date(iso))

const stages: Readonly<Record<string, string>> = {
  import: 'Reading the file',
  validate: 'Checking the file',
  convert: 'Converting',
  ocr: 'Recognizing text',
  export: 'Saving the result',
}

export function stageWords({ status, progress }: Job): string {
  if (status === 'pending') return 'Waiting for the file'
  if (status === 'queued') return 'Waiting for its turn'
  return stages[progress.stage] ?? sentenceCase(progress.stage)
}

/** `audioCodec` and `audio_codec` read "Audio codec". */
export function optionLabel(name: string): string {
  return sentenceCase(
    name
      .replace(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
      .replaceAll('_', ' '),
  )
}

export const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
