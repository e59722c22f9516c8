import type { Mutant } from './mutants.ts'
import type { ProjectCopy } from './project-copy.ts'
import { runTests, type TestOutcome } from './run-tests.ts'
import { compiles } from './type-check.ts'

export type Verdict = { mutant: Mutant; ended: TestOutcome; seconds: number }
/** Nobody can put in what the compiler refuses: it is neither noticed nor missed. */
const rejectedByCompiler = 'refused'

/** A test that runs longer than this without a fault is too slow to be asked. */
const maxTestMs = 60_000

/** More than a test takes on a machine that has become busy since. */
const timeoutFor = (lastingMs: number) => 8000 + 3 * lastingMs

/** Faults tried one after another in each of some copies of the project. */
export class MutationRunner {
  readonly #copies: readonly ProjectCopy[]
  readonly #endsAt: number
  /** How long the tests of a file take as the code is; undefined where they fail. */
  readonly #baselineDurations = new Map<string, Promise<number | undefined>>()

  readonly #print: (line: string) => void

  /** @param endsAt when no further fault is begun, and none that is being tried counts any more */
  constructor(copies: readonly ProjectCopy[], endsAt: number, say: (line: string) => void) {
    this.#print = say
    this.#copies = copies
    this.#endsAt = endsAt
  }

  /** Of a project that the compiler refuses as it is, no fault would be left. */
  async requireTypes(): Promise<void> {
    const [copy] = this.#copies
    if (copy && !(await compiles(copy.root))) throw new Error('The project does not compile as it is.')
  }

  /** @param maxMutants faults that are to count; others are tried in place of those that the compiler refuses. */
  async run(
    mutants: readonly Mutant[],
    maxMutants: number,
    testsOf: (file: string) => readonly string[],
    tell: (verdict: Verdict) => void,
  ): Promise<Verdict[]> {
    const verdicts: Verdict[] = []
    const waiting = mutants.values()
    let started = 0
    await Promise.all(
      this.#copies.map(async (copy) => {
        while (started < maxMutants) {
          started += 1
          const { value: mutant } = waiting.next()
          const verdict = mutant && (await this.#try(copy, mutant, testsOf(mutant.file)))
          if (!verdict) break
          if (verdict === rejectedByCompiler) started -= 1
          else {
            verdicts.push(verdict)
            tell(verdict)
          }
        }
      }),
    )
    return verdicts
  }

  /** Nothing where the time was over before all tests were asked. */
  async #try(
    copy: ProjectCopy,
    mutant: Mutant,
    tests: readonly string[],
  ): Promise<Verdict | typeof rejectedByCompiler | undefined> {
    const begun = Date.now()
    if (!(await copy.withMutant(mutant.file, mutant.text, () => compiles(copy.root))))
      return rejectedByCompiler
    let ended: TestOutcome = { as: 'passed' }
    for (const test of tests) {
      ended = await this.#runTest(copy, mutant, test)
      if (ended.as !== 'passed') break
    }
    const isCutOff = Date.now() >= this.#endsAt && ended.as !== 'failed'
    return isCutOff ? undefined : { mutant, ended, seconds: (Date.now() - begun) / 1000 }
  }

  /**
   * The fault comes first: most tests do not notice it, and how a test ends without a fault matters only where it does.
   */
  async #runTest(copy: ProjectCopy, mutant: Mutant, test: string): Promise<TestOutcome> {
    const within = (limitMs: number) =>
      copy.withMutant(mutant.file, mutant.text, () =>
        runTests(copy.root, test, this.#limitToDeadline(limitMs)),
      )
    const known = await this.#baselineDurations.get(test)
    if (known === undefined && this.#baselineDurations.has(test)) return { as: 'passed' }
    const firstMs = known === undefined ? maxTestMs : timeoutFor(known)
    const ended = await within(firstMs)
    if (ended.as === 'passed') return ended
    // The test may be a slow one, or the machine busier than it was.
    const lastingMs = await this.#baselineMs(copy, test, ended.as === 'hung')
    if (lastingMs === undefined) return { as: 'passed' }
    const isTooEarly = ended.as === 'hung' && firstMs < timeoutFor(lastingMs)
    return isTooEarly ? within(timeoutFor(lastingMs)) : ended
  }

  #baselineMs(copy: ProjectCopy, test: string, isOutdated: boolean): Promise<number | undefined> {
    const measure = async () => {
      const begun = Date.now()
      const { as } = await runTests(copy.root, test, this.#limitToDeadline(maxTestMs))
      if (as === 'passed') return Date.now() - begun
      if (Date.now() < this.#endsAt) this.#print(`  ${test} does not pass as the code is, and is not asked`)
      return undefined
    }
    const known = (isOutdated ? undefined : this.#baselineDurations.get(test)) ?? measure()
    this.#baselineDurations.set(test, known)
    return known
  }

  #limitToDeadline(ms: number): number {
    return Math.max(1, Math.min(ms, this.#endsAt - Date.now()))
  }

  remove(): void {
    for (const copy of this.#copies) copy.remove()
  }
}
