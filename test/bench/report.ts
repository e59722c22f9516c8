// Reports figures with their targets and the ratio between them.

export type Print = (line: string) => void

export interface ReportFigure {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The target; without one the figure is only printed. */
  readonly aim?: { readonly most: number } | { readonly least: number }
  /** Where the target comes from, and other remarks. */
  readonly remark?: string
}

/** Returns the ratio to the target; at most 1 means that the target is met, whether it is a minimum or a maximum. */
export function calculateRatioToAim({ value, aim }: ReportFigure): number | undefined {
  if (!aim) return undefined
  if ('most' in aim && aim.most === 0) return value === 0 ? 1 : Infinity
  return 'most' in aim ? value / aim.most : aim.least / value
}

export class Report {
  readonly print: Print
  readonly #missedTargets: string[] = []
  #metTargets = 0
  #title = ''

  constructor(print: Print) {
    this.print = print
  }

  title(text: string): void {
    this.#title = text
    this.print(`\n${text.padEnd(46)} figure                aim   ratio to the aim`)
  }

  figure(reportFigure: ReportFigure): void {
    const ratio = calculateRatioToAim(reportFigure)
    this.print(formatLine(reportFigure, ratio).trimEnd())
    if (ratio === undefined) return
    if (ratio > 1) this.#missedTargets.push(`${this.#title}: ${reportFigure.what}, ${ratio.toFixed(2)}`)
    else this.#metTargets += 1
  }

  summary(): void {
    const count = this.#missedTargets.length + this.#metTargets
    if (count === 0) return
    this.print(`\n${this.#metTargets} of ${count} aims are held.`)
    for (const missedTarget of this.#missedTargets) this.print(`  MISSED  ${missedTarget}`)
  }
}

function formatLine(
  { what, value, unit, aim, remark = '' }: ReportFigure,
  ratio: number | undefined,
): string {
  const formatAmount = (number: number) => `${number.toFixed(Math.abs(number) < 100 ? 1 : 0)} ${unit}`
  const bound = aim && ('most' in aim ? `≤ ${formatAmount(aim.most)}` : `≥ ${formatAmount(aim.least)}`)
  const verdict = ratio === undefined ? '' : `${ratio.toFixed(2)} ${ratio > 1 ? 'MISSED' : 'held'}`
  return `  ${what.padEnd(36)} ${formatAmount(value).padStart(14)} ${(bound ?? '').padStart(18)}   ${verdict.padEnd(13)} ${remark}`
}
