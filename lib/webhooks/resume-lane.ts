import { sweepMetrics, toEmbeddedMetric } from '../services/embedded-metric.ts'
import type { Services } from '../services/services.ts'
import { isUntried, retryMessage } from './deliverer.ts'
import { DeliveryStore } from './deliveries.ts'
import { type Delivery, parseLaneId, recheckS, timestampAfter } from './delivery.ts'
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
  { table, queues, log }: Pick<Services, 'table' | 'queues' | 'log'>,
  sortKey?: string,
): Promise<void> {
  const store = new DeliveryStore(table)
  const lane = parseLaneId(id)
  const { deliveries, unreadable } = await store.readLane(lane)
  const dueDeliveries = deliveries.filter(({ wakeAt }) => wakeAt !== undefined && wakeAt <= now.toISOString())
  reportDelay(dueDeliveries, now, log)
  const hasUntried = dueDeliveries.some(isUntried)
  const messages = dueDeliveries.filter((delivery) => !isUntried(delivery)).map(retryMessage)
  for (const message of [...(hasUntried ? [lane] : []), ...messages]) await sendDelivery(queues, message)
  for (const delivery of dueDeliveries)
    await store.change(delivery, { wakeAt: timestampAfter(now, 2 * recheckS) })
  if (unreadable.some((one) => one === sortKey)) throw new Error('the delivery is unreadable')
}

/** Reports how long the most overdue attempt has not been made, as its messages are sent again and again. */
function reportDelay(deliveries: readonly Delivery[], now: Date, log: Services['log']): void {
  const delaysS = deliveries.flatMap(({ nextAttemptAt, createdAt, from }) => {
    // When a redelivery was requested is not known.
    const dueAt = nextAttemptAt ?? (from === 0 ? createdAt : undefined)
    return dueAt === undefined ? [] : [(now.getTime() - Date.parse(dueAt)) / 1000]
  })
  const value = Math.max(0, ...delaysS)
  if (value > 0)
    log.info(
      toEmbeddedMetric({ name: sweepMetrics.deliveryDelay, unit: 'Seconds', value }, now.getTime()),
      'metric',
    )
}
