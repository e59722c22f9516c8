import { useState } from 'preact/hooks'
import type { getQuota } from '../../../routes/quota.ts'
import type { getUsage } from '../../../routes/usage.ts'
import { callApi, type ReplyData } from '../../api.ts'
import { BarChart } from '../../ui/bar-chart.tsx'
import { Block, type Column, Field, Page, QueryView, Table } from '../../ui/components.tsx'
import { DaysField } from '../../ui/days-field.tsx'
import { getEngineName } from '../../ui/engine-names.ts'
import {
  formatDate,
  formatDateTime,
  formatMaxSize,
  formatNumber,
  formatSize,
} from '../../ui/format-values.ts'
import { useQuery } from '../../ui/use-query.ts'
import shared from '../../ui/words/en.ts'
import words from './words/en.ts'

type Usage = ReplyData<typeof getUsage>
type Quota = ReplyData<typeof getQuota>
type Day = Usage['series'][number]
type Group = Usage['groups'][number]

const periodDays = [7, 30, 90, 365] as const
const groupings = ['engine', 'format', 'key'] as const
const dayMs = 86_400_000

export default function UsageSection() {
  const [days, setDays] = useState<number>(30)
  const [groupBy, setGroupBy] = useState<string>('engine')
  const from = new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10)
  const query = new URLSearchParams({ from, groupBy, granularity: days > 90 ? 'month' : 'day' })
  const usage = useQuery(`usage ${query}`, () => callApi<Usage>(`/v1/account/usage?${query}`))
  const quota = useQuery('quota', () => callApi<Quota>('/v1/account/quota'))
  return (
    <Page title={words.title} lead={words.lead}>
      <Block title={words.quota}>
        <QueryView query={quota}>{(data) => <QuotaView quota={data} />}</QueryView>
      </Block>
      {/* Not above the limits while they load, because they would push it down. */}
      {(quota.data ?? quota.problem) && (
        <Block title={words.activity}>
          <div class="row">
            <DaysField
              label={words.span}
              choices={periodDays}
              days={days}
              lastDays={words.lastDays}
              onChange={setDays}
            />
            <Field label={words.by}>
              {(ids) => (
                <select {...ids} value={groupBy} onChange={(event) => setGroupBy(event.currentTarget.value)}>
                  {groupings.map((name) => (
                    <option key={name} value={name}>
                      {words.groupings[name]}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </div>
          <QueryView query={usage}>
            {({ totals, series, groups }) => (
              <>
                <dl class="figures">
                  {listFigures(totals).map(([name, value]) => (
                    <div key={name}>
                      <dt>{name}</dt>
                      <dd>{value}</dd>
                    </div>
                  ))}
                </dl>
                {series.length > 0 && (
                  <BarChart
                    label={words.jobsByDay}
                    bars={fillDates(from, days > 90, series)}
                    format={formatNumber}
                  />
                )}
                <Table
                  caption={words.jobsByDay}
                  columns={dayColumns}
                  rows={[...series].reverse()}
                  getKey={({ date }) => date}
                  emptyText={words.nothing}
                />
                {groups.length > 0 && (
                  <Table
                    caption={words.by}
                    columns={groupColumns}
                    rows={
                      groupBy === 'engine'
                        ? groups.map((group) => ({ ...group, name: getEngineName(group.name) }))
                        : groups
                    }
                    getKey={({ name }) => name}
                    emptyText={words.nothing}
                  />
                )}
              </>
            )}
          </QueryView>
        </Block>
      )}
    </Page>
  )
}

/** Returns one entry for every day, or for every month if `isMonthly`, including those without jobs. */
function fillDates(from: string, isMonthly: boolean, series: Usage['series']) {
  const jobs = new Map(series.map((entry) => [entry.date, entry.jobs]))
  const dates = new Set<string>()
  for (let at = Date.parse(from); at <= Date.now(); at += dayMs)
    dates.add(new Date(at).toISOString().slice(0, isMonthly ? 7 : 10))
  return [...dates].map((date) => ({ date, value: jobs.get(date) ?? 0 }))
}

const listFigures = (totals: Usage['totals']): [string, string][] => [
  [words.jobs, formatNumber(totals.jobs)],
  [words.completed, formatNumber(totals.completed)],
  [words.failed, formatNumber(totals.failed)],
  [words.minutes, formatNumber(totals.conversionMinutes)],
  [words.bytesIn, formatSize(totals.bytesIn)],
  [words.bytesOut, formatSize(totals.bytesOut)],
]

const usageColumns: readonly Column<Group>[] = [
  { name: words.jobs, isNumber: true, cell: ({ jobs }) => formatNumber(jobs) },
  { name: words.completed, isNumber: true, cell: ({ completed }) => formatNumber(completed) },
  { name: words.failed, isNumber: true, cell: ({ failed }) => formatNumber(failed) },
  { name: words.minutes, isNumber: true, cell: (entry) => formatNumber(entry.conversionMinutes) },
  { name: words.bytesIn, isNumber: true, cell: ({ bytesIn }) => formatSize(bytesIn) },
  { name: words.bytesOut, isNumber: true, cell: ({ bytesOut }) => formatSize(bytesOut) },
]
const groupColumns: readonly Column<Group>[] = [
  { name: words.name, cell: ({ name }) => <bdi>{name}</bdi> },
  ...usageColumns,
]
const dayColumns: readonly Column<Day>[] = [
  { name: words.day, cell: ({ date }) => formatDate(date) },
  ...usageColumns.map((column) => ({
    ...column,
    cell: (row: Day) => column.cell({ ...row, name: row.date }),
  })),
]

type Limit = Quota['quotas'][number]

function QuotaView({ quota }: { readonly quota: Quota }) {
  const { plan, quotas, concurrentJobs, maxFileSize, filesPerJob } = quota
  return (
    <>
      <dl class="figures">
        <div>
          <dt>{words.plan}</dt>
          <dd>{shared.plans[plan] ?? plan}</dd>
        </div>
        <div>
          <dt>{words.largest}</dt>
          <dd>{formatMaxSize(maxFileSize)}</dd>
        </div>
        <div>
          <dt>{words.filesPerJob}</dt>
          <dd>{formatNumber(filesPerJob)}</dd>
        </div>
        <div>
          <dt>{words.runningJobs}</dt>
          <dd>
            {concurrentJobs.limit === null
              ? formatNumber(concurrentJobs.running)
              : words.ofLimit(formatNumber(concurrentJobs.running), formatNumber(concurrentJobs.limit))}
          </dd>
        </div>
      </dl>
      <Table
        caption={words.quota}
        columns={quotaColumns}
        rows={quotas}
        getKey={({ name, window }) => `${name} ${window}`}
        emptyText={words.noLimits}
      />
    </>
  )
}

const quotaColumns: readonly Column<Limit>[] = [
  { name: words.limited, cell: ({ name, window }) => words.limits(words.kinds[name], words.windows[window]) },
  { name: words.used, isNumber: true, cell: ({ used }) => formatNumber(used) },
  {
    name: words.limit,
    isNumber: true,
    cell: ({ limit }) => (limit === null ? words.unlimited : formatNumber(limit)),
  },
  {
    name: words.left,
    isNumber: true,
    cell: ({ remaining }) => (remaining === null ? '–' : formatNumber(remaining)),
  },
  { name: words.resets, cell: ({ resetsAt }) => formatDateTime(resetsAt) },
]
