import { AsyncLocalStorage } from 'node:async_hooks'

/** Time that can be advanced for code that runs inside of `runInTime`, so that leases expire without waiting. */
export class VirtualTime {
  #offsetMs = 0

  get now(): number {
    return readWallClock() + this.#offsetMs
  }

  /** Advances to this time, unless it has passed. */
  moveTo(ms: number): void {
    this.#offsetMs += Math.max(0, ms - this.now)
  }
}

const RealDate = Date
const readWallClock = () => RealDate.now()
const times = new AsyncLocalStorage<VirtualTime>()
const now = () => times.getStore()?.now ?? readWallClock()

globalThis.Date = new Proxy(RealDate, {
  construct: (target, givenArgs, as) =>
    Reflect.construct(target, givenArgs.length === 0 ? [now()] : givenArgs, as),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

/** A virtual time that no test advances. */
export const virtualWallTime = new VirtualTime()

export const runInTime = <T>(time: VirtualTime, action: () => T): T => times.run(time, action)
