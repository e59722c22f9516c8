// Selects the visible messages for a receive, and their order.
import type { MessageRow } from './messages.ts'
import type { Queue } from './queues.ts'
import type { SqsStore } from './store.ts'

/** AWS: "Amazon SQS looks through the first 120k messages to determine available message groups." */
const maxFifoMessagesScanned = 120_000
/** Number of messages at the front of a standard queue that are ranked individually. */
const maxMessagesRanked = 200
/**
 * Maximum number of groups whose messages are all behind the ranked front of the queue, and whose first messages are
 * ranked as well.
 */
const maxGroupsBehind = 200

type IsDead = (row: MessageRow) => boolean
type MessagePosition = Pick<MessageRow, 'seq' | 'group_id'>

const prepareStatements = (store: SqsStore) => ({
  visible: store.prepare<MessageRow>(
    'SELECT * FROM messages WHERE queue_id = ? AND visible_at <= ? ORDER BY visible_at, seq',
  ),
  visibleGroups: store.prepare<MessagePosition>(
    `SELECT seq, group_id FROM messages WHERE queue_id = ? AND visible_at <= ?
     ORDER BY visible_at, seq LIMIT ${maxFifoMessagesScanned}`,
  ),
  // The query skips from one group to the next in the index, without reading the messages of each group.
  groups: store.prepare<{ group_id: string }>(
    `WITH RECURSIVE groups(group_id) AS (
       SELECT min(group_id) FROM messages WHERE queue_id = ?1 AND group_id IS NOT NULL
       UNION ALL
       SELECT (SELECT min(group_id) FROM messages WHERE queue_id = ?1 AND group_id > groups.group_id)
       FROM groups WHERE groups.group_id IS NOT NULL)
     SELECT group_id FROM groups WHERE group_id IS NOT NULL`,
  ),
  selectVisible: store.prepare<MessagePosition>(
    `SELECT seq, group_id FROM messages WHERE queue_id = ? AND group_id = ? AND visible_at <= ?
     ORDER BY enqueued_at, seq LIMIT ?`,
  ),
  selectMessage: store.prepare<MessageRow>('SELECT * FROM messages WHERE seq = ?'),
  selectGroupHead: store.prepare<{ seq: number }>(
    'SELECT seq FROM messages WHERE queue_id = ? AND group_id = ? ORDER BY enqueued_at, seq LIMIT 1',
  ),
  selectGroup: store.prepare<MessageRow>(
    'SELECT * FROM messages WHERE queue_id = ? AND group_id = ? ORDER BY enqueued_at, seq',
  ),
  selectBusyGroups: store.prepare<{ group_id: string; n: number }>(
    `SELECT group_id, count(*) AS n FROM messages
     WHERE queue_id = ? AND visible_at > ? AND receipt IS NOT NULL AND group_id IS NOT NULL GROUP BY group_id`,
  ),
})

/** Maximum number of groups whose last receive is remembered. */
const maxServedGroups = 10_000

export class MessageSelector {
  readonly #sql: ReturnType<typeof prepareStatements>
  /** Serial number of the last receive from each group of each queue, in ascending order. */
  readonly #servedAt = new Map<string, number>()
  #receiveCount = 0

  constructor(store: SqsStore) {
    this.#sql = prepareStatements(store)
  }

  /** Returns at most `max` visible messages, except those for which `isDead` returns true. */
  select(queue: Queue, at: number, max: number, isDead: IsDead): MessageRow[] {
    return queue.settings.fifo
      ? this.#pickFifo(queue, at, max, isDead)
      : this.#pickStandard(queue, at, max, isDead)
  }

