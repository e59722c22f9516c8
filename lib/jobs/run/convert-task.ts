import { nextWay } from '../../conversion/fallback-route.ts'
import { planFiles } from '../../conversion/plan-files.ts'
import { timeLimitOf } from '../../conversion/time-limits.ts'
import { secretOptionNames } from '../../engines/options.ts'
import { requireConfinement } from '../../engines/sandbox/isolation.ts'
import type { JobState, InputPlan, Task, Warning } from '../job.ts'
import { uniqueWarnings } from '../job-state-machine.ts'
import { nextImageOf, resolveConversion } from '../next-image.ts'
import { isSpeculativeCopy } from '../task-graph.ts'
import { dropParts, isToBeMade, partsOf, whoWantsPart } from './chunks.ts'
import {
  askForLess,
  type Claimed,
  done,
  inWorkDir,
  type MessageOutcome,
  type Work,
  withinLimit,
} from './claimed-task.ts'
import { LeaseLost } from './lease.ts'
import { type PiecesResult, runPieces, type SharedOut } from './run-inputs.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskServices } from './task-services.ts'

/** What engines of this image do of a task. */
export const convertTask: Work = async (run, claimed) => {
  const { task, state, lease } = claimed
  if (isSpeculativeCopy(task.part ?? 0) && !(await isToBeMade(task, run.services))) throw new LeaseLost()
  const { pieces, warnings } = await planned(task, state, run.services)
  const limitS = timeLimitOf(pieces)
  if (nextImageOf(pieces) !== run.queue) {
    // The plan was another one when it was sent. From now on it is this one, whoever sends it.
    await lease.handOver({
      pieces: sealed(pieces, task, run.services),
      warnings: withNews(task, warnings),
    })
    return done
  }
  return inWorkDir(run, async (workDir) => {
    const result = await work(run, claimed, { pieces, limitS, workDir })
    if ('portions' in result) return expand(run, claimed, result, warnings)
    return conclude(run, claimed, result, warnings)
  })
}

async function planned(
  task: Task,
  state: JobState,
  services: TaskServices,
): Promise<{ pieces: readonly InputPlan[]; warnings: readonly Warning[] }> {
  const { vault } = services
  if (task.pieces) return { pieces: vault.openAll(task.pieces, task.jobId), warnings: [] }
  return planFiles(...wishOfTask(task, state, services), await services.engines())
}

const wishOfTask = (task: Task, state: JobState, { vault }: TaskServices) =>
  resolveConversion({ ...task, spec: vault.openAll(task.spec, task.jobId) }, state)

function work(
  run: TaskRun,
  claimed: Claimed,
  { pieces, limitS, workDir }: { pieces: readonly InputPlan[]; limitS: number; workDir: string },
): Promise<PiecesResult | SharedOut> {
  const { task, state, lease, log } = claimed
  return withinLimit(run, claimed, { limitS, wayOut: askForLess }, async (signal, space) => {
    // Also before those engines that start no program: what they read, this process does.
    await requireConfinement()
    const engines = await run.services.engines()
    return runPieces({
      ...{ services: run.services, image: nextImageOf(pieces), task, pieces, workDir, space, log, signal },
      progress: (percent, stage) => lease.progress(percent, stage),
      findWay: (at, tried) => nextWay(...wishOfTask(task, state, run.services), { at, tried, engines }),
      note: (left) => lease.note({ pieces: sealed(left, task, run.services) }),
    })
  })
}

async function conclude(
  { services }: TaskRun,
  { task, lease }: Claimed,
  { pieces, warnings, facts, made, dropped, isLast }: PiecesResult,
  planned: readonly Warning[],
): Promise<MessageOutcome> {
  const outcome = { ...facts, warnings: withNews(task, [...planned, ...warnings]) }
  const files = pieces.flatMap((piece) => piece.files)
  const isOurs = isLast
    ? await lease.finish({ ...outcome, status: 'completed', percent: 100, files })
    : await lease.handOver({ ...outcome, pieces: sealed(pieces, task, services) })
  // Somebody else has the task, or nobody wants it any more: these files belong to no record.
  if (!isOurs) await services.files.delete(made)
  else {
    await services.files.delete(dropped)
    if (task.expandedBy !== undefined) await dropParts(task, services, task.expandedBy)
    // Whoever dropped the other parts may have looked before this one had its files.
    if (task.part !== undefined && !(await whoWantsPart(task, services))) await services.files.delete(made)
  }
  return done
}

/** What was told when the job was made is not told again. */
const withNews = ({ warnings }: Task, news: readonly Warning[]) => uniqueWarnings([...warnings, ...news])

/** Workers that are free take a share each; whoever has the task when they are done joins what they made. */
async function expand(
  { services }: TaskRun,
  { task, lease, log }: Claimed,
  { pieces, portions }: SharedOut,
  warnings: readonly Warning[],
): Promise<MessageOutcome> {
  const left = sealed(pieces, task, services)
  const parts = left.flatMap((piece) => partsOf(task, piece, portions))
  // By the same plan it is joined, whatever another version of the service would plan then.
  const isOurs = await lease.expand(parts, { pieces: left, warnings: withNews(task, warnings) })
  if (isOurs) log.info({ parts: parts.length }, 'task shared out')
  else await services.files.delete(portions.flatMap(({ file }) => file?.key ?? []))
  return done
}

/** Between two images the options wait in the table again. */
function sealed(pieces: readonly InputPlan[], { jobId }: Task, { vault }: TaskServices): InputPlan[] {
  return pieces.map((piece) => ({
    ...piece,
    steps: piece.steps.map((step) => ({
      ...step,
      options: vault.sealSome(step.options, secretOptionNames, jobId),
    })),
  }))
}
