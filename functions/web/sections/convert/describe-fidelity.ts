import type { Job } from '../../api.ts'
import { formatNumber, formatPercent } from './format-text.ts'
import words from './words/en.ts'

export type Fidelity = NonNullable<NonNullable<Job['result']>['fidelity']>
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
  const countedUnits = completeUnits.filter((unit) => unit !== 'seconds')
  const amounts = countedUnits.map((unit) => formatAmount(fidelity[unit]?.source ?? 0, unit))
  // For a single word or page, "All" would be wrong.
  const isOne = countedUnits.length === 1 && fidelity[countedUnits[0] ?? 'words']?.source === 1
  const phrases = [
    ...(completeUnits.includes('seconds')
      ? [words.fidelity.wholeLength(formatSeconds(fidelity.seconds?.source ?? 0))]
      : []),
    ...(amounts.length > 0 ? [words.fidelity.whole(amounts.join(words.fidelity.and), isOne)] : []),
    ...incompleteUnits.map((unit) => {
      const { source = 0, result = 0, share = 0 } = fidelity[unit] ?? {}
      const formattedResult = unit === 'seconds' ? formatSeconds(result) : formatNumber(result)
      return words.fidelity.part(formattedResult, formatAmount(source, unit), formatPercent(share))
    }),
  ]
  return phrases.length > 0 ? words.fidelity.sentence(phrases) : undefined
}

export function describeDroppedContent(
  { dropped }: Fidelity,
  target: string | undefined,
): string | undefined {
  if (dropped.length === 0) return undefined
  const droppedNames = dropped.map((name) => words.fidelity.dropped[name] ?? name).join(words.fidelity.comma)
  return words.fidelity.droppedContent(target?.toUpperCase() ?? words.fidelity.theResult, droppedNames)
}

function formatAmount(count: number, unit: Unit): string {
  if (unit === 'seconds') return formatSeconds(count)
  const [singularWord, pluralWord] = words.fidelity.units[unit] ?? [unit, unit]
  return `${formatNumber(count)}\u00a0${count === 1 ? singularWord : pluralWord}`
}

/** Formats seconds as minutes, such as 185.2 as `3:05 min`. */
function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${formatNumber(Number(seconds.toFixed(1)))}\u00a0s`
  const rounded = Math.round(seconds)
  return `${Math.floor(rounded / 60)}:${String(rounded % 60).padStart(2, '0')}\u00a0min`
}
