import { AsyncLocalStorage } from 'node:async_hooks'

/** An instance of a function. After its death, its memory is lost and nothing that it does has an effect. */
export interface Instance {
  readonly name: string
  isDead: boolean
}

/** Thrown by the next call of a dead instance, to stop it. */
export class InstanceDied extends Error {}

const instances = new AsyncLocalStorage<Instance>()

/** Gate for all external effects of instances: an instance can be killed after any effect. */
export class EffectGate {
  /** Names of all effects, in order. */
  readonly effects: string[] = []
  /** Numbers of effects after which their instance dies. */
  readonly #crashPoints: Set<number>

  constructor(deathPoints: readonly number[] = []) {
    this.#crashPoints = new Set(deathPoints)
  }

  /** @throws InstanceDied when the instance died before or during the action. */
  async observe<T>(action: () => Promise<T>): Promise<T> {
    assertIsAlive()
    try {
      return await action()
    } finally {
      assertIsAlive()
    }
  }

  async effect<T>(name: string, action: () => Promise<T>): Promise<T> {
    return this.observe(async () => {
      const result = await action()
      const instance = instances.getStore()
      this.effects.push(`${instance?.name ?? 'test'}: ${name}`)
      if (instance && this.#crashPoints.has(this.effects.length)) instance.isDead = true
      return result
    })
  }

  crashAfter(effect: number): void {
    this.#crashPoints.add(effect)
  }
}

function assertIsAlive(): void {
  const instance = instances.getStore()
  if (instance?.isDead) throw new InstanceDied(`${instance.name} died`)
}

/** Runs an action as a separate instance. Returns undefined when it died. */
export async function runAsInstance<T>(name: string, action: () => Promise<T>): Promise<T | undefined> {
  const instance: Instance = { name, isDead: false }
  try {
    return await instances.run(instance, action)
  } catch (error) {
    if (instance.isDead) return undefined
    throw error
  }
}
