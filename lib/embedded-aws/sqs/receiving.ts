// Implements ReceiveMessage: selects and hides messages, and moves those received too many times to the dead-letter
// queue.
import { randomBytes } from 'node:crypto'
import type { SqsClock } from './clock.ts'
import { SqsError } from './errors.ts'
import type { MessageContent, MessageRow, ReceivedMessage, ReceiveOptions } from './messages.ts'
import type { Queue, QueueRegistry } from './queues.ts'
import { openReceiveAttemptStore } from './receive-attempts.ts'
import { MessageSelector } from './select-messages.ts'
import type { SqsStore } from './store.ts'

const prepareStatements = (store: SqsStore) => ({
  expire: store.prepare('DELETE FROM messages WHERE queue_id = ? AND enqueued_at <= ?'),
  take: store.prepare(
    `UPDATE messages SET visible_at = ?, received = received + 1, receipt = ?, received_at = ?,
     first_received_at = coalesce(first_received_at, ?) WHERE seq = ?`,
  ),
  returnToQueue: store.prepare(
    `UPDATE messages SET visible_at = ?, received = ?, receipt = ?, received_at = ?, first_received_at = ?
     WHERE seq = ? AND receipt = ?`,
  ),
  moveToDeadLetterQueue: store.prepare(
    `UPDATE messages SET queue_id = ?, visible_at = ?, received = 0, received_before = received_before + received,
     receipt = NULL, source_arn = ?, enqueued_at = ? WHERE seq = ?`,
  ),
  contentOf: store.prepare<MessageContent>(
    'SELECT body, attributes, trace, sender FROM bodies WHERE seq = ?',
  ),
  countInFlight: store.prepare<{ n: number }>(
    'SELECT count(*) AS n FROM messages WHERE queue_id = ? AND visible_at > ? AND receipt IS NOT NULL',
  ),
  countVisible: store.prepare<{ n: number }>(
    'SELECT count(*) AS n FROM messages WHERE queue_id = ? AND visible_at <= ?',
  ),
  countAll: store.prepare<{ n: number }>('SELECT count(*) AS n FROM messages WHERE queue_id = ?'),
  next: store.prepare<{ at: number | null }>(
    'SELECT min(visible_at) AS at FROM messages WHERE queue_id = ? AND visible_at > ?',
  ),
})

/** Receives messages. Every method must run inside `store.commit`. */
export class MessageReceiver {
  readonly #store: SqsStore
  readonly #queues: QueueRegistry
  readonly #clock: SqsClock
  readonly #inFlightLimit: number
  readonly #sql: ReturnType<typeof prepareStatements>
  readonly #attempts: ReturnType<typeof openReceiveAttemptStore>
  readonly #selector: MessageSelector
  /**
   * Upper bound of the messages in flight, per queue. Counting them exactly for each receive would cost more than the
   * receive.
   */
  readonly #inFlightUpperBounds = new Map<number, number>()

  constructor(store: SqsStore, queues: QueueRegistry, clock: SqsClock, inFlightLimit: number) {
    this.#store = store
    this.#queues = queues
    this.#clock = clock
    this.#inFlightLimit = inFlightLimit
    this.#sql = prepareStatements(store)
    this.#attempts = openReceiveAttemptStore(store)
    this.#selector = new MessageSelector(store)
  }

