import * as z from 'zod'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import type { Table } from '../aws/table.ts'
import { component } from '../validation/component.ts'
import { createPercentiles, sumCounts, type UsageCounts } from './counts.ts'
import { countsInRecord, dayOf, excludedEngine, noEngine, serviceDayPartition } from './records.ts'

/** Reliability of the service (SLO), computed from counters per day and engine. */

const dayMs = 86_400_000
/** Days that are read concurrently. */
const maxConcurrentReads = 10

/** Failures caused by the client's files and requests. */
const isClientError = (code: string) =>
  ['CORRUPT_FILE', 'PDF_ENCRYPTED', 'FILE_ENCRYPTED'].includes(code) || /^(?:UNSUPPORTED|INVALID)_/.test(code)

const RateField = z.number().nullable().describe('0 to 1; null when there were no jobs')
const Milliseconds = z.int().nullable()

export const SloView = component(
  'ServiceLevels',
  z.object({
    window: z.object({ from: z.iso.date(), to: z.iso.date(), days: z.int() }),
    totals: z.object({
      jobs: z.int(),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      clientErrors: z.int().describe('Failed jobs whose file or request was at fault'),
    }),
    successRate: RateField.describe('completed / (completed + failed - clientErrors)'),
    rawSuccessRate: RateField.describe('completed / (completed + failed)'),
    durationMs: z.object({ p50: Milliseconds, p95: Milliseconds, p99: Milliseconds }),
    queueMs: z.object({ p50: Milliseconds, p95: Milliseconds }),
    errorCodes: z.array(
      z.object({
        code: z.string(),
        count: z.int(),
        share: z.number().describe('Fraction of all failed jobs'),
      }),
    ),
    engines: z.array(
      z.object({
        engine: z.string(),
        jobs: z.int(),
        successRate: RateField,
        p50: Milliseconds,
        p95: Milliseconds,
        topErrors: z.array(z.object({ code: z.string(), count: z.int() })),
      }),
    ),
    series: z.array(
      z.object({
        date: z.iso.date().describe('First day of the period'),
        jobs: z.int(),
        completed: z.int(),
        failed: z.int(),
        successRate: RateField,
        p50: Milliseconds,
        p95: Milliseconds,
      }),
    ),
    excluded: z.object({ roles: z.array(z.literal('ADMIN')), jobs: z.int() }),
  }),
)
type SloView = z.infer<typeof SloView>

export const bucketDays = { day: 1, week: 7 } as const
type SloBucket = keyof typeof bucketDays

interface EngineDay {
  readonly date: string
  readonly engine: string
  readonly counts: UsageCounts
}

/** Reads the counters of the last days, including today. */
export async function readEngineDays(table: Table, days: number, now = new Date()): Promise<EngineDay[]> {
  const foundDays: EngineDay[] = []
  const dates = Array.from({ length: days }, (_, ago) =>
    dayOf(new Date(now.getTime() - ago * dayMs).toISOString()),
  )
  await forEachConcurrently(dates, maxConcurrentReads, async (date) => {
    const items = await table.partition(serviceDayPartition(date))
    for (const item of items)
      foundDays.push({
        date,
        engine: String(item['sk']).split('#')[0] ?? noEngine,
        counts: countsInRecord(item),
      })
  })
  return foundDays.sort((a, b) => (a.date < b.date ? -1 : 1))
}

const sum = (some: readonly EngineDay[]) => sumCounts(some.map(({ counts }) => counts))

function codesOf(counts: UsageCounts) {
  return Object.entries(counts)
    .filter(([name]) => name.startsWith('code '))
    .map(([name, count]) => ({ code: name.slice('code '.length), count }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
}

const clientErrorsIn = (counts: UsageCounts) =>
  codesOf(counts).reduce((total, { code, count }) => total + (isClientError(code) ? count : 0), 0)

const rate = (of: number, all: number) => (all > 0 ? Math.round((of / all) * 10_000) / 10_000 : null)
function successRate(counts: UsageCounts) {
  const { completed = 0, failed = 0 } = counts
  return rate(completed, completed + failed - clientErrorsIn(counts))
}

/** @param allDays counters per engine, in order of days. */
export function computeSlo(
  allDays: readonly EngineDay[],
  days: number,
  bucket: SloBucket,
  now = new Date(),
): SloView {
  const countedDays = allDays.filter(({ engine }) => engine !== excludedEngine)
  const total = sum(countedDays)
  const { jobs = 0, completed = 0, failed = 0, cancelled = 0 } = total
  const [durations, queueTimes] = [createPercentiles(total, 'took'), createPercentiles(total, 'queued')]
  const dayAgo = (ago: number) => dayOf(new Date(now.getTime() - ago * dayMs).toISOString())
  return {
    window: { from: dayAgo(days - 1), to: dayAgo(0), days },
    totals: { jobs, completed, failed, cancelled, clientErrors: clientErrorsIn(total) },
    successRate: successRate(total),
    rawSuccessRate: rate(completed, completed + failed),
    durationMs: { p50: durations(0.5), p95: durations(0.95), p99: durations(0.99) },
    queueMs: { p50: queueTimes(0.5), p95: queueTimes(0.95) },
    errorCodes: codesOf(total).map((one) => ({ ...one, share: rate(one.count, failed) ?? 0 })),
    engines: enginesOf(countedDays),
    series: seriesOf(countedDays, bucketDays[bucket], dayAgo(days - 1)),
    excluded: {
      roles: ['ADMIN'],
      jobs: sum(allDays.filter(({ engine }) => engine === excludedEngine))['jobs'] ?? 0,
    },
  }
}

const topErrors = 5

function enginesOf(countedDays: readonly EngineDay[]): SloView['engines'] {
  return Array.from(
    Map.groupBy(countedDays, ({ engine }) => engine),
    ([engine, engineDays]) => {
      const counts = sum(engineDays)
      const durations = createPercentiles(counts, 'took')
      return {
        engine,
        jobs: counts['jobs'] ?? 0,
        successRate: successRate(counts),
        p50: durations(0.5),
        p95: durations(0.95),
        topErrors: codesOf(counts).slice(0, topErrors),
      }
    },
  ).sort((a, b) => b.jobs - a.jobs)
}

/** Sums up periods of `length` days from the first day of the window, without empty periods. */
function seriesOf(countedDays: readonly EngineDay[], length: number, firstDay: string): SloView['series'] {
  const bucketOf = ({ date }: EngineDay) => {
    const at = Math.floor((Date.parse(date) - Date.parse(firstDay)) / dayMs / length)
    return dayOf(new Date(Date.parse(firstDay) + at * length * dayMs).toISOString())
  }
  return Array.from(Map.groupBy(countedDays, bucketOf), ([date, some]) => {
    const counts = sum(some)
    const { jobs = 0, completed = 0, failed = 0 } = counts
    const durations = createPercentiles(counts, 'took')
    return {
      date,
      jobs,
      completed,
      failed,
      successRate: successRate(counts),
      p50: durations(0.5),
      p95: durations(0.95),
    }
  })
}
