// Waiting receivers: served in the order of their requests, once a message is available, while they are connected.
import type { SqsClock } from './clock.ts'
import type { ReceivedMessage, ReceiveOptions } from './messages.ts'
import { type Queue, type QueueRegistry, queueNotFound } from './queues.ts'
import type { MessageReceiver } from './receiving.ts'
import type { SqsStore } from './store.ts'

interface Waiter {
  readonly wanted: ReceiveOptions
  readonly disconnected: AbortSignal
  readonly resolve: (result: readonly ReceivedMessage[] | Error) => void
}

export type LongPolls = ReturnType<typeof openLongPolls>

export function openLongPolls(
  store: SqsStore,
  queues: QueueRegistry,
  receiver: MessageReceiver,
  clock: SqsClock,
) {
  const waiters = new Map<number, Set<Waiter>>()
  const alarms = new Map<number, NodeJS.Timeout>()
  const touched = new Set<number>()
  let closed = false

  store.onChange((queueId) => {
    if (!waiters.has(queueId) || touched.has(queueId)) return
    touched.add(queueId)
    void serve(queueId)
  })

  /** Resolves with messages, or with none when the time is over, the client disconnects or the service stops. */
  async function wait(queue: Queue, wanted: ReceiveOptions, waitS: number, disconnected: AbortSignal) {
    if (closed || disconnected.aborted) return []
    const { promise, resolve, reject } = Promise.withResolvers<readonly ReceivedMessage[]>()
    const waiter: Waiter = {
      wanted,
      disconnected,
      resolve: (result) => (result instanceof Error ? reject(result) : resolve(result)),
    }
    const list = waiters.get(queue.id) ?? new Set()
    waiters.set(queue.id, list.add(waiter))
    const leave = () => {
      list.delete(waiter)
      resolve([])
    }
    const timer = setTimeout(leave, waitS * 1000)
    disconnected.addEventListener('abort', leave)
    // A message may have arrived since the caller's own query.
    touched.add(queue.id)
    void serve(queue.id)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      disconnected.removeEventListener('abort', leave)
      list.delete(waiter)
      if (list.size === 0 && waiters.get(queue.id) === list) forget(queue.id)
    }
  }

  async function serve(queueId: number): Promise<void> {
    const servable = [...(waiters.get(queueId) ?? [])]
    try {
      const served = await store.commit(() => takeForWaiters(queueId), 'process')
      for (const [waiter, taken] of served) waiter.resolve(taken)
      setAlarm(queueId)
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      for (const waiter of servable) waiter.resolve(failure)
    }
  }

  /** Inside a commit. */
  function takeForWaiters(queueId: number): [Waiter, readonly ReceivedMessage[]][] {
    touched.delete(queueId)
    const served: [Waiter, readonly ReceivedMessage[]][] = []
    const queue = queues.byId(queueId)
    if (!queue) throw queueNotFound()
    for (const waiter of waiters.get(queueId) ?? []) {
      if (waiter.disconnected.aborted) continue
      const taken = receiver.receive(queue, waiter.wanted)
      if (taken.length === 0) break
      waiters.get(queueId)?.delete(waiter)
      served.push([waiter, taken])
    }
    return served
  }

  /** Wakes receivers when a delay or visibility timeout ends, which no request triggers. */
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
        for (const waiter of list) waiter.resolve([])
        forget(queueId)
      }
    },
  }
}
