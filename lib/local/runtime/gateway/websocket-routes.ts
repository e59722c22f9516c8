// Selects the route of a message.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-api-develop-routes.html

export interface WebSocketRoute {
  /** Key of the route: `$connect`, `$disconnect`, `$default` or a value of the selection expression. */
  readonly key: string
  readonly functionName: string
}

/**
 * Returns a function that evaluates an expression such as `$request.body.action`; undefined if a message is not JSON.
 */
export function createRouteSelector(expression: string): (message: string) => string | undefined {
  const path = /^\$\{?request\.body((?:\.\w+)+)\}?$/.exec(expression)?.[1]?.slice(1).split('.')
  if (!path)
    throw new Error(
      `Expected a route selection expression such as "$request.body.action", got "${expression}".`,
    )
  return (message) => {
    let value: unknown
    try {
      value = JSON.parse(message)
    } catch {
      return undefined
    }
    for (const name of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
      // hasOwn was checked above.
      value = (value as Record<string, unknown>)[name]
    }
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }
}
