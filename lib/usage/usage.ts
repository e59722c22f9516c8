import * as z from 'zod'
import type { Table } from '../aws/table.ts'
import { AppError } from '../errors.ts'
import { component } from '../validation/component.ts'
import { groupCounts, sumCounts, type UsageCounts } from './counts.ts'
import { getDay, getOwnerUsagePartition, parseCounts } from './records.ts'

/** Usage of an owner by day (UTC). */

const granularities = ['day', 'month'] as const
const groupings = ['engine', 'format', 'key'] as const
/** Maximum number of days per query. */
const maxDays = 366

const figureFields = {
  jobs: z.int().describe('Jobs that have ended'),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  conversionMinutes: z.number().describe('Time of all tasks other than imports and exports, in minutes'),
  bytesIn: z.int(),
  bytesOut: z.int(),
  credits: z.int().describe('Credits used, one for each completed job'),
}

export const UsageQuery = z.object({
  from: z.iso
    .date()
    .optional()
    .describe('First day, such as `2026-01-31`; the first day of the month by default'),
  to: z.iso.date().optional().describe('Last day of the period; today by default'),
  granularity: z.enum(granularities).default('day'),
  groupBy: z
    .enum(groupings)
    .optional()
    .describe(
      '`format`: format of the results; `key`: id of the API key or client that created the job, if any',
    ),
})
type UsageQuery = z.infer<typeof UsageQuery>

const requests = z.int().describe('All requests of the account; requests without an account are not counted')

export const UsageView = component(
  'Usage',
  z.object({
    period: z.object({ from: z.iso.date(), to: z.iso.date() }),
    totals: z.object({ requests, ...figureFields }),
    series: z.array(
      z.object({
        date: z.string().describe('Day or month, such as `2026-01-31` or `2026-01`'),
        requests,
        ...figureFields,
      }),
    ),
    groups: z
      .array(z.object({ name: z.string(), ...figureFields }))
      .describe('Sorted by number of jobs, largest first'),
  }),
)
type UsageView = z.infer<typeof UsageView>

const minuteMs = 60_000
const dayMs = 86_400_000

const toFigures = ({ jobs = 0, completed = 0, failed = 0, cancelled = 0, ...counts }: UsageCounts) => ({
  jobs,
  completed,
  failed,
  cancelled,
  conversionMinutes: Math.round(((counts['workMs'] ?? 0) / minuteMs) * 100) / 100,
  bytesIn: counts['bytesIn'] ?? 0,
  bytesOut: counts['bytesOut'] ?? 0,
  credits: completed,
})

const addRequests = (counts: UsageCounts) => ({ requests: counts['requests'] ?? 0, ...toFigures(counts) })

interface UsageDay {
  readonly date: string
  readonly counts: UsageCounts
}

/** Parses the period of a query. @throws AppError INVALID_INPUT if it ends before it starts or is too long. */
function parsePeriod({ from, to }: Pick<UsageQuery, 'from' | 'to'>, now = new Date()) {
  const lastDay = to ?? getDay(now.toISOString())
  const firstDay = from ?? `${lastDay.slice(0, 7)}-01`
  const days = (Date.parse(lastDay) - Date.parse(firstDay)) / dayMs + 1
  if (days < 1)
    throw new AppError(
      'INVALID_INPUT',
      `from: expected a day no later than "to" (${lastDay}), got ${firstDay}.`,
      {
        field: 'from',
        max: lastDay,
        got: firstDay,
      },
    )
  if (days > maxDays) {
    const min = getDay(new Date(Date.parse(lastDay) - (maxDays - 1) * dayMs).toISOString())
    throw new AppError(
      'INVALID_INPUT',
      `from: expected a day from ${min} to ${lastDay}, because a report covers at most ${maxDays} days; got ${firstDay}.`,
      { field: 'from', min, max: lastDay, got: firstDay },
    )
  }
  return { from: firstDay, to: lastDay }
}

async function readOwnerDays(
  table: Table,
  owner: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<UsageDay[]> {
  const { items } = await table.query({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':pk': getOwnerUsagePartition(owner),
      ':from': `DAY#${from}`,
      ':to': `DAY#${to}`,
    },
  })
  return items.map((item) => ({
    date: String(item['sk']).slice('DAY#'.length),
    counts: parseCounts(item),
  }))
}

export async function readUsage(table: Table, owner: string, query: UsageQuery): Promise<UsageView> {
  const period = parsePeriod(query)
  const days = await readOwnerDays(table, owner, period)
  const total = sumCounts(days.map(({ counts }) => counts))
  const groups = query.groupBy ? [...groupCounts(total, query.groupBy)] : []
  return {
    period,
    totals: addRequests(total),
    series: createSeries(days, query.granularity),
    groups: groups
      .map(([name, counts]) => ({ name, ...toFigures(counts) }))
      .sort((a, b) => b.jobs - a.jobs || (a.name < b.name ? -1 : 1)),
  }
}

/** Returns the counts per day or month; omits empty days and months. */
function createSeries(days: readonly UsageDay[], granularity: UsageQuery['granularity']) {
  const length = granularity === 'month' ? 7 : 10
  const daysByDate = Map.groupBy(days, ({ date }) => date.slice(0, length))
  return Array.from(daysByDate, ([date, dayItems]) => ({
    date,
    ...addRequests(sumCounts(dayItems.map(({ counts }) => counts))),
  }))
}
