import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChunkResult } from '../../engines/engine.ts'
import { eachOf } from '../../map-concurrently.ts'
import { isTaskOver, type InputPlan, type Task, type Warning } from '../job.ts'
import { uniqueWarnings } from '../job-state-machine.ts'
import { attemptOfChunk, originalChunkOf, maxChunks, chunkNumber, createChunkRecord } from '../task-graph.ts'
import { waysOf } from './fallbacks.ts'
import { fetchInputs } from './fetch-inputs.ts'
import type { StoredPortion } from './store-files.ts'
import type { TaskServices } from './task-services.ts'

/** What a task splits into that workers share out among themselves, and what is left of that afterwards. */

/** Parts whose files are fetched at a time. */
const fetchers = 8

/** More than the attempts of one way. */
const attemptsOfWay = 10

/** Each part runs the next step of the piece and nothing else. */
export function partsOf(task: Task, piece: InputPlan, portions: readonly StoredPortion[]): Task[] {
  if (portions.length > maxChunks)
    throw new Error(`a task has at most ${maxChunks} parts, not ${portions.length}`)
  const todo = { ...piece, steps: piece.steps.slice(0, piece.step + 1) }
  const now = new Date()
  // Attempts begin anew on another way, and parts of the one before may still be at work.
  const generation = task.attempt + attemptsOfWay * waysOf(piece)
  return portions.map(({ spec, file }, index) => {
    const own = file && { pieces: [{ ...todo, files: [file] }], cut: file.key }
    return createChunkRecord(task, chunkNumber(generation, index), { spec: { ...spec }, pieces: [todo], ...own }, now)
  })
}

const placeOf = ({ part = 0 }: Task) => originalChunkOf(part)

/** What the parts of a task made, in their order, and what they had to say of it, each once. */
export async function fetchResults(
  task: Task,
  { services, workDir, signal }: { services: TaskServices; workDir: string; signal: AbortSignal },
): Promise<{ results: ChunkResult[]; warnings: Warning[] }> {
  const made = (await services.jobs.store.getChunks(task)).filter(
    ({ part = 0, status }) => attemptOfChunk(part) === task.expandedBy && status === 'completed',
  )
  // One whose twin is there too is the same.
  const byPlace = new Map(made.toReversed().map((part) => [placeOf(part), part]))
  const parts = [...byPlace.keys()].toSorted((a, b) => a - b).flatMap((place) => byPlace.get(place) ?? [])
  if (parts.length !== task.partCount)
    throw new Error(`of ${task.partCount} parts of the task ${parts.length} are there`)
  const results = new Map<Task, ChunkResult>()
  await eachOf(parts, fetchers, async (part) => {
    const folder = join(workDir, `part-${part.part}`)
    await mkdir(folder)
    const files = await fetchInputs(services.files, part.files, folder, signal)
    results.set(part, { spec: part.spec, files, details: part.details })
  })
  const told = parts.flatMap(({ warnings }) => warnings)
  return {
    results: parts.flatMap((part) => results.get(part) ?? []),
    warnings: uniqueWarnings(told),
  }
}

/** Whoever made the parts may not have come to send them all. */
export async function sendParts(task: Task, { jobs }: TaskServices): Promise<void> {
  const state = await jobs.store.getState(task.jobId)
  if (!state) return
  const parts = state.chunks.filter(
    (part) => part.number === task.number && task.open?.has(part.part ?? -1) && part.status === 'pending',
  )
  await jobs.completion.sendTasks(parts, state)
}

/**
 * What was made of the parts of a task is needed no more. A worker that still has one of them will miss its record.
 * @param last Parts of later attempts are left, as those of another way.
 */
export async function dropParts(of: Task, { jobs, files }: TaskServices, last = Infinity): Promise<void> {
  const parts = (await jobs.store.getChunks(of)).filter(({ part = 0 }) => attemptOfChunk(part) <= last)
  if (parts.length === 0) return
  await files.delete(
    parts.flatMap(({ files: made, cut = [] }) => [...made.map(({ key }) => key), cut].flat()),
  )
  await jobs.store.deleteChunks(parts)
}

/** The same after the end of the task, or of one of its parts, if that ended the task or the way that it was on. */
export async function dropPartsOfEnded(ended: Task, services: TaskServices): Promise<void> {
  const { jobId, number, part, expandedBy } = ended
  if (part === undefined && expandedBy === undefined) return
  const task = await services.jobs.store.getTask({ jobId, task: number })
  if (!task || isTaskOver(task)) return dropParts(ended, services)
  if (part !== undefined && task.expandedBy !== attemptOfChunk(part))
    await dropParts(ended, services, attemptOfChunk(part))
}

/** The task of a part, as long as it waits for those of its attempt. */
export async function whoWantsPart(
  { jobId, number, part = 0 }: Task,
  { jobs }: TaskServices,
): Promise<Task | undefined> {
  const task = await jobs.store.getTask({ jobId, task: number })
  return task && !isTaskOver(task) && task.expandedBy === attemptOfChunk(part) ? task : undefined
}

/** Whether it is still to be made: its twin may have been faster. */
export async function isToBeMade(part: Task, services: TaskServices): Promise<boolean> {
  return (await whoWantsPart(part, services))?.open?.has(placeOf(part)) === true
}
