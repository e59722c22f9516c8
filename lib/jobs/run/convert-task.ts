import { warmProcesses } from '../../decoders/run-engine.ts'
import { secretOptionNames } from '../../engines/options.ts'
import { requireConfinement } from '../../engines/sandbox/isolation.ts'
import type { InputPlan, JobState, Task, Warning } from '../../model/job.ts'
import { planFallback } from '../../plan/fallback-route.ts'
import { planFiles } from '../../plan/plan-files.ts'
import { getTimeLimitS } from '../../plan/time-limits.ts'
import { deduplicateWarnings } from '../job-state-machine.ts'
import { getNextImage, resolveConversion } from '../next-image.ts'
import { isSpeculativeCopy } from '../task-graph.ts'
import { createChunks, deleteChunks, findAwaitingTask, isStillNeeded } from './chunks.ts'
import {
  type ClaimedTask,
  doneOutcome,
  type MessageOutcome,
  runWithTimeLimit,
  type TaskHandler,
  tooMuchWorkHint,
  useWorkDir,
} from './claimed-task.ts'
import { LeaseLostError } from './lease.ts'
import { type ChunkedInputs, type InputsResult, runInputs } from './run-inputs.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskServices } from './task-services.ts'

/** Runs the next steps of a task, up to the first step that needs another container image. */
export const convertTask: TaskHandler = async (run, claimedTask) => {
  const { task, state, lease } = claimedTask
  if (isSpeculativeCopy(task.part ?? 0) && !(await isStillNeeded(task, run.services)))
    throw new LeaseLostError()
  const { inputPlans, warnings } = await planTask(task, state, run.services)
  const limitS = getTimeLimitS(inputPlans)
  if (getNextImage(inputPlans) !== run.queue) {
    // The task was sent here according to an earlier plan. The new plan is stored and used from now on.
    await lease.handOver({
      pieces: sealOptions(inputPlans, task, run.services),
      warnings: mergeWarnings(task, warnings),
    })
    return doneOutcome
  }
  // Prestarts programs while the inputs are fetched.
  const [firstPlan] = inputPlans
  warmProcesses(firstPlan?.steps[firstPlan.step]?.engine)
  return useWorkDir(run, async (workDir) => {
    const result = await runConversion(run, claimedTask, { inputPlans, limitS, workDir })
    if ('chunks' in result) return splitTask(run, claimedTask, result, warnings)
    return storeOutcome(run, claimedTask, result, warnings)
  })
}

async function planTask(
  task: Task,
  state: JobState,
  services: TaskServices,
): Promise<{ inputPlans: readonly InputPlan[]; warnings: readonly Warning[] }> {
  const { vault } = services
  if (task.pieces) return { inputPlans: vault.unsealAll(task.pieces, task.jobId), warnings: [] }
  return planFiles(...resolveTaskConversion(task, state, services), await services.engines())
}

const resolveTaskConversion = (task: Task, state: JobState, { vault }: TaskServices) =>
  resolveConversion({ ...task, spec: vault.unsealAll(task.spec, task.jobId) }, state)

function runConversion(
  run: TaskRun,
  claimedTask: ClaimedTask,
  { inputPlans, limitS, workDir }: { inputPlans: readonly InputPlan[]; limitS: number; workDir: string },
): Promise<InputsResult | ChunkedInputs> {
  const { task, state, lease, log } = claimedTask
  return runWithTimeLimit(run, claimedTask, { limitS, hint: tooMuchWorkHint }, async (signal, space) => {
    // The sandbox is checked even if no program will be started in it: engines without a program need it, too.
    await requireConfinement()
    const engines = await run.services.engines()
    return runInputs({
      services: run.services,
      image: getNextImage(inputPlans),
      task,
      inputPlans,
      workDir,
      space,
      log,
      signal,
      progress: (percent, stage) => lease.reportProgress(percent, stage),
      findFallback: (index, triedRoutes) =>
        planFallback(...resolveTaskConversion(task, state, run.services), { index, triedRoutes, engines }),
      saveRemaining: (remaining) =>
        lease.saveRemaining({ pieces: sealOptions(remaining, task, run.services) }),
    })
  })
}

async function storeOutcome(
  { services }: TaskRun,
  { task, lease }: ClaimedTask,
  { inputPlans, warnings, facts, storedKeys, unusedKeys, isComplete }: InputsResult,
  planWarnings: readonly Warning[],
): Promise<MessageOutcome> {
  const outcome = { ...facts, warnings: mergeWarnings(task, [...planWarnings, ...warnings]) }
  const files = inputPlans.flatMap((inputPlan) => inputPlan.files)
  const isStored = isComplete
    ? await lease.finish({ ...outcome, status: 'completed', percent: 100, files })
    : await lease.handOver({ ...outcome, pieces: sealOptions(inputPlans, task, services) })
  // Another worker has taken over the task, or the task is no longer needed, so no record refers to these files.
  if (!isStored) await services.files.delete(storedKeys)
  else {
    await services.files.delete(unusedKeys)
    if (task.expandedBy !== undefined) await deleteChunks(task, services, task.expandedBy)
    // The chunks may have been deleted before this one recorded its files.
    if (task.part !== undefined && !(await findAwaitingTask(task, services)))
      await services.files.delete(storedKeys)
  }
  return doneOutcome
}

/** Adds warnings, without those that were already reported when the job was created. */
const mergeWarnings = ({ warnings }: Task, newWarnings: readonly Warning[]) =>
  deduplicateWarnings([...warnings, ...newWarnings])

/** Splits the task: idle workers each take a chunk, and the worker that holds the task afterwards joins the results. */
async function splitTask(
  { services }: TaskRun,
  { task, lease, log }: ClaimedTask,
  { inputPlans, chunks }: ChunkedInputs,
  warnings: readonly Warning[],
): Promise<MessageOutcome> {
  const remainingPlans = sealOptions(inputPlans, task, services)
  const chunkRecords = remainingPlans.flatMap((inputPlan) => createChunks(task, inputPlan, chunks))
  // Stores the plan, so that it also applies when the results are joined, even by another version of the service.
  const isStored = await lease.splitIntoChunks(chunkRecords, {
    pieces: remainingPlans,
    warnings: mergeWarnings(task, warnings),
  })
  if (isStored) log.info({ chunks: chunkRecords.length }, 'task split into chunks')
  else await services.files.delete(chunks.flatMap(({ file }) => file?.key ?? []))
  return doneOutcome
}

/** Seals secret options before the plans are stored in the table. */
function sealOptions(
  inputPlans: readonly InputPlan[],
  { jobId }: Task,
  { vault }: TaskServices,
): InputPlan[] {
  return inputPlans.map((inputPlan) => ({
    ...inputPlan,
    steps: inputPlan.steps.map((step) => ({
      ...step,
      options: vault.sealSecrets(step.options, secretOptionNames, jobId),
    })),
  }))
}
