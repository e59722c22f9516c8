import { deriveId, newId } from '../ids.ts'
import { defined } from '../validation/defined.ts'
import { getNextRunTime } from './cron-schedule.ts'
import { maxFailures, runLifetimeS, type Workflow, type WorkflowRun } from './workflow.ts'

/**
 * Decides how a workflow changes over time and when its runs end. The functions are pure, so that tests can simulate
 * days.
 */

/** Seconds between checks of a run in progress. */
const checkIntervalS = 60

export interface WorkflowTransition {
  readonly next: Workflow
  /** Run that is stored in the same transaction as the workflow. */
  readonly run?: WorkflowRun
  /** Id of the run whose job has to be cancelled. */
  readonly cancel?: string
}

export function createRun(
  { id: workflowId }: Pick<Workflow, 'id'>,
  { trigger, dueAt }: Pick<WorkflowRun, 'trigger' | 'dueAt'>,
): WorkflowRun {
  return {
    // Processes that handle the same due time create the same run, because its id is derived from that time.
    id: trigger === 'schedule' ? deriveId('run', new Date(dueAt), workflowId) : newId('run'),
    workflowId,
    trigger,
    dueAt,
    status: 'running',
    jobId: newId('job'),
    ttl: Math.floor(Date.parse(dueAt) / 1000) + runLifetimeS,
  }
}

/** Sets the times of the next run and the next check; a disabled workflow has no next run. */
export function scheduleNextRun(workflow: Workflow, now: Date): Workflow {
  const { nextRunAt: _, wakeAt: __, ...otherFields } = workflow
  const nextRunMs = workflow.enabled ? getNextRunTime(workflow, now.getTime()) : undefined
  const nextRunAt = nextRunMs === undefined ? undefined : new Date(nextRunMs).toISOString()
  return setWakeTime({ ...otherFields, ...defined({ nextRunAt }) }, now)
}

export function setWakeTime({ wakeAt: _, ...workflow }: Workflow, now: Date): Workflow {
  const checkAt = workflow.live && new Date(now.getTime() + checkIntervalS * 1000).toISOString()
  const wakeAt = [workflow.nextRunAt, checkAt].filter((at) => at !== undefined).sort()[0]
  return { ...workflow, ...defined({ wakeAt }) }
}

/** Starts, queues or skips a run that is due. Returns undefined if no run is due. */
export function advanceWorkflow(workflow: Workflow, now: Date): WorkflowTransition | undefined {
  const { nextRunAt, enabled, live, overlap } = workflow
  if (enabled && nextRunAt !== undefined && nextRunAt <= now.toISOString()) {
    const nextSchedule = scheduleNextRun(workflow, now)
    const run = createRun(workflow, { trigger: 'schedule', dueAt: nextRunAt })
    if (live === undefined) return startRun(nextSchedule, run, now)
    if (overlap === 'cancel-previous') return { ...startRun(nextSchedule, run, now), cancel: live }
    const { jobId: _, ...runWithoutJob } = run
    if (overlap === 'queue' && workflow.waiting === undefined)
      return {
        next: { ...nextSchedule, waiting: run.id, lastRun: run.id },
        run: { ...runWithoutJob, status: 'waiting' },
      }
    return {
      next: { ...nextSchedule, lastRun: run.id },
      run: { ...runWithoutJob, status: 'skipped', endedAt: now.toISOString() },
    }
  }
  return undefined
}

/** Makes a run the live run of its workflow. */
export const startRun = (workflow: Workflow, run: WorkflowRun, now: Date): WorkflowTransition => ({
  next: setWakeTime({ ...workflow, live: run.id, lastRun: run.id }, now),
  run: { ...run, status: 'running', jobId: run.jobId ?? newId('job') },
})

/** Ends the live run, and pauses the workflow after too many failures. */
export function endRun(workflow: Workflow, run: Pick<WorkflowRun, 'status' | 'error'>, now: Date): Workflow {
  const { live: _, ...rest } = workflow
  const failures =
    run.status === 'failed' ? workflow.failures + 1 : run.status === 'completed' ? 0 : workflow.failures
  if (failures < maxFailures || !workflow.enabled) return setWakeTime({ ...rest, failures }, now)
  const { nextRunAt: __, ...stoppedWorkflow } = rest
  const reason = `${maxFailures} runs in a row failed. Last error: ${run.error?.message ?? 'the job failed.'}`
  return setWakeTime(
    { ...stoppedWorkflow, failures, enabled: false, paused: { at: now.toISOString(), reason } },
    now,
  )
}
