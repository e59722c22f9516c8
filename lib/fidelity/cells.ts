import type { Holding } from './holding.ts'
import { Words } from './words.ts'

/** Cells of a workbook that hold something. A text that many of them show stands in it once. */
export class Cells {
  readonly #words = new Words()
  readonly #shared: readonly string[]
  readonly #times = new Map<number, number>()
  #count = 0

  constructor(shared: readonly string[]) {
    this.#shared = shared
  }

  text(text: string): void {
    if (text === '') return
    this.#count++
    this.#words.add(text)
  }

  /** @param index of a text that is shared. */
  sharedText(index: number): void {
    if (!this.#shared[index]) return
    this.#count++
    this.#times.set(index, (this.#times.get(index) ?? 0) + 1)
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
    for (const [index, times] of this.#times) this.#words.add(this.#shared[index] ?? '', times)
    this.#times.clear()
    return { words: this.#words, counts: { sheets, cells: this.#count }, features }
  }
}
