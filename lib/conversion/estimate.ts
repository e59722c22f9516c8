import { availableParallelism } from 'node:os'
import * as z from 'zod'
import type { Operation } from '../engines/engine.ts'
import { isFormatId } from '../formats/index.ts'
import { isTerminalStatus, type JobState } from '../jobs/job.ts'
import { planRoute, type Route } from '../plan/index.ts'
import type { Services } from '../services.ts'
import { findTaskOperation } from '../tasks/index.ts'
import type { ConversionKind, DurationTotals } from './duration-stats.ts'

export const Estimate = z.object({
  queueMs: z.int().describe('Until it begins: by the tasks that wait before it'),
  runMs: z.int().describe('From then to its end'),
  basis: z
    .enum(['recorded', 'planned'])
    .describe(
      '`recorded`: by what conversions of this kind took here; `planned`: none has run, a rough guess',
    ),
})
export type Estimate = z.infer<typeof Estimate>

/** Of a conversion as much is the same for every size: starting, reading, writing. */
const fixedFraction = 0.3
/** Beyond this a file is too unlike those before it for anything to be said. */
const maxSizeRatio = 100

/** How long a file of this size takes, by those before it. */
export function estimateFromHistory({ runs, ms, bytes }: DurationTotals, size: number): number {
  const sizeRatio = bytes > 0 ? Math.min(maxSizeRatio, size / (bytes / runs)) : 1
  return Math.round((ms / runs) * (fixedFraction + (1 - fixedFraction) * sizeRatio))
}

/** Seconds for a typical file are what engines say of themselves. */
const estimateFromRoute = ({ steps }: Route) =>
  Math.round(steps.reduce((sum, { capability }) => sum + capability.cost, 0) * 1000)

/** A guess about a job of one task; null where nothing can be said, or nothing is left to wait for. */
export async function estimateJob({ job }: JobState, services: Services): Promise<Estimate | null> {
  const { source, target } = job.display
  const operations = job.display.operations.filter((name) => findTaskOperation(name)?.kind === 'process')
  const [operation] = operations as Operation[] // those of tasks whose way was just planned
  if (isTerminalStatus(job.status) || !source || !target || operation === undefined || operations.length > 1)
    return null
  const [from, to] = [source.format, target.format]
  if (!isFormatId(from) || !isFormatId(to)) return null
  const route = planRoute({ from, to, operation, engines: await services.engines() })
  // The task itself is among those that wait, unless it has begun.
  return estimateConversion({ operation, from, to, route, size: source.size, ownQueuedTasks: 1 }, services)
}

interface Planned extends ConversionKind {
  readonly route: Route
  /** Bytes; as usual when left out. */
  readonly size?: number | undefined
  /** Tasks in the queue that are no others. */
  readonly ownQueuedTasks: 0 | 1
}

/** A guess about a conversion that begins now. */
export async function estimateConversion(
  { route, size, ownQueuedTasks, ...kind }: Planned,
  services: Services,
): Promise<Estimate> {
  const past = await services.durations.get(kind)
  const runMs = past ? estimateFromHistory(past, size ?? past.bytes / past.runs) : estimateFromRoute(route)
  const tasksAhead = Math.max(0, (await services.queues.depth(route.steps[0].image)) - ownQueuedTasks)
  const workers = services.config.PARALLEL ?? availableParallelism()
  return { queueMs: Math.round((tasksAhead / workers) * runMs), runMs, basis: past ? 'recorded' : 'planned' }
}
