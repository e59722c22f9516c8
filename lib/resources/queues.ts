import { imageIds } from '../component-ids.ts'

/**
 * Queues: one per container image, `transfer` for imports and exports, `capture` for websites, `delivery` for webhooks,
 * and `ready` for tasks whose URLs must be signed. `transfer`, `capture` and `delivery` have separate functions,
 * because only these have internet access.
 */
export const queueIds = [...imageIds, 'transfer', 'capture', 'delivery', 'ready'] as const
export type QueueId = (typeof queueIds)[number]

/**
 * Number of times a message is received before it moves to the dead-letter queue. The job fails long before that, after
 * three attempts.
 */
export const maxReceiveCount = 10

/** The maximum timeout of a function, which is therefore the maximum visibility timeout of a queue. */
export const maxVisibilityTimeoutS = 900

/** Maximum number of concurrent webhook calls. Most of them are waiting, and each receiver has a limit of its own. */
export const maxConcurrentDeliveries = 192
