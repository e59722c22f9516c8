import { alone, digit, divider, kindOf, lowerCased, rare, spaceless } from './char-classes.ts'
import { Counts } from './counts.ts'

/** What stands in a text, for a comparison that does not mind order, line ends and what is added between. */

const anyWord = new RegExp(String.raw`[${spaceless}]|[[\p{L}\p{M}]--[${spaceless}]]+`, 'gv')
/** Soft hyphens, marks of direction and joiners, which some writers leave out. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** FNV-1a, of units of 16 bits. */
const [noHash, hashFactor] = [0x811c9dc5 | 0, 0x01000193]

export class Words {
  #counts = new Counts()
  #total = 0
  #hasDigits = false

  /** @param times that the text stands there. */
  add(text: string, times = 1): void {
    const { length } = text
    let start = 0
    let hash = noHash
    let isRare = false
    for (let at = 0; at <= length; at++) {
      const kind = at < length ? kindOf(text.charCodeAt(at)) : divider
      if (kind > rare) hash = Math.imul(hash ^ kind, hashFactor)
      else if (kind === rare) isRare = true
      else {
        if (isRare) this.#addRare(text.slice(start, at), times)
        else if (at > start) this.#count(hash, times, text, start, at)
        if (kind === alone) this.#addPlain(text.charAt(at), times)
        else if (kind === digit) this.#hasDigits = true
        start = at + 1
        hash = noHash
        isRare = false
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
    let hash = noHash
    let total = 0
    let hasDigits = false
    for (let at = from; at <= to; at++) {
      const kind = at < to ? kindOf(bytes[at] ?? 0) : divider
      if (kind > rare) {
        hash = Math.imul(hash ^ kind, hashFactor)
        continue
      }
      if (at > start) {
        if (counts.add(hash, times)) counts.words.push(bytes.toString('latin1', start, at))
        total += times
      }
      if (kind === digit) hasDigits = true
      start = at + 1
      hash = noHash
    }
    this.#total += total
    this.#hasDigits ||= hasDigits
  }

  /** Signs that depend on their neighbours, as letters with an accent beside them. */
  #addRare(run: string, times: number): void {
    const plain = run.replaceAll(invisible, '').normalize('NFKC').toLowerCase()
    for (const word of plain.match(anyWord) ?? []) this.#addPlain(word, times)
    this.#hasDigits ||= /\p{Nd}/u.test(plain)
  }

  #addPlain(word: string, times: number): void {
    let hash = noHash
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
  addAll(other: Words, times = 1): void {
    this.#counts.addAll(other.#counts, times)
    this.#total += other.#total * times
    this.#hasDigits ||= other.#hasDigits
  }

  /** These but for those of another text, which stands within. */
  without(other: Words): Words {
    const left = new Words()
    left.#counts = this.#counts.without(other.#counts)
    left.#total = this.#total - this.#counts.sharedWith(other.#counts)
    left.#hasDigits = this.#hasDigits
    return left
  }

  get total(): number {
    return this.#total
  }

  /** Not even a number. */
  get isEmpty(): boolean {
    return this.#total === 0 && !this.#hasDigits
  }

  /** How many of these words another text has as well. */
  keptIn(other: Words): number {
    const byWord = this.#counts.sharedWith(other.#counts)
    if (byWord === this.#total) return byWord
    return Math.max(byWord, this.#byLetters(other))
  }

  /**
   * Words that are broken at the end of a line or set letter by letter are there all the same. What was added besides,
   * as a line on top of every page, would make up for letters that are missing, so then only words count.
   */
  #byLetters(other: Words): number {
    const [own, others] = [lettersIn(this.#counts), lettersIn(other.#counts)]
    const [ownTotal, othersTotal] = [sum(own.values()), sum(others.values())]
    // Where each letter is set by itself, words say nothing, and a title that was added is no reason to count them.
    const isBroken = othersTotal / other.#total < (ownTotal / this.#total) * brokenLength
    if (othersTotal > ownTotal * (isBroken ? mostAddedToBroken : mostAdded)) return 0
    const shared = sum([...own].map(([letter, count]) => Math.min(count, others.get(letter) ?? 0)))
    return Math.floor((shared / ownTotal) * this.#total)
  }
}

/** Letters of a result as a share of those of its source. */
const [mostAdded, mostAddedToBroken] = [1.05, 1.5]
/** Length of its words in the same way. */
const brokenLength = 0.6

function lettersIn(counts: Counts): ReadonlyMap<number, number> {
  const letters = new Map<number, number>()
  for (const [at, word] of counts.words.entries()) {
    const times = counts.timesOf(at)
    for (let index = 0; index < word.length; index++) {
      const letter = lowerCased(word.charCodeAt(index))
      letters.set(letter, (letters.get(letter) ?? 0) + times)
    }
  }
  return letters
}

const sum = (counts: Iterable<number>) => [...counts].reduce((all, one) => all + one, 0)
