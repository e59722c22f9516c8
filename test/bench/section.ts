import type { Fixtures } from './fixtures.ts'
import type { Report } from './report.ts'

export interface BenchContext {
  readonly report: Report
  readonly fixtures: Fixtures
  /** Asked for by `--gib` and `--million`: what takes long. */
  readonly flags: ReadonlySet<string>
}

/** What is measured together and can be asked for by name. */
export interface Section {
  readonly name: string
  readonly about: string
  readonly run: (bench: BenchContext) => Promise<void>
}
