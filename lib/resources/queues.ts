import type { ImageId } from '../engines/engine.ts'

export const imageIds = [
  'av',
  'image',
  'office',
  'pdf',
  'document',
  'archive',
  'font',
  'browser',
] as const satisfies readonly ImageId[]

/**
 * Queues of tasks: `ready` of those that have to be signed for; one per image, one for what brings files in or out, which needs no engine, and one for websites; and
 * one of what webhooks are told. The last three have functions of their own because these alone have a way out.
 */
export const queueIds = [...imageIds, 'transfer', 'capture', 'delivery', 'ready'] as const
export type QueueId = (typeof queueIds)[number]

/** Receives of one message before it is put aside; the job itself fails after three attempts, long before. */
export const maxReceiveCount = 10

/** The longest of a function, and so the longest for which a queue hides what one works on. */
export const maxVisibilityTimeoutS = 900

/** Calls of webhooks at a time: they wait most of their time, and each receiver has only so many of them. */
export const maxConcurrentDeliveries = 192
