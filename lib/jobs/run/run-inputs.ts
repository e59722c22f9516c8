import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { ImageId } from '../../component-ids.ts'
import { engineVersion } from '../../engines/version.ts'
import { AppError } from '../../errors.ts'
import type { DiskSpaceMonitor } from '../../io/disk-space.ts'
import type { Log } from '../../log.ts'
import { combineFidelities, combineSequential } from '../../model/fidelity.ts'
import type { InputPlan, JobError, StoredFile, Task, Warning } from '../../model/job.ts'
import { isShownInTask } from '../../model/operations.ts'
import { defined } from '../../validation/defined.ts'
import { maxTaskAttempts } from '../job-state-machine.ts'
import { fetchChunkResults } from './chunks.ts'
import {
  countTriedRoutes,
  createFallbackWarnings,
  decideAfterFailure,
  decideAfterSuccess,
  type FallbackDecision,
  type FindFallback,
} from './fallbacks.ts'
import { fetchInputs, toInputFiles } from './fetch-inputs.ts'
import { countIdleWorkers } from './idle-workers.ts'
import { countAttempts, isLastAttempt } from './lost-lease.ts'
import { joinLists, runList } from './run-list.ts'
import {
  joinNeedsInputs,
  runSteps,
  type StepsOutput,
  type StepsResult,
  type StepsRun,
  splitFirstStep,
} from './run-steps.ts'
import { type StoredChunk, storeChunks, storeFiles } from './store-files.ts'
import type { TaskServices } from './task-services.ts'

export interface InputsRun {
  readonly services: TaskServices
  readonly image: ImageId
  readonly task: Task
  /** The plans of the inputs, with unsealed secrets. */
  readonly inputPlans: readonly InputPlan[]
  readonly workDir: string
  readonly space: DiskSpaceMonitor
  readonly signal: AbortSignal
  readonly log: Log
  progress(percent: number, stage: string): void
  /** Finds the fallback of the input plan at this index. */
  findFallback(at: number, ...fallbackArgs: Parameters<FindFallback>): ReturnType<FindFallback>
  /** Stores the remaining work before an input starts another route; a worker that takes over continues there. */
  saveRemaining(inputPlans: readonly InputPlan[]): Promise<void>
}

export interface InputsResult {
  readonly inputPlans: readonly InputPlan[]
  readonly warnings: readonly Warning[]
  /** Facts about the run for the task's record. */
  readonly facts: Pick<Task, 'engine' | 'engineVersion' | 'method' | 'details' | 'fidelity' | 'metadata'>
  /** Keys of all stored files. */
  readonly storedKeys: readonly string[]
  /** Keys of files that can be deleted once this result is stored. */
  readonly unusedKeys: readonly string[]
  readonly isComplete: boolean
}

/** Returned if the next step of the only input should be split among workers. The step has not been run yet. */
export interface ChunkedInputs {
  readonly inputPlans: readonly InputPlan[]
  readonly chunks: readonly StoredChunk[]
}

const isDone = ({ steps, step }: InputPlan) => step >= steps.length

