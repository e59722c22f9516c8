import type { Job } from './api.ts'

type Fidelity = NonNullable<NonNullable<Job['result']>['fidelity']>
type Unit = Exclude<keyof Fidelity, 'dropped'>

/** What is said first; two of them are enough. */
const units: readonly (readonly [Unit, one: string, many: string])[] = [
  ['words', 'word', 'words'],
  ['slides', 'slide', 'slides'],
  ['pages', 'page', 'pages'],
  ['sheets', 'sheet', 'sheets'],
  ['cells', 'cell', 'cells'],
  ['cues', 'subtitle', 'subtitles'],
  ['entries', 'file', 'files'],
  ['glyphs', 'letter', 'letters'],
  ['seconds', '', ''],
  ['frames', 'picture', 'pictures'],
]
const most = 2

const droppedNames: Readonly<Record<string, string>> = {
  film: 'the picture',
  formulas: 'formulas (their values stay)',
  notes: 'speaker notes',
  margins: 'page headers and footers',
  changes: 'deleted text',
  channels: 'channels of sound',
  selectableText: 'text to select',
}

/** What came through, as "All 1,204 words and 12 pages kept"; undefined where nobody can tell. */
export function keptWords(fidelity: Fidelity): string | undefined {
  const told = units.flatMap((unit) => (fidelity[unit[0]]?.source ? [unit] : [])).slice(0, most)
  const whole = told.filter(([unit]) => fidelity[unit]?.share === 1)
  const rest = told.filter(([unit]) => fidelity[unit]?.share !== 1)
  const all = whole.map((unit) => amount(fidelity[unit[0]]?.source ?? 0, unit)).join(' and ')
  const parts = [
    // One is not all of several.
    all && `${/^1\u00a0[a-z]+$/.test(all) ? '' : 'All '}${all} kept`,
    ...rest.map((unit) => {
      const { source = 0, result = 0, share = 0 } = fidelity[unit[0]] ?? {}
      const number = unit[0] === 'seconds' ? timeWords(result) : result.toLocaleString('en-GB')
      return `${number} of ${amount(source, unit)} kept (${percentWords(share)})`
    }),
  ].filter(Boolean)
  return parts.length > 0 ? `${parts.join(', ')}.` : undefined
}

export function droppedWords({ dropped }: Fidelity, target: string | undefined): string | undefined {
  if (dropped.length === 0) return undefined
  const names = dropped.map((name) => droppedNames[name] ?? name).join(', ')
  return `Left out, as ${target ?? 'the result'} holds none: ${names}.`
}

const amount = (count: number, [unit, one, many]: (typeof units)[number]) =>
  unit === 'seconds' ? timeWords(count) : `${count.toLocaleString('en-GB')}\u00a0${count === 1 ? one : many}`

/** 185.2 reads 3:05 min. */
function timeWords(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))}\u00a0s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}\u00a0min`
}

/** Never 100 for what is less. */
const percentWords = (share: number) => `${Math.floor(share * 100)}%`
