import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { forEachConcurrently } from '../../async/for-each-concurrently.ts'
import type { ChunkResult } from '../../engines/engine.ts'
import { type InputPlan, isTaskOver, type Task, type Warning } from '../../model/job.ts'
import { deduplicateWarnings } from '../job-state-machine.ts'
import {
  createChunkRecord,
  getChunkAttempt,
  getChunkNumber,
  getOriginalChunkNumber,
  maxChunks,
} from '../task-graph.ts'
import { countTriedRoutes } from './fallbacks.ts'
import { fetchInputs } from './fetch-inputs.ts'
import type { StoredChunk } from './store-files.ts'
import type { TaskServices } from './task-services.ts'

/** Chunks of a split task: creates, sends, joins and deletes them. */

/** Maximum number of chunks whose files are fetched concurrently. */
const maxConcurrentFetches = 8

/** More than the maximum number of attempts per route, so that chunks of different routes have different numbers. */
const attemptsPerRoute = 10

/** Creates the chunks for the next step of an input. */
export function createChunks(task: Task, inputPlan: InputPlan, chunks: readonly StoredChunk[]): Task[] {
  if (chunks.length > maxChunks)
    throw new Error(`a task has at most ${maxChunks} chunks, not ${chunks.length}`)
  const nextStepPlan = { ...inputPlan, steps: inputPlan.steps.slice(0, inputPlan.step + 1) }
  const now = new Date()
  // Another route starts again with attempt 1, and chunks of the previous route may still be running.
  const generation = task.attempt + attemptsPerRoute * countTriedRoutes(inputPlan)
  return chunks.map(({ spec, file }, index) => {
    const fileFields = file && { pieces: [{ ...nextStepPlan, files: [file] }], cut: file.key }
    return createChunkRecord(
      task,
      getChunkNumber(generation, index),
      { spec: { ...spec }, pieces: [nextStepPlan], ...fileFields },
      now,
    )
  })
}

const getOriginalNumber = ({ part = 0 }: Task) => getOriginalChunkNumber(part)

/** Fetches the results of a task's chunks in order, and returns their warnings without duplicates. */
export async function fetchChunkResults(
  task: Task,
  { services, workDir, signal }: { services: TaskServices; workDir: string; signal: AbortSignal },
): Promise<{ results: ChunkResult[]; warnings: Warning[] }> {
  const completedChunks = (await services.jobs.store.getChunks(task)).filter(
    ({ part = 0, status }) => getChunkAttempt(part) === task.expandedBy && status === 'completed',
  )
  // A chunk and its speculative copy have the same result, so one of them is enough.
  const chunksByNumber = new Map(
    completedChunks.toReversed().map((chunk) => [getOriginalNumber(chunk), chunk]),
  )
  const chunks = [...chunksByNumber.keys()]
    .toSorted((a, b) => a - b)
    .flatMap((number) => chunksByNumber.get(number) ?? [])
  if (chunks.length !== task.partCount)
    throw new Error(`only ${chunks.length} of the task's ${task.partCount} chunks are complete`)
  const results = new Map<Task, ChunkResult>()
  await forEachConcurrently(chunks, maxConcurrentFetches, async (chunk) => {
    const folder = join(workDir, `part-${chunk.part}`)
    await mkdir(folder)
    const files = await fetchInputs(services.files, chunk.files, folder, signal)
    results.set(chunk, { spec: chunk.spec, files, details: chunk.details })
  })
  const warnings = chunks.flatMap(({ warnings }) => warnings)
  return {
    results: chunks.flatMap((chunk) => results.get(chunk) ?? []),
    warnings: deduplicateWarnings(warnings),
  }
}

/** Sends pending chunks again, because the process that created them may have died before sending all. */
export async function sendChunks(task: Task, { jobs }: TaskServices): Promise<void> {
  const state = await jobs.store.getState(task.jobId)
  if (!state) return
  const chunks = state.chunks.filter(
    (chunk) => chunk.number === task.number && task.open?.has(chunk.part ?? -1) && chunk.status === 'pending',
  )
  await jobs.completion.sendTasks(chunks, state)
}

/**
 * Deletes the chunks of a task and their files. A worker that still runs a chunk will notice that the chunk's record is
 * gone.
 * @param lastAttempt chunks of later attempts, such as those of another route, are kept.
 */
export async function deleteChunks(
  task: Task,
  { jobs, files }: TaskServices,
  lastAttempt = Infinity,
): Promise<void> {
  const chunks = (await jobs.store.getChunks(task)).filter(
    ({ part = 0 }) => getChunkAttempt(part) <= lastAttempt,
  )
  if (chunks.length === 0) return
  await files.delete(
    chunks.flatMap(({ files: resultFiles, cut = [] }) => [...resultFiles.map(({ key }) => key), cut].flat()),
  )
  await jobs.store.deleteChunks(chunks)
}

/** Deletes the chunks after the end of a task, or after the end of a chunk that ended its task or route. */
export async function deleteChunksOfEndedTask(endedTask: Task, services: TaskServices): Promise<void> {
  const { jobId, number, part, expandedBy } = endedTask
  if (part === undefined && expandedBy === undefined) return
  const task = await services.jobs.store.getTask({ jobId, task: number })
  if (!task || isTaskOver(task)) return deleteChunks(endedTask, services)
  if (part !== undefined && task.expandedBy !== getChunkAttempt(part))
    await deleteChunks(endedTask, services, getChunkAttempt(part))
}

/** Returns the task of a chunk, if it still waits for chunks of the same attempt. */
export async function findAwaitingTask(
  { jobId, number, part = 0 }: Task,
  { jobs }: TaskServices,
): Promise<Task | undefined> {
  const task = await jobs.store.getTask({ jobId, task: number })
  return task && !isTaskOver(task) && task.expandedBy === getChunkAttempt(part) ? task : undefined
}

/** Whether a chunk is still needed: its speculative copy may have been faster. */
export async function isStillNeeded(chunk: Task, services: TaskServices): Promise<boolean> {
  return (await findAwaitingTask(chunk, services))?.open?.has(getOriginalNumber(chunk)) === true
}
