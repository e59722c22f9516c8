import type { UsageCounter } from '../../functions/count-usage.ts'
import type { createLive } from '../../functions/live.ts'
import type { ApiHandler } from '../http/http-function.ts'
import type { FunctionDeclaration } from '../resources/declaration.ts'
import { type FunctionName, functionNames, functions } from '../resources/functions.ts'
import type { HttpRoute } from './gateway/http-routes.ts'
import type { WebSocketRoute } from './gateway/websocket-routes.ts'
import { type LocalFunction, lambdaLimits } from './lambda/runtime.ts'

type Declarations = Readonly<Record<string, FunctionDeclaration>>

/**
 * Functions of zip packages, but those of queues, run in the process of the gateway, as each further process would take more memory than
 * all of them. What is declared is loaded when it is first invoked, unless `handlers` has it already.
 */
export function createZipFunctions(
  declarations: Declarations,
  handlers: Readonly<Record<string, LocalFunction['handler']>>,
  deadLetters: Readonly<Record<string, { readonly url: string }>>,
): LocalFunction[] {
  const inProcess = Object.entries(declarations).filter(([, { trigger }]) => !('queue' in trigger))
  return inProcess.map(([name, { handler, memoryMb, timeoutS, retryAttempts = 2 }]) => {
    const deadLetterUrl = deadLetters[name]?.url
    return {
      name,
      memoryMb,
      timeoutMs: timeoutS * 1000,
      retryAttempts,
      maximumConcurrency: lambdaLimits.concurrency,
      ...(deadLetterUrl !== undefined && { deadLetterUrl }),
      handler: handlers[name] ?? lazyHandler(handler),
    }
  })
}

/** Functions of the HTTP API, but the one that signs people in. */
export const apiFunctions: readonly FunctionName[] = functionNames.filter(
  (name) => 'http' in functions[name].trigger && name !== 'account',
)

/**
 * One process serves what on AWS are functions of their own. The HTTP API makes their events; whoever else invokes them
 * has to send such events too.
 */
export function apiHandlers(api: ApiHandler): Readonly<Record<string, LocalFunction['handler']>> {
  const handler: LocalFunction['handler'] = (event, context) =>
    api(event as Parameters<ApiHandler>[0], context as Parameters<ApiHandler>[1])
  return Object.fromEntries(apiFunctions.map((name) => [name, handler]))
}

/** The same for those that the WebSocket API and the bus invoke. */
export const liveHandlers = ({ sockets, broadcast }: ReturnType<typeof createLive>) => ({
  sockets,
  broadcast: (event: unknown) => broadcast(event as Parameters<typeof broadcast>[0]),
})

/** All ends of jobs of one machine come to one process: they are counted together. */
export const countingHandler = ({ handler }: UsageCounter) => ({
  'count-usage': (event: unknown) => handler(event as Parameters<UsageCounter['handler']>[0]),
})

/** `functions/sweep.handler` is what `functions/sweep.ts` exports as `handler`. */
function lazyHandler(handler: string): LocalFunction['handler'] {
  const dot = handler.lastIndexOf('.')
  const url = new URL(`../../${handler.slice(0, dot)}.ts`, import.meta.url).href
  return async (event, context) => {
    const module = (await import(url)) as Record<string, LocalFunction['handler']> // declared to be one
    const exported = module[handler.slice(dot + 1)]
    if (!exported) throw new Error(`there is no ${handler}`)
    return exported(event, context)
  }
}

export function httpRoutes(declarations: Declarations): HttpRoute[] {
  return Object.entries(declarations).flatMap(([functionName, { trigger }]) => {
    if (!('http' in trigger)) return []
    const keys = trigger.http === true ? ['$default'] : trigger.http
    return keys.map((key) => ({ key, functionName }))
  })
}

export function webSocketRoutes(declarations: Declarations): WebSocketRoute[] {
  return Object.entries(declarations).flatMap(([functionName, { trigger }]) =>
    'websocket' in trigger ? trigger.websocket.map((key) => ({ key, functionName })) : [],
  )
}