  #pickStandard(queue: Queue, at: number, max: number, isDead: IsDead): MessageRow[] {
    const frontPositions = this.#readFront(queue, at, max)
    const inFlightByGroup = new Map(
      this.#sql.selectBusyGroups.all(queue.id, at).map((group) => [group.group_id, group.n]),
    )
    const positionsBehind =
      frontPositions.length < maxMessagesRanked ? [] : this.#groupsBehind(queue, at, max, frontPositions)
    const rows = this.#dropDead(
      orderFairly(
        [...frontPositions, ...positionsBehind],
        inFlightByGroup,
        (group) => this.#servedAt.get(`${queue.id} ${group}`) ?? 0,
      ).map(({ seq }) => this.#sql.selectMessage.get(seq)),
      max,
      isDead,
    )
    // `isDead` may have excluded all of the first messages, so the following messages are read as well.
    const pickedPositions =
      rows.length > 0 ? rows : this.#dropDead(this.#sql.visible.iterate(queue.id, at), max, isDead)
    for (const { group_id: group } of pickedPositions)
      if (group !== null) this.#rememberServed(`${queue.id} ${group}`)
    return pickedPositions
  }

  #rememberServed(name: string): void {
    this.#servedAt.delete(name)
    this.#servedAt.set(name, ++this.#receiveCount)
    const [earliest] = this.#servedAt.keys()
    if (this.#servedAt.size > maxServedGroups && earliest !== undefined) this.#servedAt.delete(earliest)
  }

  /** Reads up to `max` messages; if messages have groups, at least the number that is ranked for fairness. */
  #readFront(queue: Queue, at: number, max: number): MessagePosition[] {
    const frontPositions: MessagePosition[] = []
    let wantedCount = max
    for (const group of this.#sql.visibleGroups.iterate(queue.id, at)) {
      frontPositions.push(group)
      if (group.group_id !== null) wantedCount = Math.max(max, maxMessagesRanked)
      if (frontPositions.length >= wantedCount) break
    }
    return frontPositions
  }

  /** Returns the first messages of groups that are behind a long backlog of other groups. */
  #groupsBehind(
    queue: Queue,
    at: number,
    max: number,
    frontPositions: readonly MessagePosition[],
  ): MessagePosition[] {
    const seenGroups = new Set(frontPositions.map(({ group_id }) => group_id))
    const foundPositions: MessagePosition[] = []
    let groupsLeft = maxGroupsBehind
    for (const { group_id: group } of this.#sql.groups.iterate(queue.id)) {
      if (seenGroups.has(group)) continue
      if (groupsLeft-- === 0) break
      foundPositions.push(...this.#sql.selectVisible.all(queue.id, group, at, max))
    }
    return foundPositions
  }

  #dropDead(rows: Iterable<MessageRow | undefined>, max: number, isDead: IsDead): MessageRow[] {
    const pickedRows: MessageRow[] = []
    for (const row of rows) {
      if (pickedRows.length >= max) break
      if (row && !isDead(row)) pickedRows.push(row)
    }
    return pickedRows
  }

  /**
   * Selects messages of a FIFO queue: as many as possible from one group, then from the next, and none behind a hidden
   * message. Groups are ordered by when their oldest message became visible, so recently served groups come last.
   */
  #pickFifo(queue: Queue, at: number, max: number, isDead: IsDead): MessageRow[] {
    const pickedRows: MessageRow[] = []
    const headSeqByGroup = new Map<string, number | undefined>()
    for (const { seq, group_id: group } of this.#sql.visibleGroups.iterate(queue.id, at)) {
      if (pickedRows.length >= max) break
      if (group === null) continue
      if (!headSeqByGroup.has(group))
        headSeqByGroup.set(group, this.#sql.selectGroupHead.get(queue.id, group)?.seq)
      if (headSeqByGroup.get(group) === seq)
        pickedRows.push(...this.#pickGroup(queue, group, at, max - pickedRows.length, isDead))
    }
    return pickedRows
  }

  #pickGroup(queue: Queue, group: string, at: number, max: number, isDead: IsDead): MessageRow[] {
    const pickedRows: MessageRow[] = []
    for (const row of this.#sql.selectGroup.iterate(queue.id, group)) {
      if (row.visible_at > at || pickedRows.length >= max) break
      if (!isDead(row)) pickedRows.push(row)
    }
    return pickedRows
  }
}

/**
 * Orders messages for fair queues: "when one tenant sends a disproportionately large volume of messages", the messages
 * of other tenants are not delayed. A message is ranked by how many messages of its group are in flight or before it;
 * messages without a group rank first. Groups of the same rank take turns, so that a consumer that receives one message
 * at a time serves all of them.
 */
function orderFairly(
  positions: readonly MessagePosition[],
  inFlightByGroup: ReadonlyMap<string, number>,
  getLastServed: (group: string) => number,
): MessagePosition[] {
  const counts = new Map(inFlightByGroup)
  const rankedPositions = positions.map((position) => {
    if (position.group_id === null) return { position, rank: 0, lastServed: 0 }
    const rank = counts.get(position.group_id) ?? 0
    counts.set(position.group_id, rank + 1)
    return { position, rank, lastServed: getLastServed(position.group_id) }
  })
  return rankedPositions
    .sort((a, b) => a.rank - b.rank || a.lastServed - b.lastServed)
    .map(({ position }) => position)
}
