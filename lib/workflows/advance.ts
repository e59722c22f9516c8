import { derivedId, newId } from '../ids.ts'
import { nextRunTime } from './cron-schedule.ts'
import { maxFailures, runLifetimeS, type Workflow, type WorkflowRun } from './workflow.ts'

/** What the clock and the ends of runs make of a workflow: decisions alone, so that days can be played through at once. */

/** Seconds between looks at a run that is under way. */
const checkIntervalS = 60

export interface WorkflowTransition {
  readonly next: Workflow
  /** Run to be written, together with the workflow or not at all. */
  readonly run?: WorkflowRun
  /** Run whose job is cancelled for it. */
  readonly cancel?: string
}

export function createRun(
  { id: workflowId }: Pick<Workflow, 'id'>,
  { trigger, dueAt }: Pick<WorkflowRun, 'trigger' | 'dueAt'>,
): WorkflowRun {
  return {
    // Whoever comes late to the same moment makes the same run.
    id: trigger === 'schedule' ? derivedId('run', new Date(dueAt), workflowId) : newId('run'),
    ...{ workflowId, trigger, dueAt },
    status: 'running',
    jobId: newId('job'),
    ttl: Math.floor(Date.parse(dueAt) / 1000) + runLifetimeS,
  }
}

/** With the moments at which it has to be looked at next; the clock has no say in one that is switched off. */
export function scheduleNextRun(workflow: Workflow, now: Date): Workflow {
  const { nextRunAt: _, wakeAt: __, ...rest } = workflow
  const next = workflow.enabled ? nextRunTime(workflow, now.getTime()) : undefined
  const nextRunAt = next === undefined ? undefined : new Date(next).toISOString()
  return setWakeTime({ ...rest, ...(nextRunAt && { nextRunAt }) }, now)
}

export function setWakeTime({ wakeAt: _, ...workflow }: Workflow, now: Date): Workflow {
  const checkAt = workflow.live && new Date(now.getTime() + checkIntervalS * 1000).toISOString()
  const wakeAt = [workflow.nextRunAt, checkAt].filter((at) => at !== undefined).sort()[0]
  return { ...workflow, ...(wakeAt && { wakeAt }) }
}

/** One step further, if the time has come for any; nothing where it only has to be looked at again. */
export function advanceWorkflow(workflow: Workflow, now: Date): WorkflowTransition | undefined {
  const { nextRunAt, enabled, live, overlap } = workflow
  if (enabled && nextRunAt !== undefined && nextRunAt <= now.toISOString()) {
    const rest = scheduleNextRun(workflow, now)
    const run = createRun(workflow, { trigger: 'schedule', dueAt: nextRunAt })
    if (live === undefined) return startRun(rest, run, now)
    if (overlap === 'cancel-previous') return { ...startRun(rest, run, now), cancel: live }
    const { jobId: _, ...idle } = run
    if (overlap === 'queue' && workflow.waiting === undefined)
      return { next: { ...rest, waiting: run.id, lastRun: run.id }, run: { ...idle, status: 'waiting' } }
    return {
      next: { ...rest, lastRun: run.id },
      run: { ...idle, status: 'skipped', endedAt: now.toISOString() },
    }
  }
  return undefined
}

/** A run that is live from now on. */
export const startRun = (workflow: Workflow, run: WorkflowRun, now: Date): WorkflowTransition => ({
  next: setWakeTime({ ...workflow, live: run.id, lastRun: run.id }, now),
  run: { ...run, status: 'running', jobId: run.jobId ?? newId('job') },
})

/** The live run is over. */
export function endRun(workflow: Workflow, run: Pick<WorkflowRun, 'status' | 'error'>, now: Date): Workflow {
  const { live: _, ...rest } = workflow
  const failures =
    run.status === 'failed' ? workflow.failures + 1 : run.status === 'completed' ? 0 : workflow.failures
  if (failures < maxFailures || !workflow.enabled) return setWakeTime({ ...rest, failures }, now)
  const { nextRunAt: __, ...stopped } = rest
  const reason = `${maxFailures} runs in a row failed, the last one so: ${run.error?.message ?? 'the job failed.'}`
  return setWakeTime({ ...stopped, failures, enabled: false, paused: { at: now.toISOString(), reason } }, now)
}
