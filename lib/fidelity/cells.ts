import type { Holding } from './content-summary.ts'
import { Words } from './word-counts.ts'

/** Cells of a workbook that hold something. A text that many of them show stands in it once. */
export class Cells {
  readonly #words = new Words()
  readonly #shared: readonly string[]
  /** How often each is shown. */
  readonly #times: number[]
  #count = 0

  constructor(shared: readonly string[]) {
    this.#shared = shared
    this.#times = shared.map(() => 0)
  }

  text(text: string): void {
    if (text === '') return
    this.#count++
    this.#words.add(text)
  }

  /** What stands on a sheet, but in no cell. */
  besides(text: string): void {
    this.#words.add(text)
  }

  /** @param index of a text that is shared. */
  sharedText(index: number): void {
    if (!this.#shared[index]) return
    this.#count++
    this.#times[index] = (this.#times[index] ?? 0) + 1
  }

  numbers(count = 1): void {
    this.#count += count
    this.#words.addNumber()
  }

  /** True, false and errors, which each language writes in its own way. */
  state(): void {
    this.#count++
  }

  holding(sheets: number, features: Holding['features']): Holding {
    for (const [index, text] of this.#shared.entries()) {
      const times = this.#times[index] ?? 0
      if (times > 0) this.#words.add(text, times)
    }
    this.#times.fill(0)
    return { words: this.#words, counts: { sheets, cells: this.#count }, features }
  }
}
