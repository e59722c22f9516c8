import { AsyncLocalStorage } from 'node:async_hooks'

/** Time that can be moved on, for whatever is called below `inTime` and nothing else: leases end without a wait. */
export class VirtualTime {
  #aheadMs = 0

  get now(): number {
    return wallClock() + this.#aheadMs
  }

  /** Nothing happens when that moment is over. */
  moveTo(ms: number): void {
    this.#aheadMs += Math.max(0, ms - this.now)
  }
}

const RealDate = Date
const wallClock = () => RealDate.now()
const times = new AsyncLocalStorage<VirtualTime>()
const now = () => times.getStore()?.now ?? wallClock()

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [now()] : given, as),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

/** As everybody else has it. */
export const wallTime = new VirtualTime()

export const inTime = <T>(time: VirtualTime, action: () => T): T => times.run(time, action)
