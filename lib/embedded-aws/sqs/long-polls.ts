// Receivers that wait for messages; they are served in the order of their requests, while they are connected.
import type { SqsClock } from './clock.ts'
import type { ReceivedMessage, ReceiveOptions } from './messages.ts'
import { createQueueNotFoundError, type Queue, type QueueRegistry } from './queues.ts'
import type { MessageReceiver } from './receiving.ts'
import type { SqsStore } from './store.ts'

interface Waiter {
  readonly receiveOptions: ReceiveOptions
  readonly disconnectSignal: AbortSignal
  readonly resolve: (result: readonly ReceivedMessage[] | Error) => void
}

export class LongPolls {
  readonly #store: SqsStore
  readonly #queues: QueueRegistry
  readonly #receiver: MessageReceiver
  readonly #clock: SqsClock
  readonly #waiters = new Map<number, Set<Waiter>>()
  readonly #alarms = new Map<number, NodeJS.Timeout>()
  readonly #touched = new Set<number>()
  #isClosed = false

  constructor(store: SqsStore, queues: QueueRegistry, receiver: MessageReceiver, clock: SqsClock) {
    this.#store = store
    this.#queues = queues
    this.#receiver = receiver
    this.#clock = clock
    store.onChange((queueId) => {
      if (!this.#waiters.has(queueId) || this.#touched.has(queueId)) return
      this.#touched.add(queueId)
      void this.#serve(queueId)
    })
  }

  /** Waits for messages. Resolves without messages if the time is over, the client disconnects or the service stops. */
  async wait(queue: Queue, receiveOptions: ReceiveOptions, waitS: number, disconnectSignal: AbortSignal) {
    if (this.#isClosed || disconnectSignal.aborted) return []
    const { promise, resolve, reject } = Promise.withResolvers<readonly ReceivedMessage[]>()
    const waiter: Waiter = {
      receiveOptions,
      disconnectSignal,
      resolve: (result) => (result instanceof Error ? reject(result) : resolve(result)),
    }
    const list = this.#waiters.get(queue.id) ?? new Set()
    this.#waiters.set(queue.id, list.add(waiter))
    const stopWaiting = () => {
      list.delete(waiter)
      resolve([])
    }
    const timer = setTimeout(stopWaiting, waitS * 1000)
    disconnectSignal.addEventListener('abort', stopWaiting)
    // A message may have arrived since the caller's own query.
    this.#touched.add(queue.id)
    void this.#serve(queue.id)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      disconnectSignal.removeEventListener('abort', stopWaiting)
      list.delete(waiter)
      if (list.size === 0 && this.#waiters.get(queue.id) === list) this.#forget(queue.id)
    }
  }

  async #serve(queueId: number): Promise<void> {
    const waiters = [...(this.#waiters.get(queueId) ?? [])]
    try {
      const servedWaiters = await this.#store.commit(() => this.#takeForWaiters(queueId), 'process')
      for (const [waiter, takenMessages] of servedWaiters) waiter.resolve(takenMessages)
      this.#setAlarm(queueId)
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      for (const waiter of waiters) waiter.resolve(failure)
    }
  }

  /** Takes messages for waiting receivers; call inside a commit. */
  #takeForWaiters(queueId: number): [Waiter, readonly ReceivedMessage[]][] {
    this.#touched.delete(queueId)
    const servedWaiters: [Waiter, readonly ReceivedMessage[]][] = []
    const queue = this.#queues.findById(queueId)
    if (!queue) throw createQueueNotFoundError()
    for (const waiter of this.#waiters.get(queueId) ?? []) {
      if (waiter.disconnectSignal.aborted) continue
      const takenMessages = this.#receiver.receive(queue, waiter.receiveOptions)
      if (takenMessages.length === 0) break
      this.#waiters.get(queueId)?.delete(waiter)
      servedWaiters.push([waiter, takenMessages])
    }
    return servedWaiters
  }

  /** Sets a timer that wakes receivers when a delay or visibility timeout ends, which no request triggers. */
  #setAlarm(queueId: number) {
    clearTimeout(this.#alarms.get(queueId))
    this.#alarms.delete(queueId)
    const queue = this.#queues.findById(queueId)
    if (this.#isClosed || !queue || !this.#waiters.get(queueId)?.size) return
    const at = this.#receiver.getNextVisibleAt(queue)
    if (at === undefined) return
    const alarm = setTimeout(() => void this.#serve(queueId), Math.max(at - this.#clock.now(), 0) + 1)
    this.#alarms.set(queueId, alarm)
  }

  #forget(queueId: number) {
    this.#waiters.delete(queueId)
    clearTimeout(this.#alarms.get(queueId))
    this.#alarms.delete(queueId)
  }

  close(): void {
    this.#isClosed = true
    for (const [queueId, list] of this.#waiters) {
      for (const waiter of list) waiter.resolve([])
      this.#forget(queueId)
    }
  }
}
