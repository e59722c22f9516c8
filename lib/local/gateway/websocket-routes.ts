// Which route a message takes: https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-api-develop-routes.html

export interface WebSocketRoute {
  /** `$connect`, `$disconnect`, `$default` or what the selection expression gives. */
  readonly key: string
  readonly functionName: string
}

/** The part of a message that names its route, as `$request.body.action`; a message that is no JSON has none. */
export function routeSelector(expression: string): (message: string) => string | undefined {
  const path = /^\$\{?request\.body((?:\.\w+)+)\}?$/.exec(expression)?.[1]?.slice(1).split('.')
  if (!path)
    throw new Error(`A route selection expression is one like "$request.body.action", got "${expression}".`)
  return (message) => {
    let value: unknown
    try {
      value = JSON.parse(message)
    } catch {
      return undefined
    }
    for (const name of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
      // Its own property was just seen to be there.
      value = (value as Record<string, unknown>)[name]
    }
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }
}
