/** What stands in a text, for a comparison that does not mind order, line ends and what is added between. */

/** Scripts without spaces between words: each of their letters counts as one. */
const spaceless = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const anyWord = new RegExp(String.raw`[${spaceless}]|[[\p{L}\p{M}]--[${spaceless}]]+`, 'gv')
const asciiWord = /[a-z]+/g
// Escapes of control characters would be taken for a mistake; space to tilde, and what divides lines.
const asciiOnly = /^[\t\n\v\f\r -~]*$/
/** Soft hyphens, marks of direction and joiners, which some writers leave out. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

export class Words {
  readonly #counts = new Map<string, number>()
  #total = 0
  #digits = 0

  /** @param times that the text stands there. */
  add(text: string, times = 1): void {
    const isAscii = asciiOnly.test(text)
    const plain = (isAscii ? text : text.replaceAll(invisible, '').normalize('NFKC')).toLowerCase()
    for (const word of plain.match(isAscii ? asciiWord : anyWord) ?? []) {
      this.#counts.set(word, (this.#counts.get(word) ?? 0) + times)
      this.#total += times
    }
    if (this.#digits === 0) this.#digits = /\p{Nd}/u.test(plain) ? 1 : 0
  }

  /** A number, which is no word. */
  addNumber(): void {
    this.#digits = 1
  }

  /** The words of another text besides. */
  addAll(other: Words): void {
    for (const [word, count] of other.#counts) this.#counts.set(word, (this.#counts.get(word) ?? 0) + count)
    this.#total += other.#total
    this.#digits ||= other.#digits
  }

  get total(): number {
    return this.#total
  }

  /** Not even a number. */
  get isEmpty(): boolean {
    return this.#total === 0 && this.#digits === 0
  }

  /** How many of these words another text has as well. */
  keptIn(other: Words): number {
    const byWord = overlap(this.#counts, other.#counts)
    if (byWord === this.#total) return byWord
    return Math.max(byWord, this.#byLetters(other))
  }

  /**
   * Words that are broken at the end of a line or set letter by letter are there all the same. What was added besides,
   * as a line on top of every page, would make up for letters that are missing, so then only words count.
   */
  #byLetters(other: Words): number {
    const [own, others] = [lettersIn(this.#counts), lettersIn(other.#counts)]
    const [ownTotal, othersTotal] = [sum(own), sum(others)]
    // Where each letter is set by itself, words say nothing, and a title that was added is no reason to count them.
    const isBroken = othersTotal / other.#total < (ownTotal / this.#total) * brokenLength
    if (othersTotal > ownTotal * (isBroken ? mostAddedToBroken : mostAdded)) return 0
    return Math.floor((overlap(own, others) / ownTotal) * this.#total)
  }
}

/** Letters of a result as a share of those of its source. */
const [mostAdded, mostAddedToBroken] = [1.05, 1.5]
/** Length of its words in the same way. */
const brokenLength = 0.6

function overlap(counts: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): number {
  let kept = 0
  for (const [one, count] of counts) kept += Math.min(count, others.get(one) ?? 0)
  return kept
}

function lettersIn(words: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const letters = new Map<string, number>()
  for (const [word, count] of words)
    for (const letter of word) letters.set(letter, (letters.get(letter) ?? 0) + count)
  return letters
}

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, one) => all + one, 0)
