import type { Job } from '../../api.ts'
import { formatInteger } from './format-text.ts'
import words from './words/en.ts'

type Fidelity = NonNullable<NonNullable<Job['result']>['fidelity']>
type Unit = Exclude<keyof Fidelity, 'dropped' | 'uncounted'>

/** The most important units first; only the first two that apply are shown. */
const units: readonly Unit[] = [
  ...(['words', 'slides', 'pages', 'sheets', 'cells', 'cues', 'entries', 'glyphs'] as const),
  ...(['seconds', 'frames', 'images', 'tables', 'links', 'fields'] as const),
]
const maxUnits = 2

/** A still image is one frame, which is kept in any case. */
const isWorthShowing = (unit: Unit, source = 0) => source > (unit === 'frames' ? 1 : 0)

/** Says how much of the content was kept, for example "All 1,204 words and 12 pages kept"; undefined if unknown. */
export function describeKept(fidelity: Fidelity): string | undefined {
  const shownUnits = units.filter((unit) => isWorthShowing(unit, fidelity[unit]?.source)).slice(0, maxUnits)
  const complete = shownUnits.filter((unit) => fidelity[unit]?.share === 1)
  const incomplete = shownUnits.filter((unit) => fidelity[unit]?.share !== 1)
  const amounts = complete.map((unit) => formatAmount(fidelity[unit]?.source ?? 0, unit))
  // "All" makes no sense for a duration or a single unit.
  const isOne =
    complete.length === 1 && (complete[0] === 'seconds' || fidelity[complete[0] ?? 'words']?.source === 1)
  const parts = [
    ...(amounts.length > 0 ? [words.fidelity.whole(amounts.join(words.fidelity.and), isOne)] : []),
    ...incomplete.map((unit) => {
      const { source = 0, result = 0, share = 0 } = fidelity[unit] ?? {}
      const number = unit === 'seconds' ? formatSeconds(result) : formatInteger(result)
      return words.fidelity.part(number, formatAmount(source, unit), formatPercent(share))
    }),
  ]
  return parts.length > 0 ? words.fidelity.sentence(parts) : undefined
}

export function describeDropped({ dropped }: Fidelity, target: string | undefined): string | undefined {
  if (dropped.length === 0) return undefined
  const names = dropped.map((name) => words.fidelity.dropped[name] ?? name).join(words.fidelity.comma)
  return words.fidelity.leftOut(target?.toUpperCase() ?? words.fidelity.theResult, names)
}

function formatAmount(count: number, unit: Unit): string {
  if (unit === 'seconds') return formatSeconds(count)
  const [one, manyWord] = words.fidelity.units[unit] ?? [unit, unit]
  return `${formatInteger(count)}\u00a0${count === 1 ? one : manyWord}`
}

/** Formats 185.2 as 3:05 min. */
function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))}\u00a0s`
  const rounded = Math.round(seconds)
  return `${Math.floor(rounded / 60)}:${String(rounded % 60).padStart(2, '0')}\u00a0min`
}

/** Never 100% if anything is missing. */
const formatPercent = (share: number) => `${Math.floor(share * 100)}%`
