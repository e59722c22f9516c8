import type { Log } from '../../log.ts'
import type { Job, Task } from '../job.ts'
import { nextImageOf } from '../next-image.ts'
import { attemptOfChunk, isSpeculativeCopy, originalChunkOf, createChunkRecord, speculativeCopyOf } from '../task-graph.ts'
import { whoWantsPart } from './chunks.ts'
import { freeWorkers } from './idle-workers.ts'
import type { TaskRun } from './task-run.ts'

/** A part that takes far longer than its siblings, as its machine is slow or its engine hangs. */

/** As many times as long as the one in the middle, and as many seconds, which a new worker may need to begin. */
const timesAsLong = 4
const leastMs = 20_000
/** Fewer siblings say little. */
const fewest = 2

/** Whether others like it took so much less that one of them would be there sooner. Pure. */
export function isStraggler(part: Task, ranMs: number, siblings: readonly Task[], count: number): boolean {
  const made = siblings.filter(({ status }) => status === 'completed')
  // As long as most are at work, all of them may take so long.
  if (ranMs < leastMs || made.length * 2 < count) return false
  // The sound of a film is not like its pieces, which were cut out for their workers.
  const alike = made.filter(({ cut }) => (cut === undefined) === (part.cut === undefined))
  const times = alike.flatMap(({ ranMs: took }) => took ?? []).toSorted((a, b) => a - b)
  const middle = times[Math.floor(times.length / 2)]
  return times.length >= fewest && middle !== undefined && ranMs > timesAsLong * middle
}

/**
 * Called again and again while a worker has a part. Lets another one make a straggler too, as its twin: whichever is
 * there first counts, and the other one is told here. False for a part that is not wanted any more.
 */
export async function lookAfterPart(
  { part, job, ranMs }: { readonly part: Task; readonly job: Job; readonly ranMs: number },
  { services }: Pick<TaskRun, 'services'>,
  log: Log,
): Promise<boolean> {
  if (ranMs < leastMs) return true
  const number = part.part ?? 0
  const task = await whoWantsPart(part, services)
  if (!task?.open?.has(originalChunkOf(number))) return false
  const { partCount = 0, open } = task
  // Read once there is something to see.
  if (isSpeculativeCopy(number) || open.size * 2 > partCount) return true
  const { store, completion } = services.jobs
  const all = await store.getChunks(task)
  const siblings = all.filter(({ part: other = 0 }) => attemptOfChunk(other) === task.expandedBy)
  const hasTwin = siblings.some(({ part: other }) => other === speculativeCopyOf(number))
  if (hasTwin || !isStraggler(part, ranMs, siblings, partCount)) return true
  const { spec, pieces = [], cut } = part
  // The worker that asks is one of them.
  if ((await freeWorkers(nextImageOf(pieces), services)) < 2) return true
  const twin = createChunkRecord(task, speculativeCopyOf(number), { spec, pieces, ...(cut && { cut }) }, new Date())
  await store.addChunks([twin])
  await completion.sendTasks([twin], { job, fixed: job.fixed ?? [], tasks: [], chunks: [] })
  log.info({ twin: twin.part, ranMs }, 'part is made by another worker too')
  return true
}
