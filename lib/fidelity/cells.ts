import type { ContentSummary } from './content-summary.ts'
import { WordCounts } from './word-counts.ts'

/** Cells of a workbook that hold something. A text that many of them show stands in it once. */
export class CellCounter {
  readonly #words = new WordCounts()
  readonly #shared: readonly string[]
  /** How often each is shown. */
  readonly #occurrences: number[]
  #cellCount = 0

  constructor(shared: readonly string[]) {
    this.#shared = shared
    this.#occurrences = shared.map(() => 0)
  }

  addText(text: string): void {
    if (text === '') return
    this.#cellCount++
    this.#words.add(text)
  }

  /** What stands on a sheet, but in no cell. */
  addTextOutsideCells(text: string): void {
    this.#words.add(text)
  }

  /** @param index of a text that is shared. */
  addSharedText(index: number): void {
    if (!this.#shared[index]) return
    this.#cellCount++
    this.#occurrences[index] = (this.#occurrences[index] ?? 0) + 1
  }

  addNumbers(count = 1): void {
    this.#cellCount += count
    this.#words.addNumber()
  }

  /** True, false and errors, which each language writes in its own way. */
  addState(): void {
    this.#cellCount++
  }

  summary(sheets: number, features: ContentSummary['features']): ContentSummary {
    for (const [index, text] of this.#shared.entries()) {
      const times = this.#occurrences[index] ?? 0
      if (times > 0) this.#words.add(text, times)
    }
    this.#occurrences.fill(0)
    return { words: this.#words, counts: { sheets, cells: this.#cellCount }, features }
  }
}
