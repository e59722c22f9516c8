// Receivers that wait: served in the order of asking, as soon as a message can be had, and only while they live.
import type { Clock } from './clock.ts'
import type { Taken, Wanted } from './messages.ts'
import { notFound, type Queue, type Queues } from './queues.ts'
import type { Receiver } from './receiving.ts'
import type { Store } from './store.ts'

interface Waiter {
  readonly wanted: Wanted
  readonly gone: AbortSignal
  readonly settle: (result: readonly Taken[] | Error) => void
}

export type LongPolls = ReturnType<typeof openLongPolls>

export function openLongPolls(store: Store, queues: Queues, receiver: Receiver, clock: Clock) {
  const waiters = new Map<number, Set<Waiter>>()
  const alarms = new Map<number, NodeJS.Timeout>()
  const touched = new Set<number>()
  let closed = false

  store.onTouched((queueId) => {
    if (!waiters.has(queueId) || touched.has(queueId)) return
    touched.add(queueId)
    void serve(queueId)
  })

  /** Resolves with messages, or with none when the time is over, the client is gone or the service stops. */
  async function wait(queue: Queue, wanted: Wanted, waitS: number, gone: AbortSignal) {
    if (closed || gone.aborted) return []
    const { promise, resolve, reject } = Promise.withResolvers<readonly Taken[]>()
    const waiter: Waiter = {
      wanted,
      gone,
      settle: (result) => (result instanceof Error ? reject(result) : resolve(result)),
    }
    const list = waiters.get(queue.id) ?? new Set()
    waiters.set(queue.id, list.add(waiter))
    const leave = () => {
      list.delete(waiter)
      resolve([])
    }
    const timer = setTimeout(leave, waitS * 1000)
    gone.addEventListener('abort', leave)
    // A message may have come between the caller's own look and now.
    touched.add(queue.id)
    void serve(queue.id)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      gone.removeEventListener('abort', leave)
      list.delete(waiter)
      if (list.size === 0 && waiters.get(queue.id) === list) forget(queue.id)
    }
  }

  async function serve(queueId: number): Promise<void> {
    const asking = [...(waiters.get(queueId) ?? [])]
    try {
      const served = await store.commit(() => takeForWaiters(queueId), 'process')
      for (const [waiter, taken] of served) waiter.settle(taken)
      setAlarm(queueId)
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      for (const waiter of asking) waiter.settle(failure)
    }
  }

  /** Inside a commit. */
  function takeForWaiters(queueId: number): [Waiter, readonly Taken[]][] {
    touched.delete(queueId)
    const served: [Waiter, readonly Taken[]][] = []
    const queue = queues.byId(queueId)
    if (!queue) throw notFound()
    for (const waiter of waiters.get(queueId) ?? []) {
      if (waiter.gone.aborted) continue
      const taken = receiver.receive(queue, waiter.wanted)
      if (taken.length === 0) break
      waiters.get(queueId)?.delete(waiter)
      served.push([waiter, taken])
    }
    return served
  }

  /** Delays and visibility timeouts end without anybody doing anything. */
  function setAlarm(queueId: number) {
    clearTimeout(alarms.get(queueId))
    alarms.delete(queueId)
    const queue = queues.byId(queueId)
    if (closed || !queue || !waiters.get(queueId)?.size) return
    const at = receiver.nextVisibleAt(queue)
    if (at === undefined) return
    const alarm = setTimeout(() => void serve(queueId), Math.max(at - clock.now(), 0) + 1)
    alarms.set(queueId, alarm)
  }

  function forget(queueId: number) {
    waiters.delete(queueId)
    clearTimeout(alarms.get(queueId))
    alarms.delete(queueId)
  }

  return {
    wait,
    close() {
      closed = true
      for (const [queueId, list] of waiters) {
        for (const waiter of list) waiter.settle([])
        forget(queueId)
      }
    },
  }
}
