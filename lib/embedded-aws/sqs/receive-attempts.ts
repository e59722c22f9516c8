// Implements ReceiveRequestAttemptId of FIFO queues: a repeated receive returns the same messages.
import type { MessageRow, ReceivedMessage, ReceiveOptions } from './messages.ts'
import type { Queue } from './queues.ts'
import { deduplicationMs } from './sending.ts'
import type { SqsStore } from './store.ts'

interface ReceiveRecord {
  readonly seq: number
  readonly token: number
  readonly visibleAt: number
}

type HeldMessage = Pick<ReceivedMessage, 'row' | 'token'>

/** Opens the store of receive attempts; call its functions inside `store.commit`. */
export function openReceiveAttemptStore(store: SqsStore) {
  const forget = store.prepare('DELETE FROM attempts WHERE at <= ?')
  const find = store.prepare<{ taken: string }>(
    'SELECT taken FROM attempts WHERE queue_id = ? AND attempt_id = ?',
  )
  const keep = store.prepare('INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?)')
  const findBySeq = store.prepare<MessageRow>('SELECT * FROM messages WHERE seq = ? AND queue_id = ?')
  const hide = store.prepare('UPDATE messages SET visible_at = ? WHERE seq = ?')

  /**
   * AWS: "It is possible to retry the ReceiveMessage action with the same ReceiveRequestAttemptId if none of the
   * messages have been modified (deleted or had their visibility changes)." "If a retry occurs within the deduplication
   * interval, it resets the visibility timeout."
   */
  function repeat(
    queue: Queue,
    receiveOptions: ReceiveOptions,
    at: number,
  ): readonly HeldMessage[] | undefined {
    if (receiveOptions.attemptId === undefined) return undefined
    forget.run(at - deduplicationMs)
    const keptAttempt = find.get(queue.id, receiveOptions.attemptId)
    if (!keptAttempt) return undefined
    // `rememberAttempt` wrote the records.
    const records = JSON.parse(keptAttempt.taken) as ReceiveRecord[]
    const heldMessages: HeldMessage[] = []
    for (const { seq, token, visibleAt } of records) {
      const row = findBySeq.get(seq, queue.id)
      if (row?.receipt !== token || row.visible_at !== visibleAt || visibleAt <= at) return undefined
      heldMessages.push({ row, token })
    }
    for (const { row } of heldMessages) hide.run(at + receiveOptions.visibilityS * 1000, row.seq)
    rememberAttempt(queue, receiveOptions, heldMessages, at)
    return heldMessages
  }

  function rememberAttempt(
    queue: Queue,
    receiveOptions: ReceiveOptions,
    heldMessages: readonly HeldMessage[],
    at: number,
  ) {
    if (receiveOptions.attemptId === undefined || heldMessages.length === 0) return
    const visibleAt = at + receiveOptions.visibilityS * 1000
    const records = heldMessages.map(({ row, token }): ReceiveRecord => ({ seq: row.seq, token, visibleAt }))
    keep.run(queue.id, receiveOptions.attemptId, JSON.stringify(records), at)
  }

  return { repeat, note: rememberAttempt }
}
