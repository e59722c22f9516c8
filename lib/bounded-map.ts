/** A map that grows no further than `most` entries: the one that was set longest ago is forgotten. */
export class BoundedMap<V> extends Map<string, V> {
  readonly #maxEntries: number

  constructor(maxEntries: number) {
    super()
    this.#maxEntries = maxEntries
  }

  override set(key: string, value: V): this {
    // Maps keep the order in which entries came.
    this.delete(key)
    super.set(key, value)
    const [oldest] = this.keys()
    if (oldest !== undefined && this.size > this.#maxEntries) this.delete(oldest)
    return this
  }
}
