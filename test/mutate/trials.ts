import type { Mutant } from './mutants.ts'
import type { ProjectCopy } from './project-copy.ts'
import { runTests, type TestOutcome } from './run-tests.ts'
import { compilesWithoutErrors } from './type-check.ts'

export type Verdict = { mutant: Mutant; ended: TestOutcome; seconds: number }
/** Result of a mutant that does not compile: it counts neither as detected nor as missed. */
const rejectedByCompiler = 'refused'

/** Tests that take longer than this without a fault are not used. */
const maxTestMs = 120_000

/** Returns a timeout with a margin for a machine that has become busier. */
const getTimeoutMs = (durationMs: number) => 8000 + 3 * durationMs

/** Runs mutants in several copies of the project in parallel. */
export class MutationRunner {
  readonly #copies: readonly ProjectCopy[]
  readonly #endsAt: number
  /** Durations of test files without a fault; undefined for files that fail. */
  readonly #baselineDurations = new Map<string, Promise<number | undefined>>()

  readonly #print: (line: string) => void

  /** @param endsAt no mutant is started after this time, and unfinished ones do not count */
  constructor(copies: readonly ProjectCopy[], endsAt: number, say: (line: string) => void) {
    this.#print = say
    this.#copies = copies
    this.#endsAt = endsAt
  }

  /** Checks that the project compiles; otherwise every mutant would be rejected. */
  async requireTypes(): Promise<void> {
    const [copy] = this.#copies
    if (copy && !(await compilesWithoutErrors(copy.root)))
      throw new Error('The project does not compile without a fault: fix the type errors first.')
  }

  /** @param maxMutants number of mutants that count; those that do not compile are replaced by others. */
  async run(
    mutants: readonly Mutant[],
    maxMutants: number,
    getTests: (file: string) => readonly string[],
    onVerdict: (verdict: Verdict) => void,
  ): Promise<Verdict[]> {
    const verdicts: Verdict[] = []
    const waitingMutants = mutants.values()
    let startedCount = 0
    await Promise.all(
      this.#copies.map(async (copy) => {
        while (startedCount < maxMutants) {
          startedCount += 1
          const { value: mutant } = waitingMutants.next()
          const verdict = mutant && (await this.#tryMutant(copy, mutant, getTests(mutant.file)))
          if (!verdict) break
          if (verdict === rejectedByCompiler) startedCount -= 1
          else {
            verdicts.push(verdict)
            onVerdict(verdict)
          }
        }
      }),
    )
    return verdicts
  }

  /** Returns undefined if the time was over before all tests had run. */
  async #tryMutant(
    copy: ProjectCopy,
    mutant: Mutant,
    tests: readonly string[],
  ): Promise<Verdict | typeof rejectedByCompiler | undefined> {
    const startedAt = Date.now()
    if (!(await copy.withMutant(mutant.file, mutant.text, () => compilesWithoutErrors(copy.root))))
      return rejectedByCompiler
    let testOutcome: TestOutcome = { as: 'passed' }
    for (const test of tests) {
      testOutcome = await this.#runTest(copy, mutant, test)
      if (testOutcome.as !== 'passed') break
    }
    const isCutOff = Date.now() >= this.#endsAt && testOutcome.as !== 'failed'
    return isCutOff ? undefined : { mutant, ended: testOutcome, seconds: (Date.now() - startedAt) / 1000 }
  }

  /**
   * Runs a test with the fault first: most tests pass, and only a test that fails must also be run without the fault.
   */
  async #runTest(copy: ProjectCopy, mutant: Mutant, test: string): Promise<TestOutcome> {
    const runWithin = (limitMs: number) =>
      copy.withMutant(mutant.file, mutant.text, () =>
        runTests(copy.root, test, this.#limitToDeadline(limitMs)),
      )
    const knownMs = await this.#baselineDurations.get(test)
    if (knownMs === undefined && this.#baselineDurations.has(test)) return { as: 'passed' }
    const firstLimitMs = knownMs === undefined ? maxTestMs : getTimeoutMs(knownMs)
    const testOutcome = await runWithin(firstLimitMs)
    if (testOutcome.as === 'passed') return testOutcome
    // The test could be slow, or the machine busier than before.
    const currentMs = await this.#baselineMs(copy, test, testOutcome.as === 'hung')
    if (currentMs === undefined) return { as: 'passed' }
    const wasLimitTooShort = testOutcome.as === 'hung' && firstLimitMs < getTimeoutMs(currentMs)
    return wasLimitTooShort ? runWithin(getTimeoutMs(currentMs)) : testOutcome
  }

  #baselineMs(copy: ProjectCopy, test: string, mustRemeasure: boolean): Promise<number | undefined> {
    const measure = async () => {
      const startedAt = Date.now()
      const { as } = await runTests(copy.root, test, this.#limitToDeadline(maxTestMs))
      if (as === 'passed') return Date.now() - startedAt
      if (Date.now() < this.#endsAt) this.#print(`  ${test} fails without a fault and is skipped`)
      return undefined
    }
    const knownMs = (mustRemeasure ? undefined : this.#baselineDurations.get(test)) ?? measure()
    this.#baselineDurations.set(test, knownMs)
    return knownMs
  }

  #limitToDeadline(ms: number): number {
    return Math.max(1, Math.min(ms, this.#endsAt - Date.now()))
  }

  remove(): void {
    for (const copy of this.#copies) copy.remove()
  }
}
