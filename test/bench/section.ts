import type { Fixtures } from './fixtures.ts'
import type { Report } from './report.ts'

export interface BenchContext {
  readonly report: Report
  readonly fixtures: Fixtures
  /** `--gib` and `--million`, which enable long measurements. */
  readonly flags: ReadonlySet<string>
}

/** A group of measurements that can be selected by name. */
export interface Section {
  readonly name: string
  readonly about: string
  readonly run: (bench: BenchContext) => Promise<void>
}