  receive(queue: Queue, receiveOptions: ReceiveOptions): ReceivedMessage[] {
    const at = this.#clock.now()
    this.dropExpired(queue)
    const repeatedMessages = this.#attempts.repeat(queue, receiveOptions, at)
    if (repeatedMessages)
      return repeatedMessages.map(({ row, token }) => ({ row, content: this.#read(row), token }))
    if (this.#isFull(queue, at)) {
      if (queue.settings.fifo) return []
      throw new SqsError('OverLimit', `The maximum of ${this.#inFlightLimit} in flight messages is reached.`)
    }
    const deadLetterMover = this.#createDeadLetterMover(queue)
    const rows = this.#selector.select(queue, at, receiveOptions.max, deadLetterMover.isDead)
    deadLetterMover.moveToDeadLetterQueue(at)
    const takenMessages = rows.map((row) => this.#takeOne(row, at, receiveOptions.visibilityS))
    this.#inFlightUpperBounds.set(
      queue.id,
      (this.#inFlightUpperBounds.get(queue.id) ?? this.#inFlightLimit) + takenMessages.length,
    )
    this.#attempts.note(queue, receiveOptions, takenMessages, at)
    return takenMessages
  }

  /**
   * Returns functions that recognize messages received too many times and move them to the dead-letter queue, if it
   * exists.
   */
  #createDeadLetterMover(queue: Queue) {
    const { redrive, fifo } = queue.settings
    const target = redrive && this.#queues.findByArn(redrive.deadLetterTargetArn)
    const deadRows: MessageRow[] = []
    return {
      isDead(row: MessageRow): boolean {
        if (!redrive || !target || row.received < redrive.maxReceiveCount) return false
        deadRows.push(row)
        return true
      },
      /**
       * AWS: "For standard queues, the expiration of a message is always based on its original enqueue timestamp." "For
       * FIFO queues, the enqueue timestamp resets when the message is moved to a dead-letter queue."
       */
      moveToDeadLetterQueue: (at: number) => {
        if (!target || deadRows.length === 0) return
        for (const row of deadRows)
          this.#sql.moveToDeadLetterQueue.run(
            target.id,
            at,
            queue.arn,
            fifo ? this.#clock.getEnqueueTime() : row.enqueued_at,
            row.seq,
          )
        this.#store.markChanged(target.id)
      },
    }
  }

  #takeOne(row: MessageRow, at: number, visibilityS: number): ReceivedMessage {
    const token = randomBytes(6).readUIntBE(0, 6)
    const visibleAt = at + visibilityS * 1000
    const firstReceivedAt = row.first_received_at ?? at
    this.#sql.take.run(visibleAt, token, at, firstReceivedAt, row.seq)
    return {
      row: { ...row, received: row.received + 1, first_received_at: firstReceivedAt },
      content: this.#read(row),
      token,
    }
  }

  #read(row: MessageRow): MessageContent {
    const content = this.#sql.contentOf.get(row.seq)
    if (!content) throw new Error(`The body of message ${row.id} is missing.`)
    return content
  }

  #isFull(queue: Queue, at: number): boolean {
    if ((this.#inFlightUpperBounds.get(queue.id) ?? this.#inFlightLimit) < this.#inFlightLimit) return false
    const inFlight = this.#sql.countInFlight.get(queue.id, at)?.n ?? 0
    this.#inFlightUpperBounds.set(queue.id, inFlight)
    return inFlight >= this.#inFlightLimit
  }

  /** Undoes a receive whose response never reached the client. */
  returnMessage(queue: Queue, { row, token }: ReceivedMessage) {
    const earlierReceives = row.received - 1
    const firstReceivedAt = row.received + row.received_before > 1 ? row.first_received_at : null
    this.#sql.returnToQueue.run(
      row.visible_at,
      earlierReceives,
      row.receipt,
      row.received_at,
      firstReceivedAt,
      row.seq,
      token,
    )
    this.#store.markChanged(queue.id)
  }

  dropExpired(queue: Queue) {
    this.#sql.expire.run(queue.id, this.#clock.now() - queue.settings.retentionS * 1000)
  }

  count(queue: Queue) {
    const at = this.#clock.now()
    const visibleCount = this.#sql.countVisible.get(queue.id, at)?.n ?? 0
    const inFlightCount = this.#sql.countInFlight.get(queue.id, at)?.n ?? 0
    return {
      visible: visibleCount,
      hidden: inFlightCount,
      delayed: (this.#sql.countAll.get(queue.id)?.n ?? 0) - visibleCount - inFlightCount,
    }
  }

  /** Returns when the next hidden message becomes visible, if there is one. */
  getNextVisibleAt(queue: Queue): number | undefined {
    return this.#sql.next.get(queue.id, this.#clock.now())?.at ?? undefined
  }
}
