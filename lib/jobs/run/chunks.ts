import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChunkResult } from '../../engines/engine.ts'
import { eachOf } from '../../map-concurrently.ts'
import { type InputPlan, isTaskOver, type Task, type Warning } from '../job.ts'
import { uniqueWarnings } from '../job-state-machine.ts'
import { attemptOfChunk, chunkNumber, createChunkRecord, maxChunks, originalChunkOf } from '../task-graph.ts'
import { countTriedRoutes } from './fallbacks.ts'
import { fetchInputs } from './fetch-inputs.ts'
import type { StoredChunk } from './store-files.ts'
import type { TaskServices } from './task-services.ts'

/** What a task splits into that workers share out among themselves, and what is left of that afterwards. */

/** Parts whose files are fetched at a time. */
const maxConcurrentFetches = 8

/** More than the attempts of one way. */
const attemptsPerRoute = 10

/** Each part runs the next step of the piece and nothing else. */
export function createChunks(task: Task, inputPlan: InputPlan, chunks: readonly StoredChunk[]): Task[] {
  if (chunks.length > maxChunks)
    throw new Error(`a task has at most ${maxChunks} parts, not ${chunks.length}`)
  const nextStepPlan = { ...inputPlan, steps: inputPlan.steps.slice(0, inputPlan.step + 1) }
  const now = new Date()
  // Attempts begin anew on another way, and parts of the one before may still be at work.
  const generation = task.attempt + attemptsPerRoute * countTriedRoutes(inputPlan)
  return chunks.map(({ spec, file }, index) => {
    const ownFile = file && { pieces: [{ ...nextStepPlan, files: [file] }], cut: file.key }
    return createChunkRecord(
      task,
      chunkNumber(generation, index),
      { spec: { ...spec }, pieces: [nextStepPlan], ...ownFile },
      now,
    )
  })
}

const originalNumberOf = ({ part = 0 }: Task) => originalChunkOf(part)

/** What the parts of a task made, in their order, and what they had to say of it, each once. */
export async function fetchChunkResults(
  task: Task,
  { services, workDir, signal }: { services: TaskServices; workDir: string; signal: AbortSignal },
): Promise<{ results: ChunkResult[]; warnings: Warning[] }> {
  const completed = (await services.jobs.store.getChunks(task)).filter(
    ({ part = 0, status }) => attemptOfChunk(part) === task.expandedBy && status === 'completed',
  )
  // One whose twin is there too is the same.
  const byNumber = new Map(completed.toReversed().map((part) => [originalNumberOf(part), part]))
  const chunks = [...byNumber.keys()]
    .toSorted((a, b) => a - b)
    .flatMap((number) => byNumber.get(number) ?? [])
  if (chunks.length !== task.partCount)
    throw new Error(`of ${task.partCount} parts of the task ${chunks.length} are there`)
  const results = new Map<Task, ChunkResult>()
  await eachOf(chunks, maxConcurrentFetches, async (part) => {
    const folder = join(workDir, `part-${part.part}`)
    await mkdir(folder)
    const files = await fetchInputs(services.files, part.files, folder, signal)
    results.set(part, { spec: part.spec, files, details: part.details })
  })
  const warnings = chunks.flatMap(({ warnings }) => warnings)
  return {
    results: chunks.flatMap((part) => results.get(part) ?? []),
    warnings: uniqueWarnings(warnings),
  }
}

/** Whoever made the parts may not have come to send them all. */
export async function sendChunks(task: Task, { jobs }: TaskServices): Promise<void> {
  const state = await jobs.store.getState(task.jobId)
  if (!state) return
  const chunks = state.chunks.filter(
    (chunk) => chunk.number === task.number && task.open?.has(chunk.part ?? -1) && chunk.status === 'pending',
  )
  await jobs.completion.sendTasks(chunks, state)
}

/**
 * What was made of the parts of a task is needed no more. A worker that still has one of them will miss its record.
 * @param lastAttempt Parts of later attempts are left, as those of another way.
 */
export async function deleteChunks(
  task: Task,
  { jobs, files }: TaskServices,
  lastAttempt = Infinity,
): Promise<void> {
  const chunks = (await jobs.store.getChunks(task)).filter(
    ({ part = 0 }) => attemptOfChunk(part) <= lastAttempt,
  )
  if (chunks.length === 0) return
  await files.delete(
    chunks.flatMap(({ files: made, cut = [] }) => [...made.map(({ key }) => key), cut].flat()),
  )
  await jobs.store.deleteChunks(chunks)
}

/** The same after the end of the task, or of one of its parts, if that ended the task or the way that it was on. */
export async function deleteChunksOfEnded(ended: Task, services: TaskServices): Promise<void> {
  const { jobId, number, part, expandedBy } = ended
  if (part === undefined && expandedBy === undefined) return
  const task = await services.jobs.store.getTask({ jobId, task: number })
  if (!task || isTaskOver(task)) return deleteChunks(ended, services)
  if (part !== undefined && task.expandedBy !== attemptOfChunk(part))
    await deleteChunks(ended, services, attemptOfChunk(part))
}

/** The task of a part, as long as it waits for those of its attempt. */
export async function findAwaitingTask(
  { jobId, number, part = 0 }: Task,
  { jobs }: TaskServices,
): Promise<Task | undefined> {
  const task = await jobs.store.getTask({ jobId, task: number })
  return task && !isTaskOver(task) && task.expandedBy === attemptOfChunk(part) ? task : undefined
}

/** Whether it is still to be made: its twin may have been faster. */
export async function isStillNeeded(chunk: Task, services: TaskServices): Promise<boolean> {
  return (await findAwaitingTask(chunk, services))?.open?.has(originalNumberOf(chunk)) === true
}
