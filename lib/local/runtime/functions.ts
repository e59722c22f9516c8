import type { UsageCounter } from '../../../functions/count-usage.ts'
import type { createLive } from '../../../functions/live.ts'
import { type LocalFunction, lambdaLimits } from '../../embedded-aws/lambda/runtime.ts'
import type { ApiHandler } from '../../http/http-function.ts'
import type { FunctionDeclaration } from '../../resources/function-declaration.ts'
import { type FunctionName, functionNames, functions } from '../../resources/functions.ts'
import { defined } from '../../validation/defined.ts'
import type { HttpRoute } from './gateway/http-routes.ts'
import type { WebSocketRoute } from './gateway/websocket-routes.ts'

type Declarations = Readonly<Record<string, FunctionDeclaration>>

/**
 * Creates the functions of zip packages. All except those that queues invoke run in the process of the gateway, because
 * each further process would take more memory than all these functions together. A function is loaded when first
 * invoked, unless `handlers` contains it.
 */
export function createZipFunctions(
  declarations: Declarations,
  handlers: Readonly<Record<string, LocalFunction['handler']>>,
  deadLetterQueues: Readonly<Record<string, { readonly url: string }>>,
  getReservedConcurrency: (name: string) => number | undefined = () => undefined,
): LocalFunction[] {
  const inProcessDeclarations = Object.entries(declarations).filter(
    ([, { trigger }]) => !('queue' in trigger),
  )
  return inProcessDeclarations.map(([name, { handler, memoryMb, timeoutS, retryAttempts = 2 }]) => {
    const deadLetterUrl = deadLetterQueues[name]?.url
    return {
      name,
      memoryMb,
      timeoutMs: timeoutS * 1000,
      retryAttempts,
      maximumConcurrency: lambdaLimits.concurrency,
      ...defined({ deadLetterUrl, reservedConcurrency: getReservedConcurrency(name) }),
      handler: handlers[name] ?? createLazyHandler(handler),
    }
  })
}

/** Names of the functions of the HTTP API, except the one for signing in. */
export const apiFunctionNames: readonly FunctionName[] = functionNames.filter(
  (name) => 'http' in functions[name].trigger && name !== 'account',
)

/**
 * Creates one handler for all functions that serve the HTTP API, which are separate on AWS. The HTTP API creates their
 * events; other callers have to send such events too.
 */
export function createApiHandlers(api: ApiHandler): Readonly<Record<string, LocalFunction['handler']>> {
  // The gateway creates the same events as API Gateway.
  const handler: LocalFunction['handler'] = (event, context) =>
    api(event as Parameters<ApiHandler>[0], context as Parameters<ApiHandler>[1])
  return Object.fromEntries(apiFunctionNames.map((name) => [name, handler]))
}

/** Creates the handlers of functions that the WebSocket API and the bus invoke. */
export const createLiveHandlers = ({ sockets, broadcast }: ReturnType<typeof createLive>) => ({
  sockets,
  broadcast: (event: unknown) => broadcast(event as Parameters<typeof broadcast>[0]), // the bus sends its own type
})

/**
 * Creates the handler that counts usage. It counts in batches, because one process gets the end of every job on this
 * machine.
 */
export const createCountingHandler = ({ handler }: UsageCounter) => ({
  'count-usage': (event: unknown) => handler(event as Parameters<UsageCounter['handler']>[0]), // the bus sends its own type
})

/**
 * Loads a handler when it is first invoked: `functions/sweep.handler` is what `functions/sweep.ts` exports as
 * `handler`.
 */
function createLazyHandler(handler: string): LocalFunction['handler'] {
  const dot = handler.lastIndexOf('.')
  const url = new URL(`../../../${handler.slice(0, dot)}.ts`, import.meta.url).href
  return async (event, context, traceHeader) => {
    const module = (await import(url)) as Record<string, LocalFunction['handler']> // declared as a handler
    const exportedHandler = module[handler.slice(dot + 1)]
    if (!exportedHandler) throw new Error(`the function module does not export ${handler}`)
    return exportedHandler(event, context, traceHeader)
  }
}

export function createHttpRoutes(declarations: Declarations): HttpRoute[] {
  return Object.entries(declarations).flatMap(([functionName, { trigger }]) => {
    if (!('http' in trigger)) return []
    const keys = trigger.http === true ? ['$default'] : trigger.http
    return keys.map((key) => ({ key, functionName }))
  })
}

export function createWebSocketRoutes(declarations: Declarations): WebSocketRoute[] {
  return Object.entries(declarations).flatMap(([functionName, { trigger }]) =>
    'websocket' in trigger ? trigger.websocket.map((key) => ({ key, functionName })) : [],
  )
}
