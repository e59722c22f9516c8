import assert from 'node:assert/strict'
import { Queues } from '../../lib/aws/queues.ts'
import type { Config } from '../../lib/config.ts'
import { TaskMessage } from '../../lib/model/task-message.ts'
import { maxReceiveCount, type QueueId } from '../../lib/resources/queues.ts'
import type { EffectGate } from './function-instance.ts'

interface Stored {
  readonly body: string
  readonly queue: QueueId
  /** Milliseconds since the epoch. */
  visibleAt: number
  receiveCount: number
  receipt: string
}

export interface QueuedMessage {
  readonly message: TaskMessage
  readonly queue: QueueId
  readonly receipt: string
}

/**
 * Queues with the guarantees of SQS only: a received message is hidden for a while and delivered again unless it is
 * deleted, order is not guaranteed, and `copies` can deliver messages twice.
 */
export class MemoryQueues extends Queues {
  readonly #gate: EffectGate
  readonly #visibilityS: number
  readonly #copies: () => number
  #storedMessages: Stored[] = []
  #receipts = 0
  #onVisible = () => {}
  readonly deadLetters: string[] = []

  constructor(
    config: Config,
    gate: EffectGate,
    { visibilityS = 16, copies = () => 1 }: { visibilityS?: number; copies?: () => number } = {},
  ) {
    super(config)
    this.#gate = gate
    this.#visibilityS = visibilityS
    this.#copies = copies
  }

  override async send(queue: QueueId, messages: readonly TaskMessage[], group?: string): Promise<void> {
    assert.ok(group, 'a message group is required')
    for (let at = 0; at < messages.length; at += 10)
      await this.#gate.effect(`send ${queue}`, async () => {
        for (const message of messages.slice(at, at + 10)) {
          const body = JSON.stringify(TaskMessage.parse(message))
          for (let copy = this.#copies(); copy > 0; copy--)
            this.#storedMessages.push({ body, queue, visibleAt: 0, receiveCount: 0, receipt: '' })
        }
        this.#onVisible()
      })
  }

  override async extendVisibility(_queue: QueueId, receipt: string, seconds: number): Promise<void> {
    await this.#gate.observe(async () => {
      for (const storedMessage of this.#storedMessages)
        if (storedMessage.receipt === receipt) storedMessage.visibleAt = Date.now() + seconds * 1000
      this.#onVisible()
    })
  }

  receive(): QueuedMessage | undefined {
    const now = Date.now()
    const foundMessage = this.#storedMessages.find(({ visibleAt }) => visibleAt <= now)
    if (!foundMessage) return undefined
    foundMessage.receiveCount += 1
    if (foundMessage.receiveCount > maxReceiveCount) {
      this.deadLetters.push(foundMessage.body)
      this.#storedMessages = this.#storedMessages.filter((stored) => stored !== foundMessage)
      return this.receive()
    }
    this.#receipts += 1
    foundMessage.receipt = String(this.#receipts)
    foundMessage.visibleAt = now + this.#visibilityS * 1000
    // Moves the message to the end, so that the next receive returns another message.
    this.#storedMessages = [...this.#storedMessages.filter((stored) => stored !== foundMessage), foundMessage]
    return {
      message: TaskMessage.parse(JSON.parse(foundMessage.body)),
      queue: foundMessage.queue,
      receipt: foundMessage.receipt,
    }
  }

  /** Only the latest receipt deletes a message. */
  async delete(receipt: string): Promise<void> {
    await this.#gate.effect('message deleted', async () => {
      this.#storedMessages = this.#storedMessages.filter((stored) => stored.receipt !== receipt)
    })
  }

  /** When the next message can be received; undefined when there is none. */
  get nextAt(): number | undefined {
    return this.#storedMessages.length === 0
      ? undefined
      : Math.min(...this.#storedMessages.map(({ visibleAt }) => visibleAt))
  }

  /** Bodies of all messages that were not deleted. */
  get bodies(): readonly string[] {
    return this.#storedMessages.map(({ body }) => body)
  }

  /** Simulates the loss of all messages, which must never happen in production. */
  dropAll(): void {
    assert.ok(this.#storedMessages.length > 0)
    this.#storedMessages = []
  }

  /** Resolves when a call makes the next message visible. */
  nextVisible(): Promise<void> {
    return new Promise((resolve) => {
      this.#onVisible = resolve
    })
  }
}
