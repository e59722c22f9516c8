import { defined } from '../validation/defined.ts'
import type { FunctionDeclaration } from './function-declaration.ts'
import { type FunctionName, findDeclaration, functionNames, functions } from './functions.ts'
import { maxVisibilityTimeoutS, type QueueId } from './queues.ts'

/** Returns the function that a queue invokes; undefined for the queue of a container image. */
export const getFunctionForQueue = (queue: QueueId | FunctionName): FunctionName | undefined =>
  functionNames.find((name) => {
    const { trigger }: FunctionDeclaration = functions[name]
    return 'queue' in trigger && trigger.queue === queue
  })

/**
 * Returns the visibility timeout of a queue in seconds: six times the timeout of its function, as AWS recommends for
 * throttled invocations, but at most `maxVisibilityTimeoutS`. Workers shorten it when they receive a message.
 */
export const getVisibilityTimeoutS = (queue: QueueId): number => {
  const timeoutS = findDeclaration(getFunctionForQueue(queue))?.timeoutS ?? maxVisibilityTimeoutS
  return Math.min(maxVisibilityTimeoutS, 6 * timeoutS)
}

/** Returns Lambda's setting `RecursiveLoop` for the function of a queue: whether it may be invoked recursively. */
export const getRecursiveLoop = (queue: QueueId): 'Allow' | undefined => {
  const name = getFunctionForQueue(queue)
  return name === undefined || findDeclaration(name)?.recurs ? 'Allow' : undefined
}

/** How a queue invokes its function, with the property names of serverless.yml. */
interface QueueMappingSettings {
  /** Maximum number of messages per invocation. */
  readonly batchSize: number
  /** How many seconds to wait until a batch is full. */
  readonly maximumBatchingWindow?: number
  /** Maximum number of concurrent invocations. */
  readonly maximumConcurrency?: number
  /** Set if the function returns the ids of failed messages; otherwise a batch fails or succeeds as a whole. */
  readonly functionResponseType?: 'ReportBatchItemFailures'
}

export const defaultQueueMapping = {
  // A conversion uses the whole machine, and several conversions in one invocation would share its time limit.
  batchSize: 1,
  functionResponseType: 'ReportBatchItemFailures',
} as const satisfies QueueMappingSettings

export function getQueueMapping(queue: QueueId): QueueMappingSettings {
  const maximumConcurrency = findDeclaration(getFunctionForQueue(queue))?.maximumConcurrency
  return {
    ...defaultQueueMapping,
    // Preparing a task takes only milliseconds.
    ...(queue === 'ready' && { batchSize: 10 }),
    ...defined({ maximumConcurrency }),
  }
}
