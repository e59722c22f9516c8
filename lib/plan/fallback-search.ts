import { type FormatId, formatById } from '../formats/index.ts'
import type { Edge, Edges } from './edges.ts'
import { appendStep, intermediateFormats, keepsContent, type Route } from './search.ts'

/** Steps of a failed route, up to the step whose engine could not read its input. */
export type UnreadableSteps = readonly {
  readonly engine: string
  readonly from: string
  readonly to: string
}[]

export interface OtherRouteRequest {
  readonly from: FormatId
  readonly to: FormatId
  readonly unreadable: readonly UnreadableSteps[]
  /** Whether a route supports the requested options. */
  readonly accepts: (route: Route) => boolean
}

/**
 * Finds the cheapest route on which no engine reads again what it could not read. It may start with a step to the same
 * format, in which one engine rewrites the file so that another one can read it.
 */
export function findOtherRoute(
  edges: Edges,
  request: OtherRouteRequest,
  maxSteps: number,
): Route | undefined {
  const { from, to, unreadable, accepts } = request
  let bestRoute: Route | undefined
  const appendTo = (routeBefore: Route | undefined, step: Edge): Route[] => {
    const route = appendStep(routeBefore, step, undefined)
    const isWorse = bestRoute !== undefined && route.cost >= bestRoute.cost
    return isWorse || unreadable.some((steps) => startsWith(route, steps)) ? [] : [route]
  }
  const extendRoute = (routeBefore: Route | undefined, at: FormatId) => {
    const targets = edges.get(at)
    for (const route of (targets?.get(to) ?? []).flatMap((step) => appendTo(routeBefore, step)))
      if (keepsContent(route) && accepts(route) && route.cost < (bestRoute?.cost ?? Infinity))
        bestRoute = route
    const length = routeBefore?.steps.length ?? 0
    if (length >= maxSteps - 1) return
    for (const intermediate of listIntermediateFormats(routeBefore, from))
      for (const route of (targets?.get(intermediate) ?? []).flatMap((step) => appendTo(routeBefore, step)))
        extendRoute(route, intermediate)
  }
  extendRoute(undefined, from)
  return bestRoute
}

/**
 * Returns the possible intermediate formats of a step: each one once per route, and the source format only in the first
 * step and if it is lossless.
 */
function listIntermediateFormats(routeBefore: Route | undefined, from: FormatId): readonly FormatId[] {
  const otherFormats = intermediateFormats.filter(
    (id) => id !== from && !routeBefore?.steps.some((step) => step.to === id),
  )
  return routeBefore || formatById(from).lossy ? otherFormats : [from, ...otherFormats]
}

/** Whether a route starts with the steps of a failed route; the target of the failed step may differ. */
function startsWith({ steps }: Route, unreadableSteps: UnreadableSteps): boolean {
  return unreadableSteps.every(({ engine, from, to }, at) => {
    const step = steps[at]
    const isLast = at === unreadableSteps.length - 1
    return step?.engine === engine && step.from === from && (isLast || step.to === to)
  })
}
