import * as z from 'zod'
import { mixBits } from './hash-counts.ts'

/** Maximum number of pairs that are kept; the measured share is off by about one percent. */
const maxPairs = 2048
const possibleHashCount = 2 ** 32

/** Word pairs sent by another process. */
export const WordPairsMessage = z.strictObject({
  hashes: z.array(z.number()).max(maxPairs),
  limit: z.number(),
})
export type WordPairsMessage = z.infer<typeof WordPairsMessage>

/**
 * A sample of the pairs of adjacent words of a text, which shows whether another text has them in the same order. Both
 * texts keep the pairs whose hashes are below a limit, so that they keep the same pairs. Pairs have no direction,
 * because PDFs draw right-to-left lines from either end.
 */
export class WordPairs {
  readonly #hashes: Set<number>
  #limit: number
  #lastWord: number | undefined

  constructor({ hashes, limit }: WordPairsMessage = { hashes: [], limit: possibleHashCount }) {
    this.#hashes = new Set(hashes)
    this.#limit = limit
  }

  toMessage(): WordPairsMessage {
    return { hashes: [...this.#hashes], limit: this.#limit }
  }

  /** Adds the next word of the text, as a hash. */
  addWord(hash: number): void {
    if (this.#lastWord !== undefined)
      this.#add(mixBits(Math.imul(hash, this.#lastWord) ^ (hash + this.#lastWord)) >>> 0)
    this.#lastWord = hash
  }

  addAll(otherPairs: WordPairs): void {
    this.#lower(Math.min(this.#limit, otherPairs.#limit))
    for (const hash of otherPairs.#hashes) this.#add(hash)
  }

  /**
   * Returns how many of these pairs can be compared with those of another text, and how many of those the other text
   * contains too.
   */
  compareWith(otherPairs: WordPairs): { readonly comparable: number; readonly shared: number } {
    const limit = Math.min(this.#limit, otherPairs.#limit)
    let [comparable, shared] = [0, 0]
    for (const hash of this.#hashes)
      if (hash < limit) {
        comparable++
        if (otherPairs.#hashes.has(hash)) shared++
      }
    return { comparable, shared }
  }

  #add(hash: number): void {
    if (hash >= this.#limit) return
    this.#hashes.add(hash)
    while (this.#hashes.size > maxPairs) this.#lower(this.#limit / 2)
  }

  #lower(limit: number): void {
    if (limit === this.#limit) return
    this.#limit = limit
    for (const hash of this.#hashes) if (hash >= limit) this.#hashes.delete(hash)
  }
}
