import { parseArgs } from 'node:util'
import { type EngineId, engineIds } from '../../lib/component-ids.ts'
import { type Category, categories, formatByAlias, formatById } from '../../lib/formats/index.ts'
import type { Conversion } from '../../lib/plan/index.ts'

export const usage = `npm run conformance -- [options]
  --category image    only sources of this category
  --from a,b          only these source formats
  --to x,y            only these targets
  --engine id         only conversions that use this engine
  --part 3/10         every tenth conversion, starting with the third
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
  readonly engine: EngineId | undefined
  readonly part: { readonly index: number; readonly of: number } | undefined
  readonly again: boolean
  readonly uncounted: boolean
  readonly jobs: number
  /** Undefined to run all. */
  readonly minutes: number | undefined
}

/** @throws Error that names the invalid argument. */
export function parseChoice(args: readonly string[]): PairSelection {
  const { values } = parseArgs({
    args: [...args],
    options: {
      category: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      engine: { type: 'string' },
      part: { type: 'string' },
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
    engine: parseOneOf('engine', values.engine, engineIds),
    part: parsePart(values.part),
    again: values.again,
    uncounted: values.uncounted,
    jobs: parseJobs(values.jobs),
    minutes: parseMinutes(values.minutes),
  }
}

export function parseJobs(value: string): number {
  const jobs = Number(value)
  if (Number.isInteger(jobs) && jobs >= 1) return jobs
  throw new Error(`--jobs expects a whole number, got ${value}.`)
}

export function parseMinutes(value: string | undefined): number | undefined {
  const minutes = value === undefined ? undefined : Number(value)
  if (minutes === undefined || minutes > 0) return minutes
  throw new Error(`--minutes expects a number above 0, got ${value}.`)
}

export function parseOneOf<T extends string>(
  name: string,
  value: string | undefined,
  known: readonly T[],
): T | undefined {
  const found = known.find((one) => one === value)
  if (value === undefined || found !== undefined) return found
  throw new Error(`--${name} expects one of ${known.join(', ')}, got ${value}.`)
}

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
export const isWhole = ({ category, from, to, engine, part }: PairSelection) =>
  !(category ?? from ?? to ?? engine ?? part)

/** Keeps the order of the registry, so that the conversions of one source share their first steps. */
export function selectPairs(all: readonly Conversion[], choice: PairSelection): Conversion[] {
  const { category, from, to, engine, part } = choice
  return all.filter(
    (pair, at) =>
      (!category || formatById(pair.from).category === category) &&
      (!from || from.includes(pair.from)) &&
      (!to || to.includes(pair.to)) &&
      (!engine || pair.route.steps.some((step) => step.engine === engine)) &&
      (!part || at % part.of === part.index - 1),
  )
}
