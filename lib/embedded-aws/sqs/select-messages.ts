// Selects the visible messages for a receive, and their order.
import type { MessageRow } from './messages.ts'
import type { Queue } from './queues.ts'
import type { SqsStore } from './store.ts'

/** "Amazon SQS looks through the first 120k messages to determine available message groups." */
const fifoWindow = 120_000
/** Messages at the front of a standard queue that are ranked individually. */
const fairWindow = 200
/** Further groups considered whose messages are all behind that front. */
const maxGroupsBehind = 200

type IsDead = (row: MessageRow) => boolean
type Place = Pick<MessageRow, 'seq' | 'group_id'>

/** Returns a function that selects at most `max` messages, without those for which `isDead` returns true. */
export function openMessageSelector(store: SqsStore) {
  const visible = store.prepare<MessageRow>(
    'SELECT * FROM messages WHERE queue_id = ? AND visible_at <= ? ORDER BY visible_at, seq',
  )
  const visibleGroups = store.prepare<Place>(
    `SELECT seq, group_id FROM messages WHERE queue_id = ? AND visible_at <= ?
     ORDER BY visible_at, seq LIMIT ${fifoWindow}`,
  )
  // Skips from one group to the next in the index, without reading the messages of each.
  const groups = store.prepare<{ group_id: string }>(
    `WITH RECURSIVE groups(group_id) AS (
       SELECT min(group_id) FROM messages WHERE queue_id = ?1 AND group_id IS NOT NULL
       UNION ALL
       SELECT (SELECT min(group_id) FROM messages WHERE queue_id = ?1 AND group_id > groups.group_id)
       FROM groups WHERE groups.group_id IS NOT NULL)
     SELECT group_id FROM groups WHERE group_id IS NOT NULL`,
  )
  const visibleOf = store.prepare<Place>(
    `SELECT seq, group_id FROM messages WHERE queue_id = ? AND group_id = ? AND visible_at <= ?
     ORDER BY enqueued_at, seq LIMIT ?`,
  )
  const messageAt = store.prepare<MessageRow>('SELECT * FROM messages WHERE seq = ?')
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

  function pickStandard(queue: Queue, at: number, max: number, isDead: IsDead): MessageRow[] {
    const front = readFront(queue, at, max)
    const inFlight = new Map(busyGroups.all(queue.id, at).map((one) => [one.group_id, one.n]))
    const behind = front.length < fairWindow ? [] : groupsBehind(queue, at, max, front)
    const rows = dropDead(
      orderFairly([...front, ...behind], inFlight).map(({ seq }) => messageAt.get(seq)),
      max,
      isDead,
    )
    // Other messages may follow a front of dead ones.
    return rows.length > 0 ? rows : dropDead(visible.iterate(queue.id, at), max, isDead)
  }

  /** Reads up to `max` messages, or as many as fairness considers when messages have groups. */
  function readFront(queue: Queue, at: number, max: number): Place[] {
    const front: Place[] = []
    let window = max
    for (const place of visibleGroups.iterate(queue.id, at)) {
      front.push(place)
      if (place.group_id !== null) window = Math.max(max, fairWindow)
      if (front.length >= window) break
    }
    return front
  }

  /** Returns the first messages of groups that are behind a long backlog of other groups. */
  function groupsBehind(queue: Queue, at: number, max: number, front: readonly Place[]): Place[] {
    const seen = new Set(front.map(({ group_id }) => group_id))
    const found: Place[] = []
    let left = maxGroupsBehind
    for (const { group_id: group } of groups.iterate(queue.id)) {
      if (seen.has(group)) continue
      if (left-- === 0) break
      found.push(...visibleOf.all(queue.id, group, at, max))
    }
    return found
  }

  function dropDead(rows: Iterable<MessageRow | undefined>, max: number, isDead: IsDead): MessageRow[] {
    const picked: MessageRow[] = []
    for (const row of rows) {
      if (picked.length >= max) break
      if (row && !isDead(row)) picked.push(row)
    }
    return picked
  }

  /**
   * Takes as many as possible from one group, then from the next, and none after a hidden message. Groups are ordered
   * by when their oldest message became visible, so recently served groups come last.
   */
  function pickFifo(queue: Queue, at: number, max: number, isDead: IsDead): MessageRow[] {
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

  function pickGroup(queue: Queue, group: string, at: number, max: number, isDead: IsDead): MessageRow[] {
    const picked: MessageRow[] = []
    for (const row of ofGroup.iterate(queue.id, group)) {
      if (row.visible_at > at || picked.length >= max) break
      if (!isDead(row)) picked.push(row)
    }
    return picked
  }

  return (queue: Queue, at: number, max: number, isDead: IsDead): MessageRow[] =>
    queue.settings.fifo ? pickFifo(queue, at, max, isDead) : pickStandard(queue, at, max, isDead)
}

/**
 * Fair queues: "when one tenant sends a disproportionately large volume of messages", the others do not wait for it. A
 * message is ranked by how many of its group are in flight or before it; messages without a group rank first.
 */
function orderFairly(places: readonly Place[], inFlight: ReadonlyMap<string, number>): Place[] {
  const counts = new Map(inFlight)
  const ranked = places.map((place) => {
    if (place.group_id === null) return { place, rank: 0 }
    const rank = counts.get(place.group_id) ?? 0
    counts.set(place.group_id, rank + 1)
    return { place, rank }
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ place }) => place)
}
