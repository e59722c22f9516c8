import type { Log } from '../../log.ts'
import type { Job, Task } from '../job.ts'
import { nextImageOf } from '../next-image.ts'
import {
  attemptOfChunk,
  createChunkRecord,
  isSpeculativeCopy,
  originalChunkOf,
  speculativeCopyOf,
} from '../task-graph.ts'
import { findAwaitingTask } from './chunks.ts'
import { countIdleWorkers } from './idle-workers.ts'
import type { TaskRun } from './task-run.ts'

/** A part that takes far longer than its siblings, as its machine is slow or its engine hangs. */

/** As many times as long as the one in the middle, and as many seconds, which a new worker may need to begin. */
const stragglerFactor = 4
const minRunMs = 20_000
/** Fewer siblings say little. */
const minSiblings = 2

/** Whether others like it took so much less that one of them would be there sooner. Pure. */
export function isStraggler(chunk: Task, ranMs: number, siblings: readonly Task[], count: number): boolean {
  const completed = siblings.filter(({ status }) => status === 'completed')
  // As long as most are at work, all of them may take so long.
  if (ranMs < minRunMs || completed.length * 2 < count) return false
  // The sound of a film is not like its pieces, which were cut out for their workers.
  const comparable = completed.filter(({ cut }) => (cut === undefined) === (chunk.cut === undefined))
  const durationsMs = comparable
    .flatMap(({ ranMs: durationMs }) => durationMs ?? [])
    .toSorted((a, b) => a - b)
  const medianMs = durationsMs[Math.floor(durationsMs.length / 2)]
  return durationsMs.length >= minSiblings && medianMs !== undefined && ranMs > stragglerFactor * medianMs
}

/**
 * Called again and again while a worker has a part. Lets another one make a straggler too, as its twin: whichever is
 * there first counts, and the other one is told here. False for a part that is not wanted any more.
 */
export async function checkStraggler(
  { chunk, job, ranMs }: { readonly chunk: Task; readonly job: Job; readonly ranMs: number },
  { services }: Pick<TaskRun, 'services'>,
  log: Log,
): Promise<boolean> {
  if (ranMs < minRunMs) return true
  const number = chunk.part ?? 0
  const task = await findAwaitingTask(chunk, services)
  if (!task?.open?.has(originalChunkOf(number))) return false
  const { partCount = 0, open } = task
  // Read once there is something to see.
  if (isSpeculativeCopy(number) || open.size * 2 > partCount) return true
  const { store, completion } = services.jobs
  const chunks = await store.getChunks(task)
  const siblings = chunks.filter(({ part: other = 0 }) => attemptOfChunk(other) === task.expandedBy)
  const hasCopy = siblings.some(({ part: other }) => other === speculativeCopyOf(number))
  if (hasCopy || !isStraggler(chunk, ranMs, siblings, partCount)) return true
  const { spec, pieces: inputPlans = [], cut } = chunk
  // The worker that asks is one of them.
  if ((await countIdleWorkers(nextImageOf(inputPlans), services)) < 2) return true
  const copy = createChunkRecord(
    task,
    speculativeCopyOf(number),
    { spec, pieces: inputPlans, ...(cut && { cut }) },
    new Date(),
  )
  await store.addChunks([copy])
  await completion.sendTasks([copy], { job, fixed: job.fixed ?? [], tasks: [], chunks: [] })
  log.info({ twin: copy.part, ranMs }, 'part is made by another worker too')
  return true
}
