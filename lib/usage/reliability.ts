import * as z from 'zod'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import type { Table } from '../aws/table.ts'
import { component } from '../validation/component.ts'
import { sumCounts, type UsageCounts } from './counts.ts'
import { createGetPercentile } from './duration-bins.ts'
import { excludedEngine, getDay, getServiceDayPartition, noEngine, parseCounts } from './records.ts'

/** Computes the reliability of the service (SLO) from counters per day and engine. */

const dayMs = 86_400_000
/** Maximum number of days that are read concurrently. */
const maxConcurrentReads = 10

/** Whether a failure was caused by the client's file or request. */
const isClientError = (code: string) =>
  ['CORRUPT_FILE', 'PDF_ENCRYPTED', 'FILE_ENCRYPTED'].includes(code) || /^(?:UNSUPPORTED|INVALID)_/.test(code)

const RateField = z.number().nullable().describe('0 to 1; null when there were no jobs')
const MillisecondsField = z.int().nullable()

export const SloView = component(
  'ServiceLevels',
  z.object({
    window: z.object({ from: z.iso.date(), to: z.iso.date(), days: z.int() }),
    totals: z.object({
      jobs: z.int(),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      clientErrors: z.int().describe('Failed jobs whose file or request was the cause'),
    }),
    successRate: RateField.describe('completed / (completed + failed - clientErrors)'),
    rawSuccessRate: RateField.describe('completed / (completed + failed)'),
    durationMs: z.object({ p50: MillisecondsField, p95: MillisecondsField, p99: MillisecondsField }),
    queueMs: z.object({ p50: MillisecondsField, p95: MillisecondsField }),
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
        p50: MillisecondsField,
        p95: MillisecondsField,
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
        p50: MillisecondsField,
        p95: MillisecondsField,
      }),
    ),
    excluded: z.object({ roles: z.array(z.literal('ADMIN')), jobs: z.int() }),
  }),
)
type SloView = z.infer<typeof SloView>

export const daysPerBucket = { day: 1, week: 7 } as const
type SloBucket = keyof typeof daysPerBucket

interface EngineDay {
  readonly date: string
  readonly engine: string
  readonly counts: UsageCounts
}

/** Reads the counters of the last days, including today. */
export async function readEngineDays(table: Table, days: number, now = new Date()): Promise<EngineDay[]> {
  const foundDays: EngineDay[] = []
  const dates = Array.from({ length: days }, (_, daysAgo) =>
    getDay(new Date(now.getTime() - daysAgo * dayMs).toISOString()),
  )
  await forEachConcurrently(dates, maxConcurrentReads, async (date) => {
    const items = await table.partition(getServiceDayPartition(date))
    for (const item of items)
      foundDays.push({
        date,
        engine: String(item['sk']).split('#')[0] ?? noEngine,
        counts: parseCounts(item),
      })
  })
  return foundDays.sort((a, b) => (a.date < b.date ? -1 : 1))
}

const sumDays = (engineDays: readonly EngineDay[]) => sumCounts(engineDays.map(({ counts }) => counts))

function countErrorCodes(counts: UsageCounts) {
  return Object.entries(counts)
    .filter(([name]) => name.startsWith('code '))
    .map(([name, count]) => ({ code: name.slice('code '.length), count }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
}

const countClientErrors = (counts: UsageCounts) =>
  countErrorCodes(counts).reduce((total, { code, count }) => total + (isClientError(code) ? count : 0), 0)

const computeRate = (count: number, total: number) =>
  total > 0 ? Math.round((count / total) * 10_000) / 10_000 : null
function successRate(counts: UsageCounts) {
  const { completed = 0, failed = 0 } = counts
  return computeRate(completed, completed + failed - countClientErrors(counts))
}

/** Computes the success rate and the durations. @param allDays counters per engine, in the order of days. */
export function computeSlo(
  allDays: readonly EngineDay[],
  days: number,
  bucket: SloBucket,
  now = new Date(),
): SloView {
  const countedDays = allDays.filter(({ engine }) => engine !== excludedEngine)
  const total = sumDays(countedDays)
  const { jobs = 0, completed = 0, failed = 0, cancelled = 0 } = total
  const [getDuration, getQueueTime] = [
    createGetPercentile(total, 'took'),
    createGetPercentile(total, 'queued'),
  ]
  const getDateDaysAgo = (daysAgo: number) => getDay(new Date(now.getTime() - daysAgo * dayMs).toISOString())
  return {
    window: { from: getDateDaysAgo(days - 1), to: getDateDaysAgo(0), days },
    totals: { jobs, completed, failed, cancelled, clientErrors: countClientErrors(total) },
    successRate: successRate(total),
    rawSuccessRate: computeRate(completed, completed + failed),
    durationMs: { p50: getDuration(0.5), p95: getDuration(0.95), p99: getDuration(0.99) },
    queueMs: { p50: getQueueTime(0.5), p95: getQueueTime(0.95) },
    errorCodes: countErrorCodes(total).map((errorCount) => ({
      ...errorCount,
      share: computeRate(errorCount.count, failed) ?? 0,
    })),
    engines: summarizeEngines(countedDays),
    series: createSeries(countedDays, daysPerBucket[bucket], getDateDaysAgo(days - 1)),
    excluded: {
      roles: ['ADMIN'],
      jobs: sumDays(allDays.filter(({ engine }) => engine === excludedEngine))['jobs'] ?? 0,
    },
  }
}

const topErrors = 5

function summarizeEngines(countedDays: readonly EngineDay[]): SloView['engines'] {
  return Array.from(
    Map.groupBy(countedDays, ({ engine }) => engine),
    ([engine, engineDays]) => {
      const counts = sumDays(engineDays)
      const getPercentile = createGetPercentile(counts, 'took')
      return {
        engine,
        jobs: counts['jobs'] ?? 0,
        successRate: successRate(counts),
        p50: getPercentile(0.5),
        p95: getPercentile(0.95),
        topErrors: countErrorCodes(counts).slice(0, topErrors),
      }
    },
  ).sort((a, b) => b.jobs - a.jobs)
}

/** Sums up periods of `length` days from the first day of the window, and omits empty periods. */
function createSeries(
  countedDays: readonly EngineDay[],
  length: number,
  firstDay: string,
): SloView['series'] {
  const getBucket = ({ date }: EngineDay) => {
    const at = Math.floor((Date.parse(date) - Date.parse(firstDay)) / dayMs / length)
    return getDay(new Date(Date.parse(firstDay) + at * length * dayMs).toISOString())
  }
  return Array.from(Map.groupBy(countedDays, getBucket), ([date, some]) => {
    const counts = sumDays(some)
    const { jobs = 0, completed = 0, failed = 0 } = counts
    const getPercentile = createGetPercentile(counts, 'took')
    return {
      date,
      jobs,
      completed,
      failed,
      successRate: successRate(counts),
      p50: getPercentile(0.5),
      p95: getPercentile(0.95),
    }
  })
}
