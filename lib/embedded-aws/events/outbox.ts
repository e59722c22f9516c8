// Pending deliveries to targets, one row each.
import type { DatabaseSync } from 'node:sqlite'

export interface PendingDelivery {
  readonly targetArn: string
  readonly body: string
  readonly messageGroupId?: string
  readonly origin: Origin
  /** When the event was accepted, in milliseconds; its age counts from then. */
  readonly acceptedAt: number
  readonly maximumAgeS: number
  readonly maximumRetries: number
  readonly retries: number
  /** Number of buses that the event has passed through. A maximum for this number ends loops. */
  readonly hops: number
  readonly deadLetterArn?: string
}

/** The rule that matched, and the event. */
interface Origin {
  readonly kind: 'rule'
  readonly arn: string
  readonly event: string
}

export interface Outbox {
  add(delivery: PendingDelivery, dueAt: number): void
  update(id: number, delivery: PendingDelivery, dueAt: number): void
  remove(id: number): void
  read(id: number): PendingDelivery
  /** Returns the due deliveries, oldest first, except those to `excludedTargets`. */
  due(
    now: number,
    excludedTargets: readonly string[],
  ): Iterable<{ readonly id: number; readonly target: string }>
  /** Returns when the first delivery after `now` is due. */
  nextAfter(now: number): number | undefined
}

export function openOutbox(db: DatabaseSync): Outbox {
  const add = db.prepare('INSERT INTO outbox (target, due, json) VALUES (?, ?, ?)')
  const update = db.prepare('UPDATE outbox SET due = ?, json = ? WHERE id = ?')
  const remove = db.prepare('DELETE FROM outbox WHERE id = ?')
  const read = db.prepare('SELECT json FROM outbox WHERE id = ?')
  const selectDue = db.prepare(
    'SELECT id, target FROM outbox WHERE due <= ? AND target NOT IN (SELECT value FROM json_each(?)) ORDER BY due, id',
  )
  const selectNextDue = db.prepare('SELECT min(due) AS due FROM outbox WHERE due > ?')
  return {
    add: (delivery, dueAt) => void add.run(delivery.targetArn, dueAt, JSON.stringify(delivery)),
    update: (id, delivery, dueAt) => void update.run(dueAt, JSON.stringify(delivery), id),
    remove: (id) => void remove.run(id),
    read: (id) => JSON.parse(String(read.get(id)?.json)) as PendingDelivery, // as `add` and `update` write it
    *due(now, excludedTargets) {
      for (const row of selectDue.iterate(now, JSON.stringify(excludedTargets)))
        yield { id: Number(row.id), target: String(row.target) }
    },
    // SQLite returns null when there is none.
    nextAfter: (now) => (selectNextDue.get(now)?.due ?? undefined) as number | undefined,
  }
}
