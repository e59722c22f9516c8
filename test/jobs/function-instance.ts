import { AsyncLocalStorage } from 'node:async_hooks'

/** One instance of a function: its memory goes with it, and nothing that it does later has an effect. */
export interface Instance {
  readonly name: string
  isDead: boolean
}

/** What ends an instance, wherever it stands. */
export class Died extends Error {}

const instances = new AsyncLocalStorage<Instance>()

/** Through it goes whatever an instance does to the world outside, so that it can be stopped after each of these. */
export class Gate {
  /** What had an effect, in order. */
  readonly effects: string[] = []
  /** Places in `effects` after which whoever did that dies. */
  readonly #stops: Set<number>

  constructor(stops: readonly number[] = []) {
    this.#stops = new Set(stops)
  }

  /** @throws Died when the instance died before or during it. */
  async look<T>(action: () => Promise<T>): Promise<T> {
    requireAlive()
    try {
      return await action()
    } finally {
      requireAlive()
    }
  }

  async effect<T>(name: string, action: () => Promise<T>): Promise<T> {
    return this.look(async () => {
      const answer = await action()
      const instance = instances.getStore()
      this.effects.push(`${instance?.name ?? 'test'}: ${name}`)
      if (instance && this.#stops.has(this.effects.length)) instance.isDead = true
      return answer
    })
  }

  stopAt(effect: number): void {
    this.#stops.add(effect)
  }
}

function requireAlive(): void {
  const instance = instances.getStore()
  if (instance?.isDead) throw new Died(`${instance.name} died`)
}

/** Runs it as an instance of its own. Undefined when that died on the way. */
export async function asInstance<T>(name: string, action: () => Promise<T>): Promise<T | undefined> {
  const instance: Instance = { name, isDead: false }
  try {
    return await instances.run(instance, action)
  } catch (error) {
    if (instance.isDead) return undefined
    throw error
  }
}
