import { type FormatId, formatById } from '../../lib/formats/index.ts'
import type { ResultLine } from './results.ts'

/** Reports the progress of a run: each failure, and one status line. */
export class ProgressReport {
  readonly #total: number
  readonly #started = performance.now()
  readonly #lines: ResultLine[] = []
  #reportedAt = 0

  constructor(total: number) {
    this.#total = total
  }

  add(line: ResultLine): void {
    this.#lines.push(line)
    if (line.result === 'failed')
      console.log(`failed  ${line.from} to ${line.to} (${line.route}): ${line.seen}`)
    const now = performance.now()
    if (now - this.#reportedAt < 10_000 && this.#lines.length < this.#total) return
    this.#reportedAt = now
    const rate = this.#lines.length / ((now - this.#started) / 1000)
    const leftS = Math.round((this.#total - this.#lines.length) / rate)
    const failedCount = this.#lines.filter(({ result }) => result === 'failed').length
    console.log(
      `${this.#lines.length} of ${this.#total}, ${failedCount} failed, ${rate.toFixed(1)} a second, ${clock(leftS)} left`,
    )
  }

  /** Returns a table of the counts for each pair of source and target category. */
  table(): string {
    const kind = ({ from, to }: ResultLine) => `${getCategory(from)} to ${getCategory(to)}`
    const rows = [...Map.groupBy(this.#lines, kind)].map(([name, lines]) => {
      const ok = lines.filter(({ result }) => result === 'ok').length
      const seconds = lines.reduce((sum, { ms }) => sum + ms, 0) / 1000
      return [name, String(ok), String(lines.length - ok), seconds.toFixed(0)]
    })
    const allCounts = [
      ['pairs', 'ok', 'failed', 'seconds'],
      ...rows.sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1)),
    ]
    return allCounts
      .map(([name = '', ...cells]) => name.padEnd(24) + cells.map((cell) => cell.padStart(9)).join(''))
      .join('\n')
  }
}

// Lines of this run only contain format ids of the registry.
const getCategory = (id: string) => formatById(id as FormatId).category

const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
