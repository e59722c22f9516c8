/** A map that grows no further than `most` entries: the one that was set longest ago is forgotten. */
export class BoundedMap<V> extends Map<string, V> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(name: string, value: V): this {
    // Maps keep the order in which entries came.
    this.delete(name)
    super.set(name, value)
    const [oldest] = this.keys()
    if (oldest !== undefined && this.size > this.#most) this.delete(oldest)
    return this
  }
}
