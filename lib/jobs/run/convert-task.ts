import { planFallback } from '../../conversion/fallback-route.ts'
import { planFiles } from '../../conversion/plan-files.ts'
import { timeLimitOf } from '../../conversion/time-limits.ts'
import { secretOptionNames } from '../../engines/options.ts'
import { requireConfinement } from '../../engines/sandbox/isolation.ts'
import type { InputPlan, JobState, Task, Warning } from '../job.ts'
import { uniqueWarnings } from '../job-state-machine.ts'
import { nextImageOf, resolveConversion } from '../next-image.ts'
import { isSpeculativeCopy } from '../task-graph.ts'
import { createChunks, deleteChunks, findAwaitingTask, isStillNeeded } from './chunks.ts'
import {
  type ClaimedTask,
  type MessageOutcome,
  messageDone,
  type TaskHandler,
  tooMuchWorkHint,
  withTimeLimit,
  withWorkDir,
} from './claimed-task.ts'
import { LeaseLost } from './lease.ts'
import { type ChunkedInputs, type InputsResult, runInputs } from './run-inputs.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskServices } from './task-services.ts'

/** What engines of this image do of a task. */
export const convertTask: TaskHandler = async (run, claimed) => {
  const { task, state, lease } = claimed
  if (isSpeculativeCopy(task.part ?? 0) && !(await isStillNeeded(task, run.services))) throw new LeaseLost()
  const { inputPlans, warnings } = await planTask(task, state, run.services)
  const limitS = timeLimitOf(inputPlans)
  if (nextImageOf(inputPlans) !== run.queue) {
    // The plan was another one when it was sent. From now on it is this one, whoever sends it.
    await lease.handOver({
      pieces: sealOptions(inputPlans, task, run.services),
      warnings: mergeWarnings(task, warnings),
    })
    return messageDone
  }
  return withWorkDir(run, async (workDir) => {
    const result = await runConversion(run, claimed, { inputPlans, limitS, workDir })
    if ('chunks' in result) return splitTask(run, claimed, result, warnings)
    return storeOutcome(run, claimed, result, warnings)
  })
}

async function planTask(
  task: Task,
  state: JobState,
  services: TaskServices,
): Promise<{ inputPlans: readonly InputPlan[]; warnings: readonly Warning[] }> {
  const { vault } = services
  if (task.pieces) return { inputPlans: vault.openAll(task.pieces, task.jobId), warnings: [] }
  return planFiles(...conversionOfTask(task, state, services), await services.engines())
}

const conversionOfTask = (task: Task, state: JobState, { vault }: TaskServices) =>
  resolveConversion({ ...task, spec: vault.openAll(task.spec, task.jobId) }, state)

function runConversion(
  run: TaskRun,
  claimed: ClaimedTask,
  { inputPlans, limitS, workDir }: { inputPlans: readonly InputPlan[]; limitS: number; workDir: string },
): Promise<InputsResult | ChunkedInputs> {
  const { task, state, lease, log } = claimed
  return withTimeLimit(run, claimed, { limitS, hint: tooMuchWorkHint }, async (signal, space) => {
    // Also before those engines that start no program: what they read, this process does.
    await requireConfinement()
    const engines = await run.services.engines()
    return runInputs({
      ...{
        services: run.services,
        image: nextImageOf(inputPlans),
        task,
        inputPlans,
        workDir,
        space,
        log,
        signal,
      },
      progress: (percent, stage) => lease.reportProgress(percent, stage),
      findFallback: (index, tried) =>
        planFallback(...conversionOfTask(task, state, run.services), { index, tried, engines }),
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
  // Somebody else has the task, or nobody wants it any more: these files belong to no record.
  if (!isStored) await services.files.delete(storedKeys)
  else {
    await services.files.delete(unusedKeys)
    if (task.expandedBy !== undefined) await deleteChunks(task, services, task.expandedBy)
    // Whoever dropped the other parts may have looked before this one had its files.
    if (task.part !== undefined && !(await findAwaitingTask(task, services)))
      await services.files.delete(storedKeys)
  }
  return messageDone
}

/** What was told when the job was made is not told again. */
const mergeWarnings = ({ warnings }: Task, newWarnings: readonly Warning[]) =>
  uniqueWarnings([...warnings, ...newWarnings])

/** Workers that are free take a share each; whoever has the task when they are done joins what they made. */
async function splitTask(
  { services }: TaskRun,
  { task, lease, log }: ClaimedTask,
  { inputPlans, chunks }: ChunkedInputs,
  warnings: readonly Warning[],
): Promise<MessageOutcome> {
  const remaining = sealOptions(inputPlans, task, services)
  const chunkRecords = remaining.flatMap((inputPlan) => createChunks(task, inputPlan, chunks))
  // By the same plan it is joined, whatever another version of the service would plan then.
  const isStored = await lease.splitIntoChunks(chunkRecords, {
    pieces: remaining,
    warnings: mergeWarnings(task, warnings),
  })
  if (isStored) log.info({ parts: chunkRecords.length }, 'task shared out')
  else await services.files.delete(chunks.flatMap(({ file }) => file?.key ?? []))
  return messageDone
}

/** Between two images the options wait in the table again. */
function sealOptions(
  inputPlans: readonly InputPlan[],
  { jobId }: Task,
  { vault }: TaskServices,
): InputPlan[] {
  return inputPlans.map((inputPlan) => ({
    ...inputPlan,
    steps: inputPlan.steps.map((step) => ({
      ...step,
      options: vault.sealSome(step.options, secretOptionNames, jobId),
    })),
  }))
}
