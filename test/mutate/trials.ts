import type { Mutant } from './mutants.ts'
import type { ProjectCopy } from './project-copy.ts'
import { type Ended, runTests } from './run-tests.ts'
import { compiles } from './type-check.ts'

export type Verdict = { mutant: Mutant; ended: Ended; seconds: number }
/** Nobody can put in what the compiler refuses: it is neither noticed nor missed. */
const refused = 'refused'

/** A test that runs longer than this without a fault is too slow to be asked. */
const longestMs = 60_000

/** More than a test takes on a machine that has become busy since. */
const patience = (lastingMs: number) => 8000 + 3 * lastingMs

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

  /** Of a project that the compiler refuses as it is, no fault would be left. */
  async requireTypes(): Promise<void> {
    const [copy] = this.#copies
    if (copy && !(await compiles(copy.root))) throw new Error('The project does not compile as it is.')
  }

  /** @param most faults that are to count; others are tried in place of those that the compiler refuses. */
  async run(
    mutants: readonly Mutant[],
    most: number,
    testsOf: (file: string) => readonly string[],
    tell: (verdict: Verdict) => void,
  ): Promise<Verdict[]> {
    const verdicts: Verdict[] = []
    const waiting = mutants.values()
    let begun = 0
    await Promise.all(
      this.#copies.map(async (copy) => {
        while (begun < most) {
          begun += 1
          const { value: mutant } = waiting.next()
          const verdict = mutant && (await this.#try(copy, mutant, testsOf(mutant.file)))
          if (!verdict) break
          if (verdict === refused) begun -= 1
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
  ): Promise<Verdict | typeof refused | undefined> {
    const begun = Date.now()
    if (!(await copy.with(mutant.file, mutant.text, () => compiles(copy.root)))) return refused
    let ended: Ended = { as: 'passed' }
    for (const test of tests) {
      ended = await this.#ask(copy, mutant, test)
      if (ended.as !== 'passed') break
    }
    const isCutOff = Date.now() >= this.#endsAt && ended.as !== 'failed'
    return isCutOff ? undefined : { mutant, ended, seconds: (Date.now() - begun) / 1000 }
  }

  /**
   * The fault comes first: most tests do not notice it, and how a test ends without a fault matters only where it does.
   */
  async #ask(copy: ProjectCopy, mutant: Mutant, test: string): Promise<Ended> {
    const within = (limitMs: number) =>
      copy.with(mutant.file, mutant.text, () => runTests(copy.root, test, this.#limited(limitMs)))
    const known = await this.#lasting.get(test)
    if (known === undefined && this.#lasting.has(test)) return { as: 'passed' }
    const firstMs = known === undefined ? longestMs : patience(known)
    const ended = await within(firstMs)
    if (ended.as === 'passed') return ended
    // The test may be a slow one, or the machine busier than it was.
    const lastingMs = await this.#lastingMs(copy, test, ended.as === 'hung')
    if (lastingMs === undefined) return { as: 'passed' }
    const isTooEarly = ended.as === 'hung' && firstMs < patience(lastingMs)
    return isTooEarly ? within(patience(lastingMs)) : ended
  }

  #lastingMs(copy: ProjectCopy, test: string, isOutdated: boolean): Promise<number | undefined> {
    const measure = async () => {
      const begun = Date.now()
      const { as } = await runTests(copy.root, test, this.#limited(longestMs))
      if (as === 'passed') return Date.now() - begun
      if (Date.now() < this.#endsAt) this.#say(`  ${test} does not pass as the code is, and is not asked`)
      return undefined
    }
    const known = (isOutdated ? undefined : this.#lasting.get(test)) ?? measure()
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
