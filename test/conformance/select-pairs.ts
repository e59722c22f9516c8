import { parseArgs } from 'node:util'
import { type EngineId, engineIds } from '../../lib/component-ids.ts'
import { type Category, categories, formatByAlias, formatById } from '../../lib/formats/index.ts'
import type { Conversion } from '../../lib/plan/index.ts'
import { getPairKey, type ResultsByPair } from './results.ts'

export const usage = `npm run conformance -- [options]
  --category image    only sources of this category
  --from a,b          only these source formats
  --to x,y            only these targets
  --engine a,b        only conversions that use one of these engines
  --part 3/10         every tenth conversion, starting with the third
  --seconds 120       an even selection that took this long when the results were recorded
  --again             only conversions with a recorded success for their route
  --uncounted         with --again: only those whose retained share is not recorded yet
  --minutes 8         starts no further conversion after this many minutes
  --jobs 2            number of parallel conversions
`

/** Which conversions to run, and how. */
export interface PairSelection {
  readonly category: Category | undefined
  readonly from: readonly string[] | undefined
  readonly to: readonly string[] | undefined
  readonly engines: readonly EngineId[] | undefined
  readonly part: { readonly index: number; readonly of: number } | undefined
  /** How many seconds of conversions to select, by their recorded durations; undefined for all. */
  readonly seconds: number | undefined
  readonly again: boolean
  readonly uncounted: boolean
  readonly jobs: number
  /** Time limit of the run; undefined to run all. */
  readonly minutes: number | undefined
}

/** Parses the arguments of the conformance runner. @throws Error that names the invalid argument. */
export function parsePairChoice(args: readonly string[]): PairSelection {
  const { values } = parseArgs({
    args: [...args],
    options: {
      category: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      engine: { type: 'string' },
      part: { type: 'string' },
      seconds: { type: 'string' },
      again: { type: 'boolean', default: false },
      uncounted: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '2' },
      minutes: { type: 'string' },
    },
  })
  return {
    category: parseOneOf('category', values.category, categories),
    from: formatList(values.from),
    to: formatList(values.to),
    engines: parseListOf('engine', values.engine, engineIds),
    part: parsePart(values.part),
    seconds: parsePositive('seconds', values.seconds),
    again: values.again,
    uncounted: values.uncounted,
    jobs: parseJobs(values.jobs),
    minutes: parsePositive('minutes', values.minutes),
  }
}

export function parseJobs(value: string): number {
  const jobs = Number(value)
  if (Number.isInteger(jobs) && jobs >= 1) return jobs
  throw new Error(`--jobs expects a whole number, got ${value}.`)
}

export function parsePositive(name: string, value: string | undefined): number | undefined {
  const number = value === undefined ? undefined : Number(value)
  if (number === undefined || number > 0) return number
  throw new Error(`--${name} expects a number above 0, got ${value}.`)
}

export function parseOneOf<T extends string>(
  name: string,
  value: string | undefined,
  knownValues: readonly T[],
): T | undefined {
  const foundValue = knownValues.find((one) => one === value)
  if (value === undefined || foundValue !== undefined) return foundValue
  throw new Error(`--${name} expects one of ${knownValues.join(', ')}, got ${value}.`)
}

/** Parses values separated by commas. */
export const parseListOf = <T extends string>(
  name: string,
  values: string | undefined,
  knownValues: readonly T[],
) => values?.split(',').flatMap((value) => parseOneOf(name, value, knownValues) ?? [])

function formatList(value: string | undefined): string[] | undefined {
  return value?.split(',').map((name) => {
    const format = formatByAlias(name)
    if (format) return format.id
    throw new Error(`"${name}" is not a format of the registry.`)
  })
}

/** Parses a part such as `3/10`. */
export function parsePart(value: string | undefined): PairSelection['part'] {
  if (value === undefined) return undefined
  const [index = 0, of = 0] = value.split('/').map(Number)
  if (Number.isInteger(index) && Number.isInteger(of) && index >= 1 && index <= of) return { index, of }
  throw new Error(`--part expects two numbers such as 3/10, got ${value}.`)
}

/** Returns whether the selection contains the whole registry. */
export const isWhole = ({ category, from, to, engines, part, seconds }: PairSelection) =>
  !(category ?? from ?? to ?? engines ?? part ?? seconds)

/**
 * Returns the selected conversions in the order of the registry, so that conversions of one source can share their
 * first steps.
 */
export function selectPairs(allPairs: readonly Conversion[], choice: PairSelection): Conversion[] {
  const { category, from, to, engines, part } = choice
  return allPairs.filter(
    (pair, at) =>
      (!category || formatById(pair.from).category === category) &&
      (!from || from.includes(pair.from)) &&
      (!to || to.includes(pair.to)) &&
      (!engines || pair.route.steps.some((step) => engines.includes(step.engine))) &&
      (!part || at % part.of === part.index - 1),
  )
}

/** Selects every n-th conversion, so that all selected ones take about this time according to recorded durations. */
export function limitSeconds(
  pairs: readonly Conversion[],
  lines: ResultsByPair,
  seconds = Number.POSITIVE_INFINITY,
): Conversion[] {
  const getRecordedSeconds = (pair: Conversion) => (lines.get(getPairKey(pair))?.ms ?? 0) / 1000
  const totalSeconds = pairs.reduce((sum, pair) => sum + getRecordedSeconds(pair), 0)
  const step = Math.max(1, Math.ceil(totalSeconds / seconds))
  let secondsLeft = seconds
  return pairs.filter((pair, at) => {
    if (at % step !== 0) return false
    secondsLeft -= getRecordedSeconds(pair)
    return secondsLeft >= 0
  })
}
