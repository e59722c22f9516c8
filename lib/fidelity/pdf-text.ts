const blank = 32

/** Text that is put together of single letters: strings that grow by one letter each take several times as long. */
export class GlyphText {
  #units = new Uint16Array(4096)
  /** Of what is kept: what was added last is taken back by a shorter one. */
  length = 0

  /** A unit of UTF-16. */
  push(unit: number): void {
    if (this.length === this.#units.length) {
      const larger = new Uint16Array(this.length * 2)
      larger.set(this.#units)
      this.#units = larger
    }
    this.#units[this.length++] = unit
  }

  add(text: string): void {
    for (let at = 0; at < text.length; at++) this.push(text.charCodeAt(at))
  }

  /** Puts a blank there. */
  insertBlankAt(at: number): void {
    this.push(blank)
    this.#units.copyWithin(at + 1, at, this.length - 1)
    this.#units[at] = blank
  }

  /** All of it; empty after that. */
  takeText(): string {
    const bytes = Buffer.from(this.#units.buffer, 0, this.length * 2)
    this.length = 0
    return bytes.toString('utf16le')
  }
}
