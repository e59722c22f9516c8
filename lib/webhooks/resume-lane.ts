import type { Services } from '../services/services.ts'
import { createRetryMessage, isUntried } from './deliverer.ts'
import { DeliveryStore } from './deliveries.ts'
import { type Delivery, getTimestampAfter, parseLaneId, recheckS } from './delivery.ts'
import { sendDelivery } from './dispatcher.ts'

interface ResumeOptions {
  /** Sort key of the delivery that is due. */
  readonly sortKey?: string | undefined
  /** Called with the number of seconds by which the most overdue attempt is late. */
  readonly onDelay?: (seconds: number) => void
}

/**
 * Sends queue messages for the deliveries of a lane that are due for a retry or whose message was lost. The deliveries
 * are checked again later until they are finished.
 * @throws if the delivery that is due is unreadable; the messages of the other deliveries are sent nevertheless.
 */
export async function resumeLane(
  id: string,
  now: Date,
  { table, queues }: Pick<Services, 'table' | 'queues'>,
  { sortKey, onDelay }: ResumeOptions = {},
): Promise<void> {
  const store = new DeliveryStore(table)
  const lane = parseLaneId(id)
  const { deliveries, unreadable } = await store.readLane(lane)
  const dueDeliveries = deliveries.filter(({ wakeAt }) => wakeAt !== undefined && wakeAt <= now.toISOString())
  onDelay?.(getMaxDelayS(dueDeliveries, now))
  const hasUntried = dueDeliveries.some(isUntried)
  const messages = dueDeliveries.filter((delivery) => !isUntried(delivery)).map(createRetryMessage)
  for (const message of [...(hasUntried ? [lane] : []), ...messages]) await sendDelivery(queues, message)
  for (const delivery of dueDeliveries)
    await store.change(delivery, { wakeAt: getTimestampAfter(now, 2 * recheckS) })
  if (unreadable.some((unreadableKey) => unreadableKey === sortKey))
    throw new Error('the delivery is unreadable')
}

/**
 * Returns by how many seconds the most overdue attempt is late. The delay of the sweep does not show that, because the
 * messages of an overdue attempt are sent again and again.
 */
function getMaxDelayS(deliveries: readonly Delivery[], now: Date): number {
  const delaysS = deliveries.flatMap(({ nextAttemptAt, createdAt, from }) => {
    // It is unknown when a redelivery was requested.
    const dueAt = nextAttemptAt ?? (from === 0 ? createdAt : undefined)
    return dueAt === undefined ? [] : [(now.getTime() - Date.parse(dueAt)) / 1000]
  })
  return Math.max(0, ...delaysS)
}
