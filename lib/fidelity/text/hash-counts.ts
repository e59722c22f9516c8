import { randomBytes } from 'node:crypto'
import * as z from 'zod'

const createListCheck = (type: 'number' | 'string') => (list: unknown) =>
  Array.isArray(list) && list.every((item) => typeof item === type)

/** Schema for counts sent by another process. Nested zod schemas would take seconds for a million words. */
export const HashCountsMessage = z.strictObject({
  hashes: z.custom<readonly number[]>(createListCheck('number')),
  counts: z.custom<readonly number[]>(createListCheck('number')),
  words: z.custom<readonly string[]>(createListCheck('string')),
})
export type HashCountsMessage = z.infer<typeof HashCountsMessage>

/** Random in each process, so that no file can be crafted with many words that share a slot. */
const seed = randomBytes(4).readInt32LE()

/**
 * Counts words by hash: collisions within a text and its conversion practically never occur. A map of strings would
 * take several times as long, because each word would become a string, and a large table has a million words.
 */
export class HashCounts {
  /** Open-addressing hash table of word numbers, which start at 1. */
  #slots = new Int32Array(1024)
  readonly #hashes: number[] = []
  readonly #counts: number[] = []
  /** Each word in the form of its first occurrence. */
  readonly words: string[] = []

  static fromMessage({ hashes, counts, words }: HashCountsMessage): HashCounts {
    const restoredCounts = new HashCounts()
    for (const [at, word] of words.entries())
      if (restoredCounts.add(hashes[at] ?? 0, counts[at] ?? 0)) restoredCounts.words.push(word)
    return restoredCounts
  }

  toMessage(): HashCountsMessage {
    return { hashes: this.#hashes, counts: this.#counts, words: this.words }
  }

  /** Counts a word. @returns whether the word is new, so that the caller has to add it to `words`. */
  add(hash: number, times: number): boolean {
    const slot = this.#findSlot(hash)
    const number = this.#slots[slot] ?? 0
    if (number > 0) {
      this.#counts[number - 1] = this.getCount(number - 1) + times
      return false
    }
    this.#hashes.push(hash)
    this.#counts.push(times)
    this.#slots[slot] = this.#hashes.length
    if (this.#hashes.length * 2 > this.#slots.length) this.#grow()
    return true
  }

  addAll(otherCounts: HashCounts, times: number): void {
    for (const [at, word] of otherCounts.words.entries())
      if (this.add(otherCounts.#hashes[at] ?? 0, otherCounts.getCount(at) * times)) this.words.push(word)
  }

  /** Returns these counts minus the other counts. */
  subtract(otherCounts: HashCounts): HashCounts {
    const remainingCounts = new HashCounts()
    for (const [at, hash] of this.#hashes.entries()) {
      const number = otherCounts.#slots[otherCounts.#findSlot(hash)] ?? 0
      const times = this.getCount(at) - (number > 0 ? otherCounts.getCount(number - 1) : 0)
      if (times > 0 && remainingCounts.add(hash, times)) remainingCounts.words.push(this.words[at] ?? '')
    }
    return remainingCounts
  }

  /** Returns the count of the word at this index of `words`. */
  getCount(at: number): number {
    return this.#counts[at] ?? 0
  }

  /** Returns how many of these words the other counts contain too. */
  countSharedWith(otherCounts: HashCounts): number {
    let sharedCount = 0
    for (const [at, hash] of this.#hashes.entries()) {
      const number = otherCounts.#slots[otherCounts.#findSlot(hash)] ?? 0
      if (number > 0) sharedCount += Math.min(this.getCount(at), otherCounts.getCount(number - 1))
    }
    return sharedCount
  }

  #findSlot(hash: number): number {
    const slots = this.#slots
    const lastSlot = slots.length - 1
    let slot = mixBits(hash + seed) & lastSlot
    for (let number = slots[slot] ?? 0; number > 0; number = slots[slot] ?? 0) {
      if (this.#hashes[number - 1] === hash) break
      slot = (slot + 1) & lastSlot
    }
    return slot
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 4)
    for (const [at, hash] of this.#hashes.entries()) this.#slots[this.#findSlot(hash)] = at + 1
  }
}

/** Mixes all bits into the low ones, which select the slot. */
export function mixBits(hash: number): number {
  const multiplied = Math.imul(hash, 0x9e3779b1)
  const halfMixed = Math.imul(multiplied ^ (multiplied >>> 16), 0x85ebca6b)
  return halfMixed ^ (halfMixed >>> 13)
}
