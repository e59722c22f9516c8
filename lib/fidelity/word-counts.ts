import {
  classOf,
  contextDependent,
  digit,
  divider,
  scriptsWithoutSpaces,
  singleCharacter,
  toLowerCase,
} from './char-classes.ts'
import { HashCounts } from './hash-counts.ts'

/** What stands in a text, for a comparison that does not mind order, line ends and what is added between. */

const anyWord = new RegExp(
  String.raw`[${scriptsWithoutSpaces}]|[[\p{L}\p{M}]--[${scriptsWithoutSpaces}]]+`,
  'gv',
)
/** Soft hyphens, marks of direction and joiners, which some writers leave out. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** FNV-1a, of units of 16 bits. */
const [initialHash, hashFactor] = [0x811c9dc5 | 0, 0x01000193]

export class WordCounts {
  #counts = new HashCounts()
  #total = 0
  #hasDigits = false

  /** @param times that the text stands there. */
  add(text: string, times = 1): void {
    const { length } = text
    let start = 0
    let hash = initialHash
    let isContextDependent = false
    for (let at = 0; at <= length; at++) {
      const characterClass = at < length ? classOf(text.charCodeAt(at)) : divider
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
   * The same from bytes, as a text of its own for each of a million cells takes longer than to count them.
   * @param bytes of which none is above 127.
   */
  addAscii(bytes: Buffer, from: number, to: number, times = 1): void {
    const counts = this.#counts
    let start = from
    let hash = initialHash
    let total = 0
    let hasDigits = false
    for (let at = from; at <= to; at++) {
      const characterClass = at < to ? classOf(bytes[at] ?? 0) : divider
      if (characterClass > contextDependent) {
        hash = Math.imul(hash ^ characterClass, hashFactor)
        continue
      }
      if (at > start) {
        if (counts.add(hash, times)) counts.words.push(bytes.toString('latin1', start, at))
        total += times
      }
      if (characterClass === digit) hasDigits = true
      start = at + 1
      hash = initialHash
    }
    this.#total += total
    this.#hasDigits ||= hasDigits
  }

  /** Signs that depend on their neighbours, as letters with an accent beside them. */
  #addContextDependent(run: string, times: number): void {
    const normalized = run.replaceAll(invisible, '').normalize('NFKC').toLowerCase()
    for (const word of normalized.match(anyWord) ?? []) this.#addWord(word, times)
    this.#hasDigits ||= /\p{Nd}/u.test(normalized)
  }

  #addWord(word: string, times: number): void {
    let hash = initialHash
    for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), hashFactor)
    this.#count(hash, times, word, 0, word.length)
  }

  #count(hash: number, times: number, text: string, start: number, end: number): void {
    if (this.#counts.add(hash, times)) this.#counts.words.push(text.slice(start, end))
    this.#total += times
  }

  /** A number, which is no word. */
  addNumber(): void {
    this.#hasDigits = true
  }

  /** The words of another text besides. @param times that it stands there. */
  addAll(other: WordCounts, times = 1): void {
    this.#counts.addAll(other.#counts, times)
    this.#total += other.#total * times
    this.#hasDigits ||= other.#hasDigits
  }

  /** These but for those of another text, which stands within. */
  without(other: WordCounts): WordCounts {
    const remaining = new WordCounts()
    remaining.#counts = this.#counts.without(other.#counts)
    remaining.#total = this.#total - this.#counts.sharedWith(other.#counts)
    remaining.#hasDigits = this.#hasDigits
    return remaining
  }

  get total(): number {
    return this.#total
  }

  /** Not even a number. */
  get isEmpty(): boolean {
    return this.#total === 0 && !this.#hasDigits
  }

  /** How many of these words another text has as well. */
  countSharedWith(other: WordCounts): number {
    const byWord = this.#counts.sharedWith(other.#counts)
    if (byWord === this.#total) return byWord
    return Math.max(byWord, this.#countByCharacters(other))
  }

  /**
   * Words that are broken at the end of a line or set letter by letter are there all the same. What was added besides,
   * as a line on top of every page, would make up for letters that are missing, so then only words count.
   */
  #countByCharacters(other: WordCounts): number {
    const [own, others] = [countCharacters(this.#counts), countCharacters(other.#counts)]
    const [ownTotal, othersTotal] = [sum(own.values()), sum(others.values())]
    // Where each letter is set by itself, words say nothing, and a title that was added is no reason to count them.
    const isBroken = othersTotal / other.#total < (ownTotal / this.#total) * maxBrokenLengthShare
    if (othersTotal > ownTotal * (isBroken ? maxAddedShareIfBroken : maxAddedShare)) return 0
    const shared = sum([...own].map(([character, count]) => Math.min(count, others.get(character) ?? 0)))
    return Math.floor((shared / ownTotal) * this.#total)
  }
}

/** Letters of a result as a share of those of its source. */
const [maxAddedShare, maxAddedShareIfBroken] = [1.05, 1.5]
/** Length of its words in the same way. */
const maxBrokenLengthShare = 0.6

function countCharacters(counts: HashCounts): ReadonlyMap<number, number> {
  const characters = new Map<number, number>()
  for (const [at, word] of counts.words.entries()) {
    const times = counts.countAt(at)
    for (let index = 0; index < word.length; index++) {
      const character = toLowerCase(word.charCodeAt(index))
      characters.set(character, (characters.get(character) ?? 0) + times)
    }
  }
  return characters
}

const sum = (counts: Iterable<number>) => [...counts].reduce((all, one) => all + one, 0)