/** Runs those steps of each input that belong to this container image, and stores the outputs. */
export async function runInputs(run: InputsRun): Promise<InputsResult | ChunkedInputs> {
  const { image } = run
  const inputPlans = [...run.inputPlans]
  const results: InputResult[] = []
  for (const [index, initialPlan] of run.inputPlans.entries()) {
    let inputPlan = initialPlan
    while (!isDone(inputPlan) && inputPlan.steps[inputPlan.step]?.image === image) {
      const progress = (percent: number, stage: string) =>
        run.progress((index * 100 + percent) / inputPlans.length, stage)
      const nextPlan = await runInput({ ...run, progress }, inputPlan, index)
      if ('chunks' in nextPlan) return nextPlan
      results.push(nextPlan)
      const isOnFallback = countTriedRoutes(nextPlan.inputPlan) > countTriedRoutes(inputPlan)
      inputPlan = nextPlan.inputPlan
      inputPlans[index] = inputPlan
      // The chunks belonged to the previous route, and the next route starts from the beginning.
      if (isOnFallback && run.task.expandedBy !== undefined) break
      if (isOnFallback && inputPlan.steps[0]?.image === image) await run.saveRemaining(inputPlans)
    }
  }
  const fidelity = combineFidelities(inputPlans.map((inputPlan) => inputPlan.fidelity))
  const isComplete = inputPlans.every(isDone)
  const joinedResults = isComplete
    ? await finishLists(run, inputPlans)
    : { inputPlans, storedKeys: [], unusedKeys: [] }
  return {
    inputPlans: joinedResults.inputPlans,
    warnings: results.flatMap(({ warnings }) => warnings),
    facts: results.reduce<TaskFacts>(
      (facts, result) => mergeFacts(facts, result.facts),
      fidelity ? { fidelity } : {},
    ),
    storedKeys: [...results.flatMap(({ storedKeys }) => storedKeys), ...joinedResults.storedKeys],
    unusedKeys: [...results.flatMap(({ unusedKeys }) => unusedKeys), ...joinedResults.unusedKeys],
    isComplete,
  }
}

/**
 * Joins lists that were split because their members have several formats, and removes the field `each` from all lists.
 */
async function finishLists(
  run: InputsRun,
  inputPlans: readonly InputPlan[],
): Promise<Pick<InputsResult, 'inputPlans' | 'storedKeys' | 'unusedKeys'>> {
  const groups = Map.groupBy(inputPlans.entries(), ([index, { files }]) => files[0]?.each ?? index)
  const unusedKeys: string[] = []
  const finishedPlans: InputPlan[] = []
  for (const plans of groups.values()) {
    const lists = plans.flatMap(([, { files }]) => files).map(({ each: _, ...file }) => file)
    const [[index, firstPlan], ...otherPlans] = plans as [(typeof plans)[0], ...typeof plans]
    if (otherPlans.length === 0) {
      finishedPlans.push({ ...firstPlan, files: lists })
      continue
    }
    const { services, signal } = run
    const workDir = join(run.workDir, `list-${index + 1}`)
    const path = await joinLists(lists, { files: services.files, workDir, signal })
    const result = { files: [{ path, format: 'zip' as const }] as const }
    const at = firstPlan.steps.length
    // No step of these plans has this index, so the key is not in use.
    const [file] = await storeFiles(run, { ...firstPlan, step: at }, inputPlans.length + index, {
      result,
      format: 'zip',
      nextStep: at,
    })
    if (!file) throw new Error('a joined list was not stored')
    const { each: _, ...list } = file
    unusedKeys.push(...getKeys(lists))
    finishedPlans.push({ ...firstPlan, files: [list] })
  }
  const previousKeys = new Set(inputPlans.flatMap(({ files }) => getKeys(files)))
  const storedKeys = finishedPlans
    .flatMap(({ files }) => getKeys(files))
    .filter((key) => !previousKeys.has(key))
  return { inputPlans: finishedPlans, storedKeys, unusedKeys }
}

type TaskFacts = InputsResult['facts']

/** Progress of an input in this container image: completed steps, or a fallback. */
interface InputResult {
  readonly inputPlan: InputPlan
  readonly warnings: readonly Warning[]
  readonly facts: TaskFacts
  readonly storedKeys: readonly string[]
  readonly unusedKeys: readonly string[]
}

