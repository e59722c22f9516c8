import type { Capability, Engine, EngineId, ImageId, Operation } from '../engines/engine.ts'
import type { FormatId } from '../formats/index.ts'

/** One step that one engine can do. */
export interface Step {
  readonly engine: EngineId
  readonly image: ImageId
  readonly capability: Capability
  readonly from: FormatId
  readonly to: FormatId
}

/** Steps by source, then by target, the cheapest first. */
export type Edges = ReadonlyMap<FormatId, ReadonlyMap<FormatId, readonly Step[]>>

export function edgesOf(engines: readonly Engine[], operation: Operation): Edges {
  const edges = new Map<FormatId, Map<FormatId, Step[]>>()
  for (const step of allSteps(engines, operation)) {
    const targets = edges.get(step.from) ?? new Map<FormatId, Step[]>()
    edges.set(step.from, targets)
    const steps = targets.get(step.to) ?? []
    targets.set(step.to, steps)
    steps.push(step)
  }
  for (const targets of edges.values()) {
    for (const steps of targets.values()) steps.sort((a, b) => a.capability.cost - b.capability.cost)
  }
  return edges
}

function allSteps(engines: readonly Engine[], operation: Operation): Step[] {
  return engines.flatMap((engine) =>
    engine.capabilities
      .filter((capability) => capability.operation === operation)
      .flatMap((capability) => {
        const { id, image } = engine
        return pairs(capability).map(([from, to]) => ({ engine: id, image, capability, from, to }))
      }),
  )
}

/** Every pair that a capability stands for. */
export function pairs({ from, to, same, except = [] }: Capability): [FormatId, FormatId][] {
  const left = new Set(except.map(([source, target]) => `${source} ${target}`))
  return from.flatMap((source) =>
    to
      .filter((target) => (same || target !== source) && !left.has(`${source} ${target}`))
      .map((target): [FormatId, FormatId] => [source, target]),
  )
}
