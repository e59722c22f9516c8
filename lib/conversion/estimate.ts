import { availableParallelism } from 'node:os'
import * as z from 'zod'
import { isFormatId } from '../formats/index.ts'
import { isTerminalStatus, type JobState } from '../model/job.ts'
import type { Operation } from '../model/operations.ts'
import { planRoute, type Route } from '../plan/index.ts'
import type { Services } from '../services/services.ts'
import { findTaskOperation } from '../tasks/index.ts'
import { component } from '../validation/component.ts'
import { defined } from '../validation/defined.ts'
import type { ConversionKind, DurationTotals } from './duration-stats.ts'

export const Estimate = component(
  'Estimate',
  z.object({
    queueMs: z.int().describe('Estimated wait for the start, based on the tasks ahead in the queue'),
    runMs: z.int().describe('Estimated duration from start to end'),
    basis: z
      .enum(['recorded', 'planned'])
      .describe(
        '`recorded`: based on earlier conversions of this kind; `planned`: a rough guess, because there are none',
      ),
    warning: z
      .string()
      .optional()
      .describe('Set if the conversion will probably exceed the time limit of a task and fail'),
  }),
)
export type Estimate = z.infer<typeof Estimate>

/** Fraction of the duration that does not depend on the size: starting, reading, writing. */
const fixedFraction = 0.3
/** Limits the extrapolation for files that are much larger than the average. */
const maxSizeRatio = 100

/** Estimates the duration for a file of this size from earlier conversions. */
export function estimateFromHistory({ runs, ms, bytes }: DurationTotals, size: number): number {
  const sizeRatio = bytes > 0 ? Math.min(maxSizeRatio, size / (bytes / runs)) : 1
  return Math.round((ms / runs) * (fixedFraction + (1 - fixedFraction) * sizeRatio))
}

/** Estimates the duration from the engines' declared seconds for a typical file. */
const estimateFromRoute = ({ steps }: Route) =>
  Math.round(steps.reduce((sum, { capability }) => sum + capability.cost, 0) * 1000)

/** Estimates a job with a single processing task; null if the job has finished or cannot be estimated. */
export async function estimateJob({ job }: JobState, services: Services): Promise<Estimate | null> {
  const { source, target } = job.display
  const operations = job.display.operations.filter((name) => findTaskOperation(name)?.kind === 'process')
  const [operation] = operations as Operation[] // operations of tasks that were just planned
  if (isTerminalStatus(job.status) || !source || !target || operation === undefined || operations.length > 1)
    return null
  const [from, to] = [source.format, target.format]
  if (!isFormatId(from) || !isFormatId(to)) return null
  const route = planRoute({ from, to, operation, engines: await services.engines() })
  // Unless the task has started, it is itself in the queue.
  return estimateConversion({ operation, from, to, route, size: source.size, ownQueuedTasks: 1 }, services)
}

/**
 * Returns a warning if the conversion may exceed the time limit. Functions on AWS run for at most 15 minutes; a single
 * machine has no such limit.
 */
function warnOfLimit(runMs: number, timeLimitS: number | undefined): string | undefined {
  if (timeLimitS === undefined || runMs <= timeLimitS * 1000) return undefined
  const toMinutes = (ms: number) => Math.ceil(ms / 60_000)
  return `This conversion will probably take ${toMinutes(runMs)} min, but the limit for a task is ${toMinutes(timeLimitS * 1000)} min. Split the file, or choose a smaller result.`
}

interface PlannedConversion extends ConversionKind {
  readonly route: Route
  /** Size of the file in bytes; if omitted, the average size of earlier files. */
  readonly size?: number | undefined
  /** Number of the queued tasks that belong to this conversion. */
  readonly ownQueuedTasks: 0 | 1
}

/** Estimates a conversion that would start now. */
export async function estimateConversion(
  { route, size, ownQueuedTasks, ...kind }: PlannedConversion,
  services: Services,
): Promise<Estimate> {
  const pastTotals = await services.durations.get(kind)
  const runMs = pastTotals
    ? estimateFromHistory(pastTotals, size ?? pastTotals.bytes / pastTotals.runs)
    : estimateFromRoute(route)
  const tasksAhead = Math.max(0, (await services.queues.countMessages(route.steps[0].image)) - ownQueuedTasks)
  const workers = services.config.PARALLEL ?? availableParallelism()
  return {
    queueMs: Math.round((tasksAhead / workers) * runMs),
    runMs,
    basis: pastTotals ? 'recorded' : 'planned',
    ...defined({ warning: warnOfLimit(runMs, services.config.TASK_LIMIT_S) }),
  }
}
