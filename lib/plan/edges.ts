import type { EngineId, ImageId } from '../component-ids.ts'
import type { Capability, Engine } from '../engines/engine.ts'
import type { Trait } from '../formats/detect/traits.ts'
import type { FormatId } from '../formats/index.ts'
import type { Operation } from '../model/operations.ts'

/** A conversion of one format to another by one engine in one step. */
export interface Edge {
  readonly engine: EngineId
  readonly image: ImageId
  readonly capability: Capability
  readonly from: FormatId
  readonly to: FormatId
}

/** Edges by source and target, cheapest first. */
export type Edges = ReadonlyMap<FormatId, ReadonlyMap<FormatId, readonly Edge[]>>

export function buildEdges(engines: readonly Engine[], operation: Operation): Edges {
  const bySource = new Map<FormatId, Map<FormatId, Edge[]>>()
  for (const edge of listEdges(engines, operation)) {
    const targets = bySource.get(edge.from) ?? new Map<FormatId, Edge[]>()
    bySource.set(edge.from, targets)
    const edges = targets.get(edge.to) ?? []
    targets.set(edge.to, edges)
    edges.push(edge)
  }
  for (const targets of bySource.values()) {
    for (const [to, edges] of targets) {
      // Copying an array removes its spare capacity. The 15,000 arrays that grew by `push` would keep theirs.
      targets.set(
        to,
        edges.toSorted((a, b) => a.capability.cost - b.capability.cost),
      )
    }
  }
  return bySource
}

/** Removes edges that start at `from` and whose engine does not support the traits of the file. */
export function removeUnsuitableEdges(edges: Edges, from: FormatId, traits: readonly Trait[]): Edges {
  const isSuitable = ({ capability }: Edge) =>
    !capability.unsupportedTraits?.some((trait) => traits.includes(trait))
  const targets = [...(edges.get(from) ?? [])].map(
    ([to, candidates]) => [to, candidates.filter(isSuitable)] as const,
  )
  return new Map([...edges, [from, new Map(targets.filter(([, candidates]) => candidates.length > 0))]])
}

function listEdges(engines: readonly Engine[], operation: Operation): Edge[] {
  return engines.flatMap((engine) =>
    engine.capabilities
      .filter((capability) => capability.operation === operation)
      .flatMap((capability) => {
        const { id, image } = engine
        return listFormatPairs(capability).map(([from, to]) => ({ engine: id, image, capability, from, to }))
      }),
  )
}

/** Returns all pairs of source and target format that a capability covers. */
export function listFormatPairs({ from, to, same, except = [] }: Capability): [FormatId, FormatId][] {
  const excludedPairs = new Set(except.map(([source, target]) => `${source} ${target}`))
  return from.flatMap((source) =>
    to
      .filter((target) => (same || target !== source) && !excludedPairs.has(`${source} ${target}`))
      .map((target): [FormatId, FormatId] => [source, target]),
  )
}
