import * as z from 'zod'
import {
  contextDependent,
  digit,
  divider,
  getClass,
  scriptsWithoutSpaces,
  singleCharacter,
  toLowerCase,
} from './char-classes.ts'
import { HashCounts, HashCountsMessage } from './hash-counts.ts'
import { WordPairs, WordPairsMessage } from './word-pairs.ts'

const wordPattern = new RegExp(
  String.raw`[${scriptsWithoutSpaces}]|[[\p{L}\p{M}]--[${scriptsWithoutSpaces}]]+`,
  'gv',
)
/** Matches soft hyphens, direction marks and joiners, which some writers omit. */
const invisibleCharacterPattern = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** Parameters of the FNV-1a hash, over 16-bit units. */
const [initialHash, hashFactor] = [0x811c9dc5 | 0, 0x01000193]

/** Word counts sent by another process. */
export const WordCountsMessage = z.strictObject({
  counts: HashCountsMessage,
  total: z.number(),
  hasDigits: z.boolean(),
  pairs: WordPairsMessage,
})
export type WordCountsMessage = z.infer<typeof WordCountsMessage>

/** Word counts of a text and a sample of the word order, for comparisons that ignore line breaks and added text. */
export class WordCounts {
  #counts = new HashCounts()
  #pairs = new WordPairs()
  #total = 0
  #hasDigits = false

  static fromMessage({ counts, total, hasDigits, pairs }: WordCountsMessage): WordCounts {
    const restoredCounts = new WordCounts()
    restoredCounts.#counts = HashCounts.fromMessage(counts)
    restoredCounts.#total = total
    restoredCounts.#hasDigits = hasDigits
    restoredCounts.#pairs = new WordPairs(pairs)
    return restoredCounts
  }

  toMessage(): WordCountsMessage {
    return {
      counts: this.#counts.toMessage(),
      total: this.#total,
      hasDigits: this.#hasDigits,
      pairs: this.#pairs.toMessage(),
    }
  }

  /** Counts the words of a text. @param times number of times that the text occurs. */
  add(text: string, times = 1): void {
    const { length } = text
    let start = 0
    let hash = initialHash
    let isContextDependent = false
    for (let at = 0; at <= length; at++) {
      const characterClass = at < length ? getClass(text.charCodeAt(at)) : divider
      if (characterClass > contextDependent) hash = Math.imul(hash ^ characterClass, hashFactor)
      else if (characterClass === contextDependent) isContextDependent = true
      else {
        if (isContextDependent) this.#addContextDependent(text.slice(start, at), times)
        else if (at > start) this.#count(hash, times, text, start, at)
        if (characterClass === singleCharacter) this.#addWord(text.charAt(at), times)
        else if (characterClass === digit) this.#hasDigits = true
        start = at + 1
        hash = initialHash
        isContextDependent = false
      }
    }
  }

  /**
   * Like `add`, but for ASCII bytes: creating a string for each of a million cells takes longer than counting the
   * words.
   * @param bytes all below 128.
   */
  addAscii(bytes: Buffer, from: number, to: number, times = 1): void {
    const [counts, pairs] = [this.#counts, this.#pairs]
    let start = from
    let hash = initialHash
    let total = 0
    let hasDigits = false
    for (let at = from; at <= to; at++) {
      const characterClass = at < to ? getClass(bytes[at] ?? 0) : divider
      if (characterClass > contextDependent) {
        hash = Math.imul(hash ^ characterClass, hashFactor)
        continue
      }
      if (at > start) {
        if (counts.add(hash, times)) counts.words.push(bytes.toString('latin1', start, at))
        pairs.addWord(hash)
        total += times
      }
      if (characterClass === digit) hasDigits = true
      start = at + 1
      hash = initialHash
    }
    this.#total += total
    this.#hasDigits ||= hasDigits
  }

  /** Adds a run with characters that depend on adjacent ones, such as combining accents. */
  #addContextDependent(run: string, times: number): void {
    const normalized = run.replaceAll(invisibleCharacterPattern, '').normalize('NFKC').toLowerCase()
    for (const word of normalized.match(wordPattern) ?? []) this.#addWord(word, times)
    this.#hasDigits ||= /\p{Nd}/u.test(normalized)
  }

