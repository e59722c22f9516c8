// ReceiveRequestAttemptId of FIFO queues: a repeated receive returns the same messages.
import type { MessageRow, ReceivedMessage, ReceiveOptions } from './messages.ts'
import type { Queue } from './queues.ts'
import { deduplicationMs } from './sending.ts'
import type { SqsStore } from './store.ts'

interface Note {
  readonly seq: number
  readonly token: number
  readonly visibleAt: number
}

type Held = Pick<ReceivedMessage, 'row' | 'token'>

/** Every function runs inside `store.commit`. */
export function openReceiveAttempts(store: SqsStore) {
  const forget = store.prepare('DELETE FROM attempts WHERE at <= ?')
  const find = store.prepare<{ taken: string }>(
    'SELECT taken FROM attempts WHERE queue_id = ? AND attempt_id = ?',
  )
  const keep = store.prepare('INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?)')
  const bySeq = store.prepare<MessageRow>('SELECT * FROM messages WHERE seq = ? AND queue_id = ?')
  const hide = store.prepare('UPDATE messages SET visible_at = ? WHERE seq = ?')

  /**
   * "It is possible to retry the ReceiveMessage action with the same ReceiveRequestAttemptId if none of the
   * messages have been modified (deleted or had their visibility changes)." "If a retry occurs within the
   * deduplication interval, it resets the visibility timeout."
   */
  function repeat(queue: Queue, wanted: ReceiveOptions, at: number): readonly Held[] | undefined {
    if (wanted.attemptId === undefined) return undefined
    forget.run(at - deduplicationMs)
    const kept = find.get(queue.id, wanted.attemptId)
    if (!kept) return undefined
    // Written by `note`, below.
    const notes = JSON.parse(kept.taken) as Note[]
    const held: Held[] = []
    for (const { seq, token, visibleAt } of notes) {
      const row = bySeq.get(seq, queue.id)
      if (row?.receipt !== token || row.visible_at !== visibleAt || visibleAt <= at) return undefined
      held.push({ row, token })
    }
    for (const { row } of held) hide.run(at + wanted.visibilityS * 1000, row.seq)
    rememberAttempt(queue, wanted, held, at)
    return held
  }

  function rememberAttempt(queue: Queue, wanted: ReceiveOptions, held: readonly Held[], at: number) {
    if (wanted.attemptId === undefined || held.length === 0) return
    const visibleAt = at + wanted.visibilityS * 1000
    const notes = held.map(({ row, token }): Note => ({ seq: row.seq, token, visibleAt }))
    keep.run(queue.id, wanted.attemptId, JSON.stringify(notes), at)
  }

  return { repeat, note: rememberAttempt }
}
