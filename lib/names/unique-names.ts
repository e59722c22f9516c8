/** Makes filenames unique, even on case-insensitive file systems, where one file would replace the other. */
export class UniqueNames {
  readonly #takenNames = new Set<string>()

  constructor(reservedNames: readonly string[] = []) {
    for (const name of reservedNames) this.#takenNames.add(name.toLowerCase())
  }

  /** Returns `name (2).ext` for the second file with a name or path. */
  createUniqueName(name: string): string {
    for (let count = 1; ; count++) {
      const candidate = count === 1 ? name : name.replace(/(?<=[^/])(?:\.[^./]*)?$/, ` (${count})$&`)
      if (this.#takenNames.has(candidate.toLowerCase())) continue
      this.#takenNames.add(candidate.toLowerCase())
      return candidate
    }
  }
}
