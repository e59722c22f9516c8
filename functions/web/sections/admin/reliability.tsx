import type { getSlo } from '../../../routes/usage.ts'
import type { ReplyData } from '../../api.ts'
import { BarChart } from '../../ui/bar-chart.tsx'
import { type Column, Table } from '../../ui/components.tsx'
import { formatDate, formatDuration, formatNumber, formatPercent } from '../../ui/format-values.ts'
import words from './words/en.ts'

type Slo = ReplyData<typeof getSlo>

export function Reliability({ slo }: { readonly slo: Slo }) {
  const { totals, successRate, rawSuccessRate, durationMs, queueMs, series } = slo
  const figures: [string, string][] = [
    [words.success, formatPercent(successRate)],
    [words.rawSuccess, formatPercent(rawSuccessRate)],
    [words.jobs, formatNumber(totals.jobs)],
    [words.failed, formatNumber(totals.failed)],
    [words.clientErrors, formatNumber(totals.clientErrors)],
    ['p50', formatDuration(durationMs.p50)],
    ['p95', formatDuration(durationMs.p95)],
    ['p99', formatDuration(durationMs.p99)],
    [words.queueTime('p50'), formatDuration(queueMs.p50)],
    [words.queueTime('p95'), formatDuration(queueMs.p95)],
  ]
  return (
    <>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {series.length > 0 && (
        <>
          <BarChart
            label={words.jobs}
            bars={series.map(({ date, jobs }) => ({ date, value: jobs }))}
            format={formatNumber}
          />
          <BarChart
            label={words.p95}
            bars={series.map(({ date, p95 }) => ({ date, value: p95 ?? 0 }))}
            format={formatDuration}
          />
        </>
      )}
      <Table
        caption={words.byDay}
        columns={dayColumns}
        rows={[...series].reverse()}
        getKey={({ date }) => date}
        emptyText={words.nothing}
      />
      <Table
        caption={words.engines}
        columns={engineColumns}
        rows={slo.engines}
        getKey={({ engine }) => engine}
        emptyText={words.nothing}
      />
      <Table
        caption={words.errors}
        columns={errorColumns}
        rows={slo.errorCodes}
        getKey={({ code }) => code}
        emptyText={words.noErrors}
      />
    </>
  )
}

const dayColumns: readonly Column<Slo['series'][number]>[] = [
  { name: words.day, cell: ({ date }) => formatDate(date) },
  { name: words.jobs, isNumber: true, cell: ({ jobs }) => formatNumber(jobs) },
  { name: words.failed, isNumber: true, cell: ({ failed }) => formatNumber(failed) },
  { name: words.success, isNumber: true, cell: ({ successRate }) => formatPercent(successRate) },
  { name: 'p50', isNumber: true, cell: ({ p50 }) => formatDuration(p50) },
  { name: 'p95', isNumber: true, cell: ({ p95 }) => formatDuration(p95) },
]

const engineColumns: readonly Column<Slo['engines'][number]>[] = [
  { name: words.engines, cell: ({ engine }) => engine },
  { name: words.jobs, isNumber: true, cell: ({ jobs }) => formatNumber(jobs) },
  { name: words.success, isNumber: true, cell: ({ successRate }) => formatPercent(successRate) },
  { name: 'p50', isNumber: true, cell: ({ p50 }) => formatDuration(p50) },
  { name: 'p95', isNumber: true, cell: ({ p95 }) => formatDuration(p95) },
  {
    name: words.errors,
    cell: ({ topErrors }) =>
      topErrors.map(({ code, count }) => `${code} ${formatNumber(count)}`).join(', ') || '–',
  },
]

const errorColumns: readonly Column<Slo['errorCodes'][number]>[] = [
  { name: words.errors, cell: ({ code }) => <a href={`/errors/${code}`}>{code}</a> },
  { name: words.count, isNumber: true, cell: ({ count }) => formatNumber(count) },
  { name: words.share, isNumber: true, cell: ({ share }) => formatPercent(share) },
]
