import type { ServiceConnections } from '../../aws/connections.ts'
import type { LocalFunction } from '../../embedded-aws/lambda/runtime.ts'
import type { Environment } from './environment.ts'
import { createApiHandlers, createCountingHandler, createLiveHandlers } from './functions.ts'
import { waitForJobEnd } from './job-notifications.ts'

export interface InProcessFunctions {
  readonly handlers: Readonly<Record<string, LocalFunction['handler']>>
  close(): Promise<unknown>
}

/** How long ended jobs are collected before their usage is counted. */
const usageBatchMs = 500

/** Loads the functions of zip packages into this process, with direct connections to the embedded servers. */
export async function loadInProcessFunctions(
  environment: Environment,
  connections: ServiceConnections,
): Promise<InProcessFunctions> {
  const { createApi } = await import('../../../functions/all-routes.ts')
  const { createLive } = await import('../../../functions/live.ts')
  const { createUsageCounter } = await import('../../../functions/count-usage.ts')
  const { stopDecoders, warmDecoders } = await import('../../decoders/detect-format.ts')
  const usageCounter = createUsageCounter({ environment, batchWindowMs: usageBatchMs })
  warmDecoders()
  const handlers = {
    ...createApiHandlers(createApi(environment, waitForJobEnd, connections)),
    ...createLiveHandlers(createLive(environment, connections)),
    ...createCountingHandler(usageCounter),
  }
  return { handlers, close: () => Promise.all([usageCounter.close(), stopDecoders()]) }
}
