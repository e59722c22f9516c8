// ReceiveMessage: selects messages, hides them, and moves those received too often to the dead-letter queue.
import { randomBytes } from 'node:crypto'
import type { SqsClock } from './clock.ts'
import { SqsError } from './errors.ts'
import type { MessageContent, MessageRow, ReceivedMessage, ReceiveOptions } from './messages.ts'
import type { Queue, QueueRegistry } from './queues.ts'
import { openReceiveAttempts } from './receive-attempts.ts'
import { openMessageSelector } from './select-messages.ts'
import type { SqsStore } from './store.ts'

export type MessageReceiver = ReturnType<typeof openMessageReceiver>

/** Every function runs inside `store.commit`. */
export function openMessageReceiver(
  store: SqsStore,
  queues: QueueRegistry,
  clock: SqsClock,
  inFlightLimit: number,
) {
  const expire = store.prepare('DELETE FROM messages WHERE queue_id = ? AND enqueued_at <= ?')
  const take = store.prepare(
    `UPDATE messages SET visible_at = ?, received = received + 1, receipt = ?, received_at = ?,
     first_received_at = coalesce(first_received_at, ?) WHERE seq = ?`,
  )
  const giveBack = store.prepare(
    `UPDATE messages SET visible_at = ?, received = ?, receipt = ?, received_at = ?, first_received_at = ?
     WHERE seq = ? AND receipt = ?`,
  )
  const bury = store.prepare(
    `UPDATE messages SET queue_id = ?, visible_at = ?, received = 0, received_before = received_before + received,
     receipt = NULL, source_arn = ?, enqueued_at = ? WHERE seq = ?`,
  )
  const contentOf = store.prepare<MessageContent>(
    'SELECT body, attributes, trace, sender FROM bodies WHERE seq = ?',
  )
  const countInFlight = store.prepare<{ n: number }>(
    'SELECT count(*) AS n FROM messages WHERE queue_id = ? AND visible_at > ? AND receipt IS NOT NULL',
  )
  const countVisible = store.prepare<{ n: number }>(
    'SELECT count(*) AS n FROM messages WHERE queue_id = ? AND visible_at <= ?',
  )
  const countAll = store.prepare<{ n: number }>('SELECT count(*) AS n FROM messages WHERE queue_id = ?')
  const next = store.prepare<{ at: number | null }>(
    'SELECT min(visible_at) AS at FROM messages WHERE queue_id = ? AND visible_at > ?',
  )
  const attempts = openReceiveAttempts(store)
  const pick = openMessageSelector(store)
  // An upper bound per queue: an exact count for each receive would cost more than the receive.
  const inFlightAtMost = new Map<number, number>()

  function receive(queue: Queue, wanted: ReceiveOptions): ReceivedMessage[] {
    const at = clock.now()
    dropExpired(queue)
    const again = attempts.repeat(queue, wanted, at)
    if (again) return again.map(({ row, token }) => ({ row, content: read(row), token }))
    if (isFull(queue, at)) {
      if (queue.settings.fifo) return []
      throw new SqsError('OverLimit', `The maximum of ${inFlightLimit} in flight messages is reached.`)
    }
    const verdicts = judge(queue)
    const rows = pick(queue, at, wanted.max, verdicts.isDead)
    verdicts.bury(at)
    const taken = rows.map((row) => takeOne(row, at, wanted.visibilityS))
    inFlightAtMost.set(queue.id, (inFlightAtMost.get(queue.id) ?? inFlightLimit) + taken.length)
    attempts.note(queue, wanted, taken, at)
    return taken
  }

  /** Decides by the redrive policy which messages were received too often. None, if the target does not exist. */
  function judge(queue: Queue) {
    const { redrive, fifo } = queue.settings
    const target = redrive && queues.byArn(redrive.deadLetterTargetArn)
    const dead: MessageRow[] = []
    return {
      isDead(row: MessageRow): boolean {
        if (!redrive || !target || row.received < redrive.maxReceiveCount) return false
        dead.push(row)
        return true
      },
      /**
       * "For standard queues, the expiration of a message is always based on its original enqueue timestamp." "For
       * FIFO queues, the enqueue timestamp resets when the message is moved to a dead-letter queue."
       */
      bury(at: number) {
        if (!target || dead.length === 0) return
        for (const row of dead)
          bury.run(target.id, at, queue.arn, fifo ? clock.enqueueTime() : row.enqueued_at, row.seq)
        store.markChanged(target.id)
      },
    }
  }

  function takeOne(row: MessageRow, at: number, visibilityS: number): ReceivedMessage {
    const token = randomBytes(6).readUIntBE(0, 6)
    const visibleAt = at + visibilityS * 1000
    const first = row.first_received_at ?? at
    take.run(visibleAt, token, at, first, row.seq)
    return {
      row: { ...row, received: row.received + 1, first_received_at: first },
      content: read(row),
      token,
    }
  }

  function read(row: MessageRow): MessageContent {
    const content = contentOf.get(row.seq)
    if (!content) throw new Error(`The body of message ${row.id} is missing.`)
    return content
  }

  function isFull(queue: Queue, at: number): boolean {
    if ((inFlightAtMost.get(queue.id) ?? inFlightLimit) < inFlightLimit) return false
    const inFlight = countInFlight.get(queue.id, at)?.n ?? 0
    inFlightAtMost.set(queue.id, inFlight)
    return inFlight >= inFlightLimit
  }

  /** Undoes a receive whose response never reached the client. */
  function putBack(queue: Queue, { row, token }: ReceivedMessage) {
    const before = row.received - 1
    const first = row.received + row.received_before > 1 ? row.first_received_at : null
    giveBack.run(row.visible_at, before, row.receipt, row.received_at, first, row.seq, token)
    store.markChanged(queue.id)
  }

  function dropExpired(queue: Queue) {
    expire.run(queue.id, clock.now() - queue.settings.retentionS * 1000)
  }

  function count(queue: Queue) {
    const at = clock.now()
    const visible = countVisible.get(queue.id, at)?.n ?? 0
    const hidden = countInFlight.get(queue.id, at)?.n ?? 0
    return { visible, hidden, delayed: (countAll.get(queue.id)?.n ?? 0) - visible - hidden }
  }

  return {
    receive,
    count,
    putBack,
    dropExpired,
    /** When the next hidden message becomes visible, if any. */
    nextVisibleAt: (queue: Queue): number | undefined => next.get(queue.id, clock.now())?.at ?? undefined,
  }
}
