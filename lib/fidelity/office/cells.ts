import type { ContentSummary } from '../content-summary.ts'
import { WordCounts } from '../text/word-counts.ts'

/** Counts the non-empty cells of a workbook and their words. Shared texts are counted once per cell that shows them. */
export class CellCounter {
  readonly #words = new WordCounts()
  readonly #sharedTexts: readonly string[]
  /** Number of cells that show each shared text. */
  readonly #occurrences: number[]
  #cellCount = 0

  constructor(sharedTexts: readonly string[]) {
    this.#sharedTexts = sharedTexts
    this.#occurrences = sharedTexts.map(() => 0)
  }

  addText(text: string): void {
    if (text === '') return
    this.#cellCount++
    this.#words.add(text)
  }

  /** Adds text of a sheet that is not in a cell. */
  addTextOutsideCells(text: string): void {
    this.#words.add(text)
  }

  /** @param index index of the shared text. */
  addSharedText(index: number): void {
    if (!this.#sharedTexts[index]) return
    this.#cellCount++
    this.#occurrences[index] = (this.#occurrences[index] ?? 0) + 1
  }

  addNumbers(count = 1): void {
    this.#cellCount += count
    this.#words.addNumber()
  }

  /** Adds true, false or an error, which are shown as text that depends on the language. */
  addState(): void {
    this.#cellCount++
  }

  summary(sheets: number, features: ContentSummary['features']): ContentSummary {
    for (const [index, text] of this.#sharedTexts.entries()) {
      const times = this.#occurrences[index] ?? 0
      if (times > 0) this.#words.add(text, times)
    }
    this.#occurrences.fill(0)
    return { words: this.#words, counts: { sheets, cells: this.#cellCount }, features }
  }
}
