import { BoundedMap } from './bounded-map.ts'

/** What was looked up lately, so that it is not asked for with each request. What changes elsewhere is noticed when its life is over. */
export class ShortMemory<T> {
  readonly #lifeMs: number
  readonly #now: () => number
  readonly #known: BoundedMap<{ readonly value: Promise<T>; readonly until: number }>

  constructor(
    lifeMs: number,
    { most = 10_000, now = () => performance.now() }: { most?: number; now?: () => number } = {},
  ) {
    this.#lifeMs = lifeMs
    this.#known = new BoundedMap(most)
    this.#now = now
  }

  /** Those who ask at the same time share one look. A failure is not kept. */
  get(name: string, load: () => Promise<T>): Promise<T> {
    const known = this.#known.get(name)
    if (known && known.until > this.#now()) return known.value
    const value = load()
    this.#keep(name, value)
    value.catch(() => this.forget(name))
    return value
  }

  /** What somebody has looked up by another way. */
  put(name: string, value: T): void {
    this.#keep(name, Promise.resolve(value))
  }

  #keep(name: string, value: Promise<T>): void {
    this.#known.set(name, { value, until: this.#now() + this.#lifeMs })
  }

  forget(name: string): void {
    this.#known.delete(name)
  }
}
