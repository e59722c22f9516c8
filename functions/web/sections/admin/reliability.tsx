import type { getSlo } from '../../../routes/usage.ts'
import type { DataOf } from '../../api.ts'
import { Bars } from '../../ui/bar-chart.tsx'
import { type Column, Table } from '../../ui/components.tsx'
import { sayDay, sayMs, sayNumber, sayShare } from '../../ui/format-values.ts'
import words from './words/en.ts'

type Slo = DataOf<typeof getSlo>

export function Reliability({ slo }: { readonly slo: Slo }) {
  const { totals, successRate, rawSuccessRate, durationMs, queueMs, series } = slo
  const figures: [string, string][] = [
    [words.success, sayShare(successRate)],
    [words.rawSuccess, sayShare(rawSuccessRate)],
    [words.jobs, sayNumber(totals.jobs)],
    [words.failed, sayNumber(totals.failed)],
    [words.ofClients, sayNumber(totals.clientErrors)],
    ['p50', sayMs(durationMs.p50)],
    ['p95', sayMs(durationMs.p95)],
    ['p99', sayMs(durationMs.p99)],
    [words.waited('p50'), sayMs(queueMs.p50)],
    [words.waited('p95'), sayMs(queueMs.p95)],
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
          <Bars
            label={words.jobs}
            bars={series.map(({ date, jobs }) => ({ date, value: jobs }))}
            say={sayNumber}
          />
          <Bars
            label={words.slowest}
            bars={series.map(({ date, p95 }) => ({ date, value: p95 ?? 0 }))}
            say={sayMs}
          />
        </>
      )}
      <Table
        caption={words.byDay}
        columns={dayColumns}
        rows={[...series].reverse()}
        keyOf={({ date }) => date}
        empty={words.nothing}
      />
      <Table
        caption={words.engines}
        columns={engineColumns}
        rows={slo.engines}
        keyOf={({ engine }) => engine}
        empty={words.nothing}
      />
      <Table
        caption={words.errors}
        columns={errorColumns}
        rows={slo.errorCodes}
        keyOf={({ code }) => code}
        empty={words.noErrors}
      />
    </>
  )
}

const dayColumns: readonly Column<Slo['series'][number]>[] = [
  { name: words.day, cell: ({ date }) => sayDay(date) },
  { name: words.jobs, isNumber: true, cell: ({ jobs }) => sayNumber(jobs) },
  { name: words.failed, isNumber: true, cell: ({ failed }) => sayNumber(failed) },
  { name: words.success, isNumber: true, cell: ({ successRate }) => sayShare(successRate) },
  { name: 'p50', isNumber: true, cell: ({ p50 }) => sayMs(p50) },
  { name: 'p95', isNumber: true, cell: ({ p95 }) => sayMs(p95) },
]

const engineColumns: readonly Column<Slo['engines'][number]>[] = [
  { name: words.engines, cell: ({ engine }) => engine },
  { name: words.jobs, isNumber: true, cell: ({ jobs }) => sayNumber(jobs) },
  { name: words.success, isNumber: true, cell: ({ successRate }) => sayShare(successRate) },
  { name: 'p50', isNumber: true, cell: ({ p50 }) => sayMs(p50) },
  { name: 'p95', isNumber: true, cell: ({ p95 }) => sayMs(p95) },
  {
    name: words.errors,
    cell: ({ topErrors }) =>
      topErrors.map(({ code, count }) => `${code} ${sayNumber(count)}`).join(', ') || '–',
  },
]

const errorColumns: readonly Column<Slo['errorCodes'][number]>[] = [
  { name: words.errors, cell: ({ code }) => <a href={`/errors/${code}`}>{code}</a> },
  { name: words.count, isNumber: true, cell: ({ count }) => sayNumber(count) },
  { name: words.share, isNumber: true, cell: ({ share }) => sayShare(share) },
]
