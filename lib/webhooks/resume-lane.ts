import type { Services } from '../services/services.ts'
import { isUntried, retryMessage } from './deliverer.ts'
import { DeliveryStore } from './deliveries.ts'
import { parseLaneId, recheckS, timestampAfter } from './delivery.ts'
import { sendDelivery } from './dispatcher.ts'

/**
 * Sends queue messages for the deliveries of a lane that are due for a retry or whose message was lost. They are
 * checked again later until they are finished.
 *
 * @param sortKey of the delivery that is due.
 * @throws if that delivery is unreadable; it does not delay the others.
 */
export async function resumeLane(
  id: string,
  now: Date,
  { table, queues }: Pick<Services, 'table' | 'queues'>,
  sortKey?: string,
): Promise<void> {
  const store = new DeliveryStore(table)
  const lane = parseLaneId(id)
  const { deliveries, unreadable } = await store.readLane(lane)
  const dueDeliveries = deliveries.filter(({ wakeAt }) => wakeAt !== undefined && wakeAt <= now.toISOString())
  const hasUntried = dueDeliveries.some(isUntried)
  const messages = dueDeliveries.filter((delivery) => !isUntried(delivery)).map(retryMessage)
  for (const message of [...(hasUntried ? [lane] : []), ...messages]) await sendDelivery(queues, message)
  for (const delivery of dueDeliveries)
    await store.change(delivery, { wakeAt: timestampAfter(now, 2 * recheckS) })
  if (unreadable.some((one) => one === sortKey)) throw new Error('the delivery is unreadable')
}
