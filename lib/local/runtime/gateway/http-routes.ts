// Finds the function for a request of the HTTP API.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html

/** A route: a key such as `GET /items/{id}`, `ANY /files/{path+}` or `$default`, and its function. */
export interface HttpRoute {
  readonly key: string
  readonly functionName: string
}

export interface FoundRoute extends HttpRoute {
  readonly pathParameters?: Readonly<Record<string, string>>
}

type Segment = { readonly kind: 'text' | 'parameter' | 'rest'; readonly text: string }

interface ParsedRoute extends HttpRoute {
  readonly method: string
  readonly segments: readonly Segment[]
}

const defaultKey = '$default'

/** Ranks of segments if several routes match: "API Gateway selects the route with the most-specific match". */
const segmentRanks = { text: 0, parameter: 1, rest: 2 } as const

/** Creates a route finder. @returns a function that finds the route for a method and a percent-encoded path */
export function createRouteFinder(
  routes: readonly HttpRoute[],
): (method: string, path: string) => FoundRoute | undefined {
  const parsedRoutes = routes
    .filter(({ key }) => key !== defaultKey)
    .map(parseRoute)
    .sort(compareSpecificity)
  const defaultRoute = routes.find(({ key }) => key === defaultKey)
  return (method, path) => {
    const pathSegments = path.slice(1).split('/')
    for (const route of parsedRoutes) {
      if (route.method !== 'ANY' && route.method !== method) continue
      const pathParameters = matchRoute(route.segments, pathSegments)
      if (!pathParameters) continue
      const foundRoute = { key: route.key, functionName: route.functionName }
      return Object.keys(pathParameters).length > 0 ? { ...foundRoute, pathParameters } : foundRoute
    }
    return defaultRoute
  }
}

function parseRoute(route: HttpRoute): ParsedRoute {
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(route.key) ?? []
  if (method === undefined || path === undefined)
    throw new Error(
      `Expected a route with a method and a path such as "GET /items/{id}", or "$default", got "${route.key}".`,
    )
  const segments = path
    .slice(1)
    .split('/')
    .map((text): Segment => {
      const [, name, plus] = /^\{([\w.:-]+)(\+?)\}$/.exec(text) ?? []
      if (name === undefined) return { kind: 'text', text }
      return { kind: plus ? 'rest' : 'parameter', text: name }
    })
  return { ...route, method, segments }
}

function compareSpecificity(a: ParsedRoute, b: ParsedRoute): number {
  for (let at = 0; at < Math.min(a.segments.length, b.segments.length); at++) {
    const difference = getRank(a, at) - getRank(b, at)
    if (difference !== 0) return difference
  }
  // Longer routes come first. Without this rule, comparisons would not be transitive, and the order of routes would
  // depend on the order of their declarations.
  const lengthDifference = b.segments.length - a.segments.length
  return lengthDifference || Number(a.method === 'ANY') - Number(b.method === 'ANY')
}

const getRank = ({ segments }: ParsedRoute, at: number) => segmentRanks[segments[at]?.kind ?? 'rest']

/** Returns the decoded path parameters; undefined if the path does not match. */
function matchRoute(
  segments: readonly Segment[],
  pathSegments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const values: Record<string, string> = {}
  const endsWithRest = segments.at(-1)?.kind === 'rest'
  if (endsWithRest ? pathSegments.length < segments.length : pathSegments.length !== segments.length)
    return undefined
  for (const [at, { kind, text }] of segments.entries()) {
    const value = decodeURIComponent(
      kind === 'rest' ? pathSegments.slice(at).join('/') : (pathSegments[at] ?? ''),
    )
    if (kind === 'text' ? value !== text : value === '') return undefined
    if (kind !== 'text') values[text] = value
  }
  return values
}
