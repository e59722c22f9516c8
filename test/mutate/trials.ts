import type { Mutant } from './mutants.ts'
import type { ProjectCopy } from './project-copy.ts'
import { type Ended, runTests } from './run-tests.ts'

export type Verdict = { mutant: Mutant; ended: Ended; seconds: number }

/** A test that runs longer than this without a fault is too slow to be asked. */
const longestMs = 60_000

/** Faults tried one after another in each of some copies of the project. */
export class Trials {
  readonly #copies: readonly ProjectCopy[]
  readonly #endsAt: number
  /** How long the tests of a file take as the code is; undefined where they fail. */
  readonly #lasting = new Map<string, Promise<number | undefined>>()

  readonly #say: (line: string) => void

  /** @param endsAt when no further fault is begun, and none that is being tried counts any more */
  constructor(copies: readonly ProjectCopy[], endsAt: number, say: (line: string) => void) {
    this.#say = say
    this.#copies = copies
    this.#endsAt = endsAt
  }

  async run(
    mutants: readonly Mutant[],
    testsOf: (file: string) => readonly string[],
    tell: (verdict: Verdict) => void,
  ): Promise<Verdict[]> {
    const verdicts: Verdict[] = []
    const waiting = mutants.values()
    await Promise.all(
      this.#copies.map(async (copy) => {
        for (const mutant of waiting) {
          const verdict = await this.#try(copy, mutant, testsOf(mutant.file))
          if (!verdict) break
          verdicts.push(verdict)
          tell(verdict)
        }
      }),
    )
    return verdicts
  }

  /** Nothing where the time was over before all tests were asked. */
  async #try(copy: ProjectCopy, mutant: Mutant, tests: readonly string[]): Promise<Verdict | undefined> {
    const begun = Date.now()
    let ended: Ended = { as: 'passed' }
    for (const test of tests) {
      const lastingMs = await this.#lastingMs(copy, test)
      if (lastingMs === undefined) continue
      const run = () => runTests(copy.root, test, this.#limited(8000 + 2 * lastingMs))
      ended = await copy.with(mutant.file, mutant.text, run)
      if (ended.as !== 'passed') break
    }
    const isCutOff = Date.now() >= this.#endsAt && ended.as !== 'failed'
    return isCutOff ? undefined : { mutant, ended, seconds: (Date.now() - begun) / 1000 }
  }

  #lastingMs(copy: ProjectCopy, test: string): Promise<number | undefined> {
    const measure = async () => {
      const begun = Date.now()
      const { as } = await runTests(copy.root, test, this.#limited(longestMs))
      if (as === 'passed') return Date.now() - begun
      if (Date.now() < this.#endsAt) this.#say(`  ${test} does not pass as the code is, and is not asked`)
      return undefined
    }
    const known = this.#lasting.get(test) ?? measure()
    this.#lasting.set(test, known)
    return known
  }

  #limited(ms: number): number {
    return Math.max(1, Math.min(ms, this.#endsAt - Date.now()))
  }

  remove(): void {
    for (const copy of this.#copies) copy.remove()
  }
}
