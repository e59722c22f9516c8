import type { Fixtures } from './fixtures.ts'
import type { Report } from './report.ts'

export interface BenchContext {
  readonly report: Report
  readonly fixtures: Fixtures
  /** `--gib` and `--million`, which enable long measurements. */
  readonly flags: ReadonlySet<string>
  /** `--check`: how many real jobs to compare with the calculation of `scale`. */
  readonly checkedJobs?: number | undefined
}

/** A group of measurements that can be selected by name. */
export interface Section {
  readonly name: string
  readonly about: string
  readonly run: (bench: BenchContext) => Promise<void>
}
