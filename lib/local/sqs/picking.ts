// Which of the visible messages a receive gets, and in which order.
import type { MessageRow } from './messages.ts'
import type { Queue } from './queues.ts'
import type { Store } from './store.ts'

/** "Amazon SQS looks through the first 120k messages to determine available message groups." */
const fifoWindow = 120_000
/** Visible messages among which a standard queue is fair to its groups. */
const fairWindow = 500

type Judge = (row: MessageRow) => boolean

/** Makes the function that picks at most `max` messages; what `isDead` says is dead is not among them. */
export function openPicker(store: Store) {
  const visible = store.prepare<MessageRow>(
    'SELECT * FROM messages WHERE queue_id = ? AND visible_at <= ? ORDER BY visible_at, seq',
  )
  const visibleGroups = store.prepare<Pick<MessageRow, 'seq' | 'group_id'>>(
    `SELECT seq, group_id FROM messages WHERE queue_id = ? AND visible_at <= ?
     ORDER BY visible_at, seq LIMIT ${fifoWindow}`,
  )
  const headOf = store.prepare<{ seq: number }>(
    'SELECT seq FROM messages WHERE queue_id = ? AND group_id = ? ORDER BY enqueued_at, seq LIMIT 1',
  )
  const ofGroup = store.prepare<MessageRow>(
    'SELECT * FROM messages WHERE queue_id = ? AND group_id = ? ORDER BY enqueued_at, seq',
  )
  const busyGroups = store.prepare<{ group_id: string; n: number }>(
    `SELECT group_id, count(*) AS n FROM messages
     WHERE queue_id = ? AND visible_at > ? AND receipt IS NOT NULL AND group_id IS NOT NULL GROUP BY group_id`,
  )

  function pickStandard(queue: Queue, at: number, max: number, isDead: Judge): MessageRow[] {
    const rows: MessageRow[] = []
    let window = max
    for (const row of visible.iterate(queue.id, at)) {
      if (isDead(row)) continue
      rows.push(row)
      if (row.group_id !== null) window = fairWindow
      if (rows.length >= window) break
    }
    if (window === max) return rows
    const inFlight = new Map(busyGroups.all(queue.id, at).map((one) => [one.group_id, one.n]))
    return fairest(rows, inFlight).slice(0, max)
  }

  /**
   * As many as possible from one group, then from the next; nothing behind a message that is hidden. A group's turn
   * comes when its oldest message became visible, so those that were just served go to the end of the line.
   */
  function pickFifo(queue: Queue, at: number, max: number, isDead: Judge): MessageRow[] {
    const picked: MessageRow[] = []
    const heads = new Map<string, number | undefined>()
    for (const { seq, group_id: group } of visibleGroups.iterate(queue.id, at)) {
      if (picked.length >= max) break
      if (group === null) continue
      if (!heads.has(group)) heads.set(group, headOf.get(queue.id, group)?.seq)
      if (heads.get(group) === seq) picked.push(...pickGroup(queue, group, at, max - picked.length, isDead))
    }
    return picked
  }

  function pickGroup(queue: Queue, group: string, at: number, max: number, isDead: Judge): MessageRow[] {
    const picked: MessageRow[] = []
    for (const row of ofGroup.iterate(queue.id, group)) {
      if (row.visible_at > at || picked.length >= max) break
      if (!isDead(row)) picked.push(row)
    }
    return picked
  }

  return (queue: Queue, at: number, max: number, isDead: Judge): MessageRow[] =>
    queue.settings.fifo ? pickFifo(queue, at, max, isDead) : pickStandard(queue, at, max, isDead)
}

/**
 * Fair queues: "when one tenant sends a disproportionately large volume of messages", the others do not wait behind
 * them. Each message goes behind as many as its group has in flight or before it; one without a group is alone.
 */
function fairest(rows: readonly MessageRow[], inFlight: ReadonlyMap<string, number>): MessageRow[] {
  const counts = new Map(inFlight)
  const ranked = rows.map((row) => {
    if (row.group_id === null) return { row, rank: 0 }
    const rank = counts.get(row.group_id) ?? 0
    counts.set(row.group_id, rank + 1)
    return { row, rank }
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ row }) => row)
}
