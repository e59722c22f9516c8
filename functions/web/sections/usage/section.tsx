import { useState } from 'preact/hooks'
import type { getQuota } from '../../../routes/quota.ts'
import type { getUsage } from '../../../routes/usage.ts'
import { ask, type DataOf } from '../../api.ts'
import { Bars } from '../../ui/bar-chart.tsx'
import { DaysField } from '../../ui/days-field.tsx'
import { Block, type Column, Field, Page, Shown, Table } from '../../ui/components.tsx'
import { sayDay, sayMoment, sayNumber, saySize } from '../../ui/format-values.ts'
import { useLoaded } from '../../ui/use-query.ts'
import words from './words/en.ts'

type Usage = DataOf<typeof getUsage>
type Quota = DataOf<typeof getQuota>
type Day = Usage['series'][number]
type Group = Usage['groups'][number]

const spans = [7, 30, 90, 365] as const
const groupings = ['engine', 'format', 'key'] as const
const dayMs = 86_400_000

export default function UsageSection() {
  const [days, setDays] = useState<number>(30)
  const [groupBy, setGroupBy] = useState<string>('engine')
  const from = new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10)
  const query = new URLSearchParams({ from, groupBy, granularity: days > 90 ? 'month' : 'day' })
  const usage = useLoaded(`usage ${query}`, () => ask<Usage>(`/v1/account/usage?${query}`))
  const quota = useLoaded('quota', () => ask<Quota>('/v1/account/quota'))
  return (
    <Page title={words.title} lead={words.lead}>
      <Block title={words.quota}>
        <Shown of={quota}>{(data) => <QuotaView quota={data} />}</Shown>
      </Block>
      <Block title={words.used}>
        <div class="row">
          <DaysField
            label={words.span}
            choices={spans}
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
        <Shown of={usage}>
          {({ totals, series, groups }) => (
            <>
              <dl class="figures">
                {figures(totals).map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
              {series.length > 0 && (
                <Bars label={words.jobsByDay} bars={eachDate(from, days > 90, series)} say={sayNumber} />
              )}
              <Table
                caption={words.jobsByDay}
                columns={dayColumns}
                rows={[...series].reverse()}
                keyOf={({ date }) => date}
                empty={words.nothing}
              />
              <Table
                caption={words.by}
                columns={groupColumns}
                rows={groups}
                keyOf={({ name }) => name}
                empty={words.nothing}
              />
            </>
          )}
        </Shown>
      </Block>
    </Page>
  )
}

/** Days on which nothing was have their place as well. */
function eachDate(from: string, isMonthly: boolean, series: Usage['series']) {
  const jobs = new Map(series.map((one) => [one.date, one.jobs]))
  const dates = new Set<string>()
  for (let at = Date.parse(from); at <= Date.now(); at += dayMs)
    dates.add(new Date(at).toISOString().slice(0, isMonthly ? 7 : 10))
  return [...dates].map((date) => ({ date, value: jobs.get(date) ?? 0 }))
}

const figures = (totals: Usage['totals']): [string, string][] => [
  [words.jobs, sayNumber(totals.jobs)],
  [words.completed, sayNumber(totals.completed)],
  [words.failed, sayNumber(totals.failed)],
  [words.minutes, sayNumber(totals.conversionMinutes)],
  [words.bytesIn, saySize(totals.bytesIn)],
  [words.bytesOut, saySize(totals.bytesOut)],
]

const counted: readonly Column<Group>[] = [
  { name: words.jobs, isNumber: true, cell: ({ jobs }) => sayNumber(jobs) },
  { name: words.completed, isNumber: true, cell: ({ completed }) => sayNumber(completed) },
  { name: words.failed, isNumber: true, cell: ({ failed }) => sayNumber(failed) },
  { name: words.minutes, isNumber: true, cell: (one) => sayNumber(one.conversionMinutes) },
  { name: words.bytesIn, isNumber: true, cell: ({ bytesIn }) => saySize(bytesIn) },
  { name: words.bytesOut, isNumber: true, cell: ({ bytesOut }) => saySize(bytesOut) },
]
const groupColumns: readonly Column<Group>[] = [
  { name: words.name, cell: ({ name }) => <bdi>{name}</bdi> },
  ...counted,
]
const dayColumns: readonly Column<Day>[] = [
  { name: words.day, cell: ({ date }) => sayDay(date) },
  ...counted.map((column) => ({ ...column, cell: (row: Day) => column.cell({ ...row, name: row.date }) })),
]

type Limit = Quota['quotas'][number]

function QuotaView({ quota }: { readonly quota: Quota }) {
  const { plan, quotas, concurrentJobs, maxFileSize, filesPerJob } = quota
  return (
    <>
      <dl class="figures">
        <div>
          <dt>{words.plan}</dt>
          <dd>{plan}</dd>
        </div>
        <div>
          <dt>{words.largest}</dt>
          <dd>{saySize(maxFileSize)}</dd>
        </div>
        <div>
          <dt>{words.filesPerJob}</dt>
          <dd>{sayNumber(filesPerJob)}</dd>
        </div>
        <div>
          <dt>{words.atOnce}</dt>
          <dd>
            {concurrentJobs.limit === null
              ? sayNumber(concurrentJobs.running)
              : words.ofLimit(sayNumber(concurrentJobs.running), sayNumber(concurrentJobs.limit))}
          </dd>
        </div>
      </dl>
      <Table
        caption={words.quota}
        columns={quotaColumns}
        rows={quotas}
        keyOf={({ name, window }) => `${name} ${window}`}
        empty={words.noLimits}
      />
    </>
  )
}

const quotaColumns: readonly Column<Limit>[] = [
  { name: words.limited, cell: ({ name, window }) => words.limits(words.kinds[name], words.windows[window]) },
  { name: words.used, isNumber: true, cell: ({ used }) => sayNumber(used) },
  {
    name: words.limit,
    isNumber: true,
    cell: ({ limit }) => (limit === null ? words.unlimited : sayNumber(limit)),
  },
  {
    name: words.left,
    isNumber: true,
    cell: ({ remaining }) => (remaining === null ? '–' : sayNumber(remaining)),
  },
  { name: words.resets, cell: ({ resetsAt }) => sayMoment(resetsAt) },
]
