import type { EngineId } from '../component-ids.ts'
import { type FormatId, formatById, formats } from '../formats/index.ts'
import { passesContent } from './content-level.ts'
import type { Edge, Edges } from './edges.ts'

export interface Route {
  readonly steps: readonly [Edge, ...Edge[]]
  /** Approximate seconds, plus penalties for lost content. */
  readonly cost: number
}

/** Changing the image costs a round trip through the queue and the bucket. */
const imageChangeCost = 0.5
/** A pinned engine runs every step that it can: other engines' steps cost more than any saving. */
const otherEngineCost = 10_000

export const intermediateFormats = formats.filter((format) => format.via).map((format) => format.id)

/** Returns the cheapest route from one format to each format reachable in at most `maxSteps` steps. */
export function routesFrom(
  edges: Edges,
  from: FormatId,
  maxSteps: number,
  pinned?: EngineId,
): Map<FormatId, Route> {
  const best = new Map<FormatId, Route>()
  const offerAll = (before: Route | undefined, at: FormatId) => {
    for (const [to, candidates] of edges.get(at) ?? []) {
      for (const step of usableEdges(candidates, pinned)) {
        if (pinned !== undefined && step.engine !== pinned) continue
        // Cost first: it is cheap to compare for millions of routes and leaves few for the content check.
        const known = best.get(to)
        if (known && costOf(before, step, pinned) >= known.cost) continue
        const route = appendStep(before, step, pinned)
        if (keepsContent(route)) best.set(to, route)
      }
    }
  }
  const extend = (before: Route | undefined, at: FormatId) => {
    offerAll(before, at)
    if ((before?.steps.length ?? 0) >= maxSteps - 1) return
    for (const via of intermediateFormats) {
      if (via === from || before?.steps.some((step) => step.to === via)) continue
      for (const step of usableEdges(edges.get(at)?.get(via) ?? [], pinned))
        extend(appendStep(before, step, pinned), via)
    }
  }
  extend(undefined, from)
  return best
}

/** The cheapest edge, and that of the pinned engine. */
function usableEdges(edges: readonly Edge[], pinned: EngineId | undefined): readonly Edge[] {
  if (pinned === undefined) return edges.length > 1 ? edges.slice(0, 1) : edges
  const pinnedEdge = edges.find(({ engine }) => engine === pinned)
  return [...new Set([pinnedEdge, edges[0]])].filter((edge) => edge !== undefined)
}

function costOf(before: Route | undefined, step: Edge, pinned: EngineId | undefined): number {
  const otherEngine = pinned !== undefined && step.engine !== pinned ? otherEngineCost : 0
  const imageChange = before && before.steps.at(-1)?.image !== step.image ? imageChangeCost : 0
  return (before?.cost ?? 0) + step.capability.cost + otherEngine + imageChange
}

export function appendStep(before: Route | undefined, step: Edge, pinned: EngineId | undefined): Route {
  const cost = costOf(before, step, pinned)
  return { steps: before ? [...before.steps, step] : [step], cost }
}

export function keepsContent({ steps }: Route): boolean {
  const formatsRead = steps.map((step) => formatById(step.from))
  const [source] = formatsRead
  const last = steps.at(-1)
  if (!source || !last || formatsRead.length === 1) return true
  const target = formatById(last.to)
  if (formatsRead.includes(target)) return false
  // Checked against all formats before it: a single page may have become several on the way.
  return formatsRead
    .slice(1)
    .every((between, index) =>
      formatsRead.slice(0, index + 1).every((from) => passesContent(from, between, target)),
    )
}
