import type { EngineId } from '../component-ids.ts'
import { type FormatId, formatById, formats } from '../formats/index.ts'
import { passesContent } from './content-level.ts'
import type { Edge, Edges } from './edges.ts'

export interface Route {
  readonly steps: readonly [Edge, ...Edge[]]
  /** Cost of the route: approximate seconds, plus penalties for lost content. */
  readonly cost: number
}

/** Cost of continuing in another container image: a round trip through the queue and the bucket. */
const imageChangeCost = 0.5
/** Cost of other engines if one is pinned. It exceeds any saving, so the pinned engine runs every step that it can. */
const otherEngineCost = 10_000

export const intermediateFormats = formats.filter((format) => format.via).map((format) => format.id)

/** Returns the cheapest route from one format to each format reachable in at most `maxSteps` steps. */
export function findRoutesFrom(
  edges: Edges,
  from: FormatId,
  maxSteps: number,
  pinnedEngine?: EngineId,
): Map<FormatId, Route> {
  const bestRoutes = new Map<FormatId, Route>()
  const addCandidateRoutes = (routeBefore: Route | undefined, at: FormatId) => {
    for (const [to, candidates] of edges.get(at) ?? []) {
      for (const step of selectUsableEdges(candidates, pinnedEngine)) {
        if (pinnedEngine !== undefined && step.engine !== pinnedEngine) continue
        // The cost is compared first: that is cheap for millions of routes and leaves few for the content check.
        const knownRoute = bestRoutes.get(to)
        if (knownRoute && getCost(routeBefore, step, pinnedEngine) >= knownRoute.cost) continue
        const route = appendStep(routeBefore, step, pinnedEngine)
        if (keepsContent(route)) bestRoutes.set(to, route)
      }
    }
  }
  const extendRoutes = (routeBefore: Route | undefined, at: FormatId) => {
    addCandidateRoutes(routeBefore, at)
    if ((routeBefore?.steps.length ?? 0) >= maxSteps - 1) return
    for (const via of intermediateFormats) {
      if (via === from || routeBefore?.steps.some((step) => step.to === via)) continue
      for (const step of selectUsableEdges(edges.get(at)?.get(via) ?? [], pinnedEngine))
        extendRoutes(appendStep(routeBefore, step, pinnedEngine), via)
    }
  }
  extendRoutes(undefined, from)
  return bestRoutes
}

/** Returns the cheapest edge, and the edge of the pinned engine. */
function selectUsableEdges(edges: readonly Edge[], pinnedEngine: EngineId | undefined): readonly Edge[] {
  if (pinnedEngine === undefined) return edges.length > 1 ? edges.slice(0, 1) : edges
  const pinnedEdge = edges.find(({ engine }) => engine === pinnedEngine)
  return [...new Set([pinnedEdge, edges[0]])].filter((edge) => edge !== undefined)
}

function getCost(routeBefore: Route | undefined, step: Edge, pinnedEngine: EngineId | undefined): number {
  const engineCost = pinnedEngine !== undefined && step.engine !== pinnedEngine ? otherEngineCost : 0
  const changeCost = routeBefore && routeBefore.steps.at(-1)?.image !== step.image ? imageChangeCost : 0
  return (routeBefore?.cost ?? 0) + step.capability.cost + engineCost + changeCost
}

export function appendStep(
  routeBefore: Route | undefined,
  step: Edge,
  pinnedEngine: EngineId | undefined,
): Route {
  const cost = getCost(routeBefore, step, pinnedEngine)
  return { steps: routeBefore ? [...routeBefore.steps, step] : [step], cost }
}

export function keepsContent({ steps }: Route): boolean {
  const sourceFormats = steps.map((step) => formatById(step.from))
  const [source] = sourceFormats
  const lastStep = steps.at(-1)
  if (!source || !lastStep || sourceFormats.length === 1) return true
  const target = formatById(lastStep.to)
  if (sourceFormats.includes(target)) return false
  // Each format is checked against all formats before it, because a single page may have become several on the way.
  return sourceFormats
    .slice(1)
    .every((intermediate, index) =>
      sourceFormats.slice(0, index + 1).every((from) => passesContent(from, intermediate, target)),
    )
}
