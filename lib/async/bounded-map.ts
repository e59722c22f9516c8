/** A map of at most `maxEntries` entries: it drops the entry that was set longest ago. */
export class BoundedMap<V> extends Map<string, V> {
  readonly #maxEntries: number

  constructor(maxEntries: number) {
    super()
    this.#maxEntries = maxEntries
  }

  override set(key: string, value: V): this {
    // Maps keep insertion order, so an entry that is set again has to be deleted first.
    this.delete(key)
    super.set(key, value)
    const [oldest] = this.keys()
    if (oldest !== undefined && this.size > this.#maxEntries) this.delete(oldest)
    return this
  }
}
