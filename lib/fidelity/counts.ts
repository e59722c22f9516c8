/**
 * How often each word was met, by a hash of it: two words of one hash are as good as never in a text and what came of
 * it. A map of texts takes several times as long, as each word has to become one; a large table has a million.
 */
export class Counts {
  /** Numbers of words, from 1, in the first free place from the one that their hash names. */
  #places = new Int32Array(1024)
  readonly #hashes: number[] = []
  readonly #times: number[] = []
  /** Each as it was first met. */
  readonly words: string[] = []

  /** @returns whether it is new, and so is to be added to `words`. */
  add(hash: number, times: number): boolean {
    const place = this.#placeOf(hash)
    const number = this.#places[place] ?? 0
    if (number > 0) {
      this.#times[number - 1] = this.timesOf(number - 1) + times
      return false
    }
    this.#hashes.push(hash)
    this.#times.push(times)
    this.#places[place] = this.#hashes.length
    if (this.#hashes.length * 2 > this.#places.length) this.#grow()
    return true
  }

  addAll(other: Counts, times: number): void {
    for (const [at, word] of other.words.entries())
      if (this.add(other.#hashes[at] ?? 0, other.timesOf(at) * times)) this.words.push(word)
  }

  /** These but for those of the other. */
  without(other: Counts): Counts {
    const left = new Counts()
    for (const [at, hash] of this.#hashes.entries()) {
      const number = other.#places[other.#placeOf(hash)] ?? 0
      const times = this.timesOf(at) - (number > 0 ? other.timesOf(number - 1) : 0)
      if (times > 0 && left.add(hash, times)) left.words.push(this.words[at] ?? '')
    }
    return left
  }

  /** Of the word at this place of `words`. */
  timesOf(at: number): number {
    return this.#times[at] ?? 0
  }

  /** How many of these there are in the other as well. */
  sharedWith(other: Counts): number {
    let shared = 0
    for (const [at, hash] of this.#hashes.entries()) {
      const number = other.#places[other.#placeOf(hash)] ?? 0
      if (number > 0) shared += Math.min(this.timesOf(at), other.timesOf(number - 1))
    }
    return shared
  }

  #placeOf(hash: number): number {
    const places = this.#places
    const last = places.length - 1
    let place = mixed(hash) & last
    for (let number = places[place] ?? 0; number > 0; number = places[place] ?? 0) {
      if (this.#hashes[number - 1] === hash) break
      place = (place + 1) & last
    }
    return place
  }

  #grow(): void {
    this.#places = new Int32Array(this.#places.length * 4)
    for (const [at, hash] of this.#hashes.entries()) this.#places[this.#placeOf(hash)] = at + 1
  }
}

/** The low bits name a place, so they have to depend on all. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return half ^ (half >>> 13)
}
