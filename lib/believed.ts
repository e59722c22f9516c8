import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds for which a process believes what it has read. */
export const believedMs = 200
const mostRemembered = 1000

/** Whoever changes what others believe waits for it before he answers: from then on all of them know. */
export const untilHeeded = () => pause(believedMs)

interface Known<Value> {
  readonly value: Promise<Value>
  /** Of `performance.now`. */
  readonly until: number
}

/** What was read under a name, so that it is not read again for each of many events that follow one another. */
export class Believed<Value> {
  readonly #read: (name: string) => Promise<Value>
  readonly #known = new Map<string, Known<Value>>()

  constructor(read: (name: string) => Promise<Value>) {
    this.#read = read
  }

  of(name: string): Promise<Value> {
    const now = performance.now()
    const known = this.#known.get(name)
    if (known && now < known.until) return known.value
    const value = this.#read(name)
    this.#known.delete(name)
    this.#known.set(name, { value, until: now + believedMs })
    if (this.#known.size > mostRemembered) this.forget(this.#known.keys().next().value ?? '')
    value.catch(() => this.forget(name))
    return value
  }

  forget(name: string): void {
    this.#known.delete(name)
  }
}
