import { type FormatId, formatById } from '../formats/index.ts'
import type { Edge, Edges } from './edges.ts'
import { joined, keepsContent, type Route, viaIds } from './search.ts'

/** What an engine could not read: the steps up to its own, which failed over what those before it had made. */
export type Unread = readonly { readonly engine: string; readonly from: string; readonly to: string }[]

export interface OtherRouteRequest {
  readonly from: FormatId
  readonly to: FormatId
  readonly unread: readonly Unread[]
  /** Whether it can do what is asked for. */
  readonly takes: (route: Route) => boolean
}

/**
 * The cheapest route on which no engine reads what it could not. It may begin with a step to the format that the file
 * has already: one engine writes it anew, so that another one can read it.
 */
export function otherRoute(edges: Edges, request: OtherRouteRequest, maxSteps: number): Route | undefined {
  const { from, to, unread, takes } = request
  let best: Route | undefined
  const longer = (before: Route | undefined, step: Edge): Route[] => {
    const route = joined(before, step, undefined)
    const isWorse = best !== undefined && route.cost >= best.cost
    return isWorse || unread.some((one) => begins(route, one)) ? [] : [route]
  }
  const extend = (before: Route | undefined, at: FormatId) => {
    const targets = edges.get(at)
    for (const route of (targets?.get(to) ?? []).flatMap((step) => longer(before, step)))
      if (keepsContent(route) && takes(route) && route.cost < (best?.cost ?? Infinity)) best = route
    const length = before?.steps.length ?? 0
    if (length >= maxSteps - 1) return
    for (const stop of stopsOf(before, from))
      for (const route of (targets?.get(stop) ?? []).flatMap((step) => longer(before, step)))
        extend(route, stop)
  }
  extend(undefined, from)
  return best
}

/** Formats to go on over: each once, and the file's own only at first, as long as nothing is lost by that. */
function stopsOf(before: Route | undefined, from: FormatId): readonly FormatId[] {
  const others = viaIds.filter((id) => id !== from && !before?.steps.some((step) => step.to === id))
  return before || formatById(from).lossy ? others : [from, ...others]
}

/** Whatever the last engine would have made of it. */
function begins({ steps }: Route, unread: Unread): boolean {
  return unread.every(({ engine, from, to }, at) => {
    const step = steps[at]
    const isLast = at === unread.length - 1
    return step?.engine === engine && step.from === from && (isLast || step.to === to)
  })
}
