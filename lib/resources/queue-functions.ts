import type { FunctionDeclaration } from './function-declaration.ts'
import { declarationOf, type FunctionName, functionNames, functions } from './functions.ts'
import { maxVisibilityTimeoutS, type QueueId } from './queues.ts'

/** The function that a queue feeds, where it is not that of an image. */
export const functionForQueue = (queue: QueueId | FunctionName): FunctionName | undefined =>
  functionNames.find((name) => {
    const { trigger }: FunctionDeclaration = functions[name]
    return 'queue' in trigger && trigger.queue === queue
  })

/**
 * Seconds for which a queue hides what it hands over: six times what its function may take, as AWS advises for times when
 * it cannot be called at once, as long as a function takes no longer than that. Workers shorten it on receipt.
 */
export const visibilityTimeoutOf = (queue: QueueId): number => {
  const timeoutS = declarationOf(functionForQueue(queue))?.timeoutS ?? maxVisibilityTimeoutS
  return Math.min(maxVisibilityTimeoutS, 6 * timeoutS)
}

/** How a queue feeds its function, in the words of serverless.yml. */
export interface QueueMappingSettings {
  /** Messages of one invocation. */
  readonly batchSize: number
  /** Seconds that a batch waits to become full. */
  readonly maximumBatchingWindow?: number
  /** Invocations at a time. */
  readonly maximumConcurrency?: number
  /** The function names the messages that failed; otherwise all or none have. */
  readonly functionResponseType?: 'ReportBatchItemFailures'
}

export const defaultQueueMapping = {
  // A conversion fills the machine that it runs on; several in one invocation would share its time.
  batchSize: 1,
  functionResponseType: 'ReportBatchItemFailures',
} as const satisfies QueueMappingSettings

export function queueMappingOf(queue: QueueId): QueueMappingSettings {
  const maximumConcurrency = declarationOf(functionForQueue(queue))?.maximumConcurrency
  return {
    ...defaultQueueMapping,
    // It takes a moment for each.
    ...(queue === 'ready' && { batchSize: 10 }),
    ...(maximumConcurrency !== undefined && { maximumConcurrency }),
  }
}