  #addWord(word: string, times: number): void {
    let hash = initialHash
    for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), hashFactor)
    this.#count(hash, times, word, 0, word.length)
  }

  #count(hash: number, times: number, text: string, start: number, end: number): void {
    if (this.#counts.add(hash, times)) this.#counts.words.push(text.slice(start, end))
    this.#pairs.addWord(hash)
    this.#total += times
  }

  /** Records a number, which does not count as a word. */
  addNumber(): void {
    this.#hasDigits = true
  }

  /** Adds the words of another text. @param times number of times that the text occurs. */
  addAll(otherCounts: WordCounts, times = 1): void {
    this.#counts.addAll(otherCounts.#counts, times)
    this.#pairs.addAll(otherCounts.#pairs)
    this.#total += otherCounts.#total * times
    this.#hasDigits ||= otherCounts.#hasDigits
  }

  /** Returns these counts minus those of another text, which is a part of this one. */
  subtract(otherCounts: WordCounts): WordCounts {
    const remainingCounts = new WordCounts()
    remainingCounts.#counts = this.#counts.subtract(otherCounts.#counts)
    remainingCounts.#total = this.#total - this.#counts.countSharedWith(otherCounts.#counts)
    remainingCounts.#hasDigits = this.#hasDigits
    remainingCounts.#pairs = this.#pairs
    return remainingCounts
  }

  /** Returns the number of different words. */
  get distinct(): number {
    return this.#counts.words.length
  }

  get total(): number {
    return this.#total
  }

  /** Whether the text has neither words nor numbers. */
  get isEmpty(): boolean {
    return this.#total === 0 && !this.#hasDigits
  }

  /**
   * Compares the order of the words. Returns undefined if the text is short, or if the other text lacks too many of the
   * whole words: words that were split differently say nothing about the order.
   */
  compareOrder(
    otherCounts: WordCounts,
  ): { readonly comparable: number; readonly shared: number } | undefined {
    const wholeWords = this.#counts.countSharedWith(otherCounts.#counts)
    const pairs = this.#pairs.compareWith(otherCounts.#pairs)
    return wholeWords < minWholeShare * this.#total || pairs.comparable < minPairs ? undefined : pairs
  }

  /** Returns how many of these words another text contains too. */
  countSharedWith(otherCounts: WordCounts): number {
    const sharedWords = this.#counts.countSharedWith(otherCounts.#counts)
    if (sharedWords === this.#total) return sharedWords
    return Math.max(sharedWords, this.#countByCharacters(otherCounts))
  }

  /**
   * Compares characters, to find words that are hyphenated or letter-spaced. Added text, such as page headers, would
   * compensate for missing characters, so only whole words count if much text was added.
   */
  #countByCharacters(otherCounts: WordCounts): number {
    const [ownCharacters, otherCharacters] = [
      countCharacters(this.#counts),
      countCharacters(otherCounts.#counts),
    ]
    const [ownTotal, othersTotal] = [sum(ownCharacters.values()), sum(otherCharacters.values())]
    // If the text is letter-spaced, words are meaningless, even if some text was added.
    const isLetterSpaced =
      othersTotal / otherCounts.#total < (ownTotal / this.#total) * maxLetterSpacedLengthShare
    if (othersTotal > ownTotal * (isLetterSpaced ? maxAddedShareIfLetterSpaced : maxAddedShare)) return 0
    const sharedCharacters = sum(
      [...ownCharacters].map(([character, count]) => Math.min(count, otherCharacters.get(character) ?? 0)),
    )
    return Math.floor((sharedCharacters / ownTotal) * this.#total)
  }
}

/** Minimums for a comparison of the order: the share of whole words, and the number of different pairs. */
const [minWholeShare, minPairs] = [0.9, 50]
/**
 * Characters are compared only if the result has at most this many times the characters of the source. The second limit
 * is for letter-spaced text.
 */
const [maxAddedShare, maxAddedShareIfLetterSpaced] = [1.05, 1.5]
/** Average word length relative to the source, below which a text counts as letter-spaced. */
const maxLetterSpacedLengthShare = 0.6

function countCharacters(counts: HashCounts): ReadonlyMap<number, number> {
  const characters = new Map<number, number>()
  for (const [at, word] of counts.words.entries()) {
    const times = counts.getCount(at)
    for (let index = 0; index < word.length; index++) {
      const character = toLowerCase(word.charCodeAt(index))
      characters.set(character, (characters.get(character) ?? 0) + times)
    }
  }
  return characters
}

const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0)
