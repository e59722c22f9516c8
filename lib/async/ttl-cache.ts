import { BoundedMap } from './bounded-map.ts'

/** Caches lookups for a short time. Changes made elsewhere are noticed when an entry expires. */
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

  /** Concurrent callers share one lookup. Failures are not cached. */
  get(key: string, load: () => Promise<T>): Promise<T> {
    const cachedEntry = this.#entries.get(key)
    if (cachedEntry && cachedEntry.expiresAtMs > this.#now()) return cachedEntry.value
    const value = load()
    this.#store(key, value)
    value.catch(() => this.delete(key))
    return value
  }

  /** Stores a value that was looked up elsewhere. */
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
