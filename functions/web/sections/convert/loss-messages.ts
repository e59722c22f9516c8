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

/** A still image has one frame, which is always kept, so it is not worth reporting. */
const isWorthShowing = (unit: Unit, source = 0) => source > (unit === 'frames' ? 1 : 0)

/** Says how much of the content was kept, for example "All 1,204 words and 12 pages kept"; undefined if unknown. */
export function describeKeptContent(fidelity: Fidelity): string | undefined {
  const shownUnits = units.filter((unit) => isWorthShowing(unit, fidelity[unit]?.source)).slice(0, maxUnits)
  const completeUnits = shownUnits.filter((unit) => fidelity[unit]?.share === 1)
  const incompleteUnits = shownUnits.filter((unit) => fidelity[unit]?.share !== 1)
  const amounts = completeUnits.map((unit) => formatAmount(fidelity[unit]?.source ?? 0, unit))
  // For a duration or a single unit, "All" would be wrong.
  const isOne =
    completeUnits.length === 1 &&
    (completeUnits[0] === 'seconds' || fidelity[completeUnits[0] ?? 'words']?.source === 1)
  const phrases = [
    ...(amounts.length > 0 ? [words.fidelity.whole(amounts.join(words.fidelity.and), isOne)] : []),
    ...incompleteUnits.map((unit) => {
      const { source = 0, result = 0, share = 0 } = fidelity[unit] ?? {}
      const number = unit === 'seconds' ? formatSeconds(result) : formatInteger(result)
      return words.fidelity.part(number, formatAmount(source, unit), formatPercent(share))
    }),
  ]
  return phrases.length > 0 ? words.fidelity.sentence(phrases) : undefined
}

export function describeDroppedContent(
  { dropped }: Fidelity,
  target: string | undefined,
): string | undefined {
  if (dropped.length === 0) return undefined
  const names = dropped.map((name) => words.fidelity.dropped[name] ?? name).join(words.fidelity.comma)
  return words.fidelity.droppedContent(target?.toUpperCase() ?? words.fidelity.theResult, names)
}

function formatAmount(count: number, unit: Unit): string {
  if (unit === 'seconds') return formatSeconds(count)
  const [singularWord, pluralWord] = words.fidelity.units[unit] ?? [unit, unit]
  return `${formatInteger(count)}\u00a0${count === 1 ? singularWord : pluralWord}`
}

/** Formats seconds as minutes, such as 185.2 as `3:05 min`. */
function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))}\u00a0s`
  const rounded = Math.round(seconds)
  return `${Math.floor(rounded / 60)}:${String(rounded % 60).padStart(2, '0')}\u00a0min`
}

/** Rounds down, so that the result is never 100% if anything is missing. */
const formatPercent = (share: number) => `${Math.floor(share * 100)}%`
