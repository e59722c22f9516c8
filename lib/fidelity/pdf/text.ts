const spaceCode = 32

/** Builds text from single characters: appending each to a string takes several times as long. */
export class GlyphText {
  #units = new Uint16Array(4096)
  /** Number of UTF-16 units; can be reduced to discard the last ones. */
  length = 0

  /** @param unit a UTF-16 unit. */
  push(unit: number): void {
    if (this.length === this.#units.length) {
      const largerBuffer = new Uint16Array(this.length * 2)
      largerBuffer.set(this.#units)
      this.#units = largerBuffer
    }
    this.#units[this.length++] = unit
  }

  add(text: string): void {
    for (let at = 0; at < text.length; at++) this.push(text.charCodeAt(at))
  }

  /** Inserts a space at a position. */
  insertBlankAt(at: number): void {
    this.push(spaceCode)
    this.#units.copyWithin(at + 1, at, this.length - 1)
    this.#units[at] = spaceCode
  }

  /** Returns the text and clears it. */
  takeText(): string {
    const bytes = Buffer.from(this.#units.buffer, 0, this.length * 2)
    this.length = 0
    return bytes.toString('utf16le')
  }
}