async function runInput(
  run: InputsRun,
  inputPlan: InputPlan,
  index: number,
): Promise<InputResult | ChunkedInputs> {
  const routeIndex = countTriedRoutes(inputPlan)
  const workDir = join(run.workDir, `input-${index + 1}${routeIndex > 0 ? `-route-${routeIndex + 1}` : ''}`)
  await mkdir(workDir)
  const { reached = 0 } = inputPlan
  const isChunk = run.task.part !== undefined
  const findFallback: FindFallback = (triedRoutes) => run.findFallback(index, triedRoutes)
  let [step, percent] = [inputPlan.step, reached]
  const progress: InputsRun['progress'] = (routePercent, stage) => {
    percent = reached + (routePercent * (100 - reached)) / 100
    run.progress(percent, stage)
  }
  const onStep = (stepIndex: number) => {
    step = stepIndex
  }
  let storedFilesPromise: Promise<StoredFile[]> = Promise.resolve([])
  const onOutput = (output: StepsOutput) => {
    storedFilesPromise = run.space
      .requireCompleteOutput()
      .then(() => storeFiles(run, inputPlan, index, output))
    return storedFilesPromise
  }
  let result: StepsResult | ChunkedInputs
  try {
    if (countAttempts(run.task) > maxTaskAttempts) throw createTooManyCrashesError()
    if (inputPlan.failure) throw createChunkError(inputPlan.failure)
    result = await runInputPlan({ ...run, workDir, progress, onStep, onOutput }, inputPlan)
  } catch (error) {
    await deleteStored(storedFilesPromise, run)
    if (run.signal.aborted) throw error
    // A full disk is no reason for another route, which may need just as much space.
    const diskError = await run.space.explainDiskError(error)
    if (diskError) throw diskError
    // A chunk chooses no fallback itself, because its task chooses one for all chunks.
    if (isChunk) throw error
    const failure = { error, step, percent, isLastAttempt: isLastAttempt(run.task) }
    const decision = decideAfterFailure(inputPlan, failure, findFallback)
    await rm(workDir, { recursive: true, force: true })
    return finishRoute(decision, inputPlan, [])
  }
  if ('chunks' in result) return result
  const files = await storedFilesPromise
  const keys = getKeys(files)
  const warnings = [...result.warnings]
  const runFacts = { ...(await describeRun(result)), ...(await readMetadata(run.task, result)) }
  const fidelity = combineSequential(inputPlan.fidelity, result.fidelity)
  const fidelityFields = fidelity ? { fidelity } : {}
  if (result.nextStep < inputPlan.steps.length || isChunk) {
    const nextPlan = { ...inputPlan, step: result.nextStep, files, ...fidelityFields }
    // The next container image does not know the shortfall, so the warning about it is added here.
    const contentWarning = result.result.shortfall?.warning
    return {
      inputPlan: nextPlan,
      warnings: contentWarning ? [...warnings, contentWarning] : warnings,
      facts: runFacts,
      storedKeys: keys,
      unusedKeys: [],
    }
  }
  const allWarnings = [...createFallbackWarnings(inputPlan, await run.services.engines()), ...warnings]
  const output = { files, warnings: allWarnings, ...runFacts, ...fidelityFields }
  return finishRoute(
    decideAfterSuccess(inputPlan, output, result.result.shortfall, findFallback),
    inputPlan,
    keys,
  )
}

/**
 * Deletes files that were being stored when the result was rejected. Files for which this fails are deleted with the
 * job.
 */
async function deleteStored(
  storedFilesPromise: Promise<StoredFile[]>,
  { services, log }: InputsRun,
): Promise<void> {
  try {
    await services.files.delete(getKeys(await storedFilesPromise))
  } catch (error) {
    log.info({ error }, 'a rejected result may remain in the bucket')
  }
}

const getKeys = (files: readonly StoredFile[]) => files.map(({ key }) => key)

const createTooManyCrashesError = () =>
  new AppError(
    'CONVERSION_FAILED',
    'The conversion crashed in all three attempts. The file may need more memory or time than a conversion can use.',
  )

const createChunkError = ({ code, message, details }: JobError) => new AppError(code, message, details)

/**
 * Returns the state of an input after a route has ended. Files that are neither its result nor its partial result
 * become unused.
 */
