// Acknowledges received messages: deletes them, or changes their visibility timeout.
import type { SqsClock } from './clock.ts'
import { createInvalidValueError, SqsError } from './errors.ts'
import type { MessageRow } from './messages.ts'
import { maxVisibilityS } from './queue-attributes.ts'
import type { Queue } from './queues.ts'
import { readReceipt } from './receipts.ts'
import type { SqsStore } from './store.ts'

export type Acknowledger = ReturnType<typeof openAcknowledger>

/** Opens the functions that acknowledge messages; call them inside `store.commit`. */
export function openAcknowledger(store: SqsStore, clock: SqsClock) {
  const find = store.prepare<MessageRow>('SELECT * FROM messages WHERE seq = ? AND queue_id = ?')
  const deleteMessage = store.prepare('DELETE FROM messages WHERE seq = ?')
  const hide = store.prepare('UPDATE messages SET visible_at = ?, received_at = ? WHERE seq = ?')

  /**
   * AWS: "You must provide the most recently received ReceiptHandle for the message (otherwise, the request succeeds,
   * but the message will not be deleted)." A FIFO queue also refuses a handle whose visibility timeout has ended.
   */
  function remove(queue: Queue, handle: string) {
    const { seq, token } = readReceipt(handle, queue.id)
    const row = find.get(seq, queue.id)
    if (!row) return
    const isCurrent = row.receipt === token
    if (queue.settings.fifo && (!isCurrent || row.visible_at <= clock.now()))
      throw createInvalidValueError('ReceiptHandle', handle, 'The receipt handle has expired.')
    if (!isCurrent) return
    deleteMessage.run(seq)
    store.markChanged(queue.id)
  }

  /**
   * Changes the visibility timeout of a message. A standard queue accepts any handle, even one whose timeout has ended
   * (as AWS does, although its docs call such a message not in flight). A message returned with a timeout of 0 is no
   * longer in flight.
   */
  function changeVisibility(queue: Queue, handle: string, visibilityS: number) {
    if (visibilityS < 0 || visibilityS > maxVisibilityS)
      throw createInvalidValueError(
        'VisibilityTimeout',
        visibilityS,
        `VisibilityTimeout must be an integer between 0 and ${maxVisibilityS}.`,
      )
    const { seq, token } = readReceipt(handle, queue.id)
    const row = find.get(seq, queue.id)
    const { fifo } = queue.settings
    if (!row || (fifo && row.receipt !== token))
      throw createInvalidValueError(
        'ReceiptHandle',
        handle,
        'Message does not exist or is not available for visibility timeout change.',
      )
    const at = clock.now()
    if (row.received_at === null || (fifo && row.visible_at <= at))
      throw new SqsError('MessageNotInflight', 'The specified message is not in flight.')
    const visibleAt = at + visibilityS * 1000
    if (visibleAt - row.received_at > maxVisibilityS * 1000)
      throw createInvalidValueError(
        'VisibilityTimeout',
        visibilityS,
        `Total VisibilityTimeout for the message is beyond the limit [${maxVisibilityS} seconds].`,
      )
    hide.run(visibleAt, visibilityS === 0 ? null : row.received_at, seq)
    store.markChanged(queue.id)
  }

  return { remove, changeVisibility }
}
