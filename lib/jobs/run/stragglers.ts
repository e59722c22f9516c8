import type { Log } from '../../log.ts'
import type { Job, Task } from '../../model/job.ts'
import { defined } from '../../validation/defined.ts'
import { getNextImage } from '../next-image.ts'
import {
  createChunkRecord,
  getChunkAttempt,
  getOriginalChunkNumber,
  getSpeculativeCopyNumber,
  isSpeculativeCopy,
} from '../task-graph.ts'
import { findAwaitingTask } from './chunks.ts'
import { countIdleWorkers } from './idle-workers.ts'
import type { TaskRun } from './task-run.ts'

/** Speculative execution: starts a copy of a chunk that takes much longer than its siblings. */

/** A straggler takes this many times the median, and at least `minRunMs`, because a new worker needs time to start. */
const stragglerFactor = 4
const minRunMs = 20_000
/** Minimum number of complete siblings; fewer are not representative. */
const minCompletedSiblings = 2

/** Whether siblings were so much faster that a copy would finish sooner. A pure function. */
export function isStraggler(
  chunk: Task,
  ranMs: number,
  siblings: readonly Task[],
  chunkCount: number,
): boolean {
  const completedSiblings = siblings.filter(({ status }) => status === 'completed')
  // While most siblings are still running, all of them may take this long.
  if (ranMs < minRunMs || completedSiblings.length * 2 < chunkCount) return false
  // The chunk with the audio track of a video is not compared with the video chunks, which have a file of their own
  // (`cut`).
  const comparableSiblings = completedSiblings.filter(
    ({ cut }) => (cut === undefined) === (chunk.cut === undefined),
  )
  const durationsMs = comparableSiblings
    .flatMap(({ ranMs: durationMs }) => durationMs ?? [])
    .toSorted((a, b) => a - b)
  const medianMs = durationsMs[Math.floor(durationsMs.length / 2)]
  return (
    durationsMs.length >= minCompletedSiblings && medianMs !== undefined && ranMs > stragglerFactor * medianMs
  )
}

/**
 * Starts a speculative copy of a straggler on another worker; whichever finishes first provides the result. Called
 * regularly while a worker processes a chunk. Returns false if the chunk is no longer needed.
 */
export async function checkStraggler(
  { chunk, job, ranMs }: { readonly chunk: Task; readonly job: Job; readonly ranMs: number },
  { services }: Pick<TaskRun, 'services'>,
  log: Log,
): Promise<boolean> {
  if (ranMs < minRunMs) return true
  const number = chunk.part ?? 0
  const task = await findAwaitingTask(chunk, services)
  if (!task?.open?.has(getOriginalChunkNumber(number))) return false
  const { partCount = 0, open } = task
  // Siblings are only read once half of them are complete.
  if (isSpeculativeCopy(number) || open.size * 2 > partCount) return true
  const { store, completion } = services.jobs
  const chunks = await store.getChunks(task)
  const siblings = chunks.filter(
    ({ part: siblingNumber = 0 }) => getChunkAttempt(siblingNumber) === task.expandedBy,
  )
  const hasCopy = siblings.some(({ part: otherChunk }) => otherChunk === getSpeculativeCopyNumber(number))
  if (hasCopy || !isStraggler(chunk, ranMs, siblings, partCount)) return true
  const { spec, pieces: inputPlans = [], cut } = chunk
  // At least two workers must be idle, because the calling worker is counted too.
  if ((await countIdleWorkers(getNextImage(inputPlans), services)) < 2) return true
  const copy = createChunkRecord(
    task,
    getSpeculativeCopyNumber(number),
    { spec, pieces: inputPlans, ...defined({ cut }) },
    new Date(),
  )
  await store.addChunks([copy])
  await completion.sendTasks([copy], { job, fixed: job.fixed ?? [], tasks: [], chunks: [] })
  log.info({ copy: copy.part, ranMs }, 'speculative copy of a slow chunk started')
  return true
}