function finishRoute(
  decision: FallbackDecision,
  previousPlan: InputPlan,
  storedKeys: readonly string[],
): InputResult {
  const keptResult = 'result' in decision ? decision.result : decision.inputPlan.fallback
  const keys = new Set(keptResult?.files.map(({ key }) => key))
  const earlierKeys = previousPlan.fallback?.files.map(({ key }) => key) ?? []
  const unusedKeys = [...earlierKeys, ...storedKeys].filter((key) => !keys.has(key))
  if ('inputPlan' in decision)
    return { inputPlan: decision.inputPlan, warnings: [], facts: {}, storedKeys, unusedKeys }
  const { files, warnings, kept: _share, fidelity, ...facts } = decision.result
  const { steps, tried } = previousPlan
  const inputPlan = {
    steps,
    step: steps.length,
    files,
    ...defined({ tried, fidelity }),
  }
  return { inputPlan, warnings, facts, storedKeys, unusedKeys }
}

async function runInputPlan(
  run: InputsRun & Required<Pick<StepsRun, 'onStep' | 'onOutput'>>,
  inputPlan: InputPlan,
): Promise<StepsResult | ChunkedInputs> {
  const { services, image, task, workDir, signal, log, progress, onStep, onOutput } = run
  const { steps, step, files } = inputPlan
  const engines = await services.engines()
  const stepsRun = {
    steps,
    firstIndex: step,
    image,
    workDir,
    signal,
    log,
    engines,
    progress,
    onStep,
    onOutput,
  }
  const fetchFiles = () => fetchInputs(services.files, files, workDir, signal)
  if (task.expandedBy !== undefined) {
    const { results, warnings } = await fetchChunkResults(task, { services, workDir, signal })
    const { held: sourceContent } = inputPlan
    const inputs = joinNeedsInputs(stepsRun) ? await fetchFiles() : toInputFiles(files, workDir)
    const stepsResult = await runSteps({ ...stepsRun, inputs, results, sourceContent })
    return { ...stepsResult, warnings: [...warnings, ...stepsResult.warnings] }
  }
  const [firstFile] = files
  if (firstFile?.each !== undefined) return runList({ ...stepsRun, files: services.files }, firstFile)
  const inputs = await fetchFiles()
  if (task.part !== undefined) return runSteps({ ...stepsRun, inputs, chunk: task.spec })
  const splitWork = await splitIntoChunks({ ...stepsRun, inputs }, run)
  if (!splitWork) return runSteps({ ...stepsRun, inputs })
  const { chunks, sourceContent } = splitWork
  return {
    chunks: await storeChunks(run, inputPlan, chunks),
    inputPlans: [sourceContent ? { ...inputPlan, held: sourceContent } : inputPlan],
  }
}

/** Splits a task into chunks; undefined for a task with several inputs, which is not split. */
async function splitIntoChunks(stepsRun: StepsRun, { inputPlans, image, services }: InputsRun) {
  if (inputPlans.length > 1) return undefined
  return splitFirstStep(stepsRun, async () => ({
    workers: await countIdleWorkers(image, services),
    timeoutS: services.config.TASK_LIMIT_S ?? Number.POSITIVE_INFINITY,
  }))
}

async function describeRun({ engine, result }: StepsResult): Promise<TaskFacts> {
  const { method, details, program } = result
  return {
    engine: program?.name ?? engine.id,
    engineVersion: program?.version ?? (await engineVersion(engine)),
    ...defined({ method, details: details && { ...details } }),
  }
}

/** Maximum size in bytes of metadata in a task's record. */
const maxMetadataBytes = 64 * 1024

/** Reads the JSON result of an operation such as `metadata`, which is shown in the task. */
async function readMetadata(task: Task, { result }: StepsResult): Promise<Pick<TaskFacts, 'metadata'>> {
  const [file] = result.files
  if (
    !isShownInTask(task.operation) ||
    file.format !== 'json' ||
    (await stat(file.path)).size > maxMetadataBytes
  )
    return {}
  const metadata = await readFile(file.path, 'utf8')
  const { success } = z.record(z.string(), z.unknown()).safeParse(JSON.parse(metadata))
  return success ? { metadata } : {}
}

const mergeFacts = (factsBefore: TaskFacts, facts: TaskFacts): TaskFacts => ({
  ...factsBefore,
  ...facts,
  ...defined({ details: facts.details && { ...factsBefore.details, ...facts.details } }),
})
