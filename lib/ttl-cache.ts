import { BoundedMap } from './bounded-map.ts'

/** What was looked up lately, so that it is not asked for with each request. What changes elsewhere is noticed when its life is over. */
export class TtlCache<T> {
  readonly #ttlMs: number
  readonly #now: () => number
  readonly #entries: BoundedMap<{ readonly value: Promise<T>; readonly expiresAtMs: number }>

  constructor(
    ttlMs: number,
    { maxEntries = 10_000, now = () => performance.now() }: { maxEntries?: number; now?: () => number } = {},
  ) {
    this.#ttlMs = ttlMs
    this.#entries = new BoundedMap(maxEntries)
    this.#now = now
  }

  /** Those who ask at the same time share one look. A failure is not kept. */
  get(key: string, load: () => Promise<T>): Promise<T> {
    const cached = this.#entries.get(key)
    if (cached && cached.expiresAtMs > this.#now()) return cached.value
    const value = load()
    this.#store(key, value)
    value.catch(() => this.delete(key))
    return value
  }

  /** What somebody has looked up by another way. */
  set(key: string, value: T): void {
    this.#store(key, Promise.resolve(value))
  }

  #store(key: string, value: Promise<T>): void {
    this.#entries.set(key, { value, expiresAtMs: this.#now() + this.#ttlMs })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
