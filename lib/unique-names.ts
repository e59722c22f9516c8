/** Names that no two files share, on systems too that take `A` for `a`: else one of them would hide the other. */
export class UniqueNames {
  readonly #taken = new Set<string>()

  constructor(reserved: readonly string[] = []) {
    for (const name of reserved) this.#taken.add(name.toLowerCase())
  }

  /** `name (2).ext` for the second of a name, or of a path. */
  next(name: string): string {
    for (let count = 1; ; count++) {
      const candidate = count === 1 ? name : name.replace(/(?<=[^/])(?:\.[^./]*)?$/, ` (${count})$&`)
      if (this.#taken.has(candidate.toLowerCase())) continue
      this.#taken.add(candidate.toLowerCase())
      return candidate
    }
  }
}
