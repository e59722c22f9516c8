import { readFile, writeFile } from 'node:fs/promises'
import { resultsFolder } from '../conformance/results.ts'
import type { Case } from './cases.ts'
import { type CaseResult, outcomes, type SweepOutcome } from './outcome.ts'

export interface CompletedCase extends CaseResult {
  readonly one: Case
  readonly ms: number
}

type Row = readonly [name: string, ...cells: string[]]

const count = (tried: readonly CompletedCase[], outcome: SweepOutcome) =>
  tried.filter((triedCase) => triedCase.outcome === outcome).length

const head: Row = ['files of', 'all', ...outcomes]

function createRow(name: string, triedCases: readonly CompletedCase[]): Row {
  return [name, String(triedCases.length), ...outcomes.map((outcome) => String(count(triedCases, outcome)))]
}

/** Returns a table of outcomes by area and by mutation. */
export function table(triedCases: readonly CompletedCase[]): string {
  const rows = [
    head,
    ...groupRows(triedCases, (triedCase) => triedCase.area),
    createRow('all areas', triedCases),
    ...groupRows(triedCases, (triedCase) => triedCase.kind),
  ]
  return rows
    .map(([name, ...cells]) => name.padEnd(16) + cells.map((cell) => cell.padStart(13)).join(''))
    .join('\n')
}

function groupRows(triedCases: readonly CompletedCase[], getKey: (triedCase: Case) => string): Row[] {
  const groups = [...Map.groupBy(triedCases, ({ one }) => getKey(one))]
  return groups.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, some]) => createRow(name, some))
}

const path = `${resultsFolder}/sweep.tsv`

/** Writes a line per area and mutation; lines of other areas are kept. */
export async function saveSweep(triedCases: readonly CompletedCase[]): Promise<void> {
  const date = new Date().toISOString().slice(0, 10)
  const text = await readFile(path, 'utf8').catch(() => '')
  const areas = new Set(triedCases.map(({ one }) => one.area as string))
  const otherLines = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('area\t') && !areas.has(line.split('\t')[0] ?? ''))
  const rows = [...Map.groupBy(triedCases, ({ one }) => `${one.area}\t${one.kind}`)].map(([name, some]) =>
    [...createRow(name, some), date].join('\t'),
  )
  const header = ['area', 'what was done', 'all', ...outcomes, 'day'].join('\t')
  await writeFile(path, `${[header, ...[...otherLines, ...rows].sort()].join('\n')}\n`)
}
