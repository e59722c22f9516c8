import { emailOwner } from '../access/account-emails.ts'
import { emailTemplates } from '../access/auth/emails.ts'
import { openImports } from '../conversion/imports.ts'
import { startJob } from '../conversion/start-job.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { isLiveStatus, type Job } from '../jobs/job.ts'
import type { Services } from '../services.ts'
import { wallTime } from '../time-zones.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import {
  advanceWorkflow,
  createRun,
  endRun,
  scheduleNextRun,
  setWakeTime,
  startRun,
  type WorkflowTransition,
} from './advance.ts'
import { validateSchedule } from './cron-schedule.ts'
import { WorkflowStore } from './store.ts'
import { createRunTasks, prepareTasks } from './tasks.ts'
import { maxWorkflows, type Workflow, type WorkflowRun } from './workflow.ts'

export type WorkflowInput = Pick<
  Workflow,
  'name' | 'cron' | 'timezone' | 'tasks' | 'enabled' | 'overlap' | 'tag' | 'webhookUrl'
>

export type WorkflowChange = { readonly [Field in keyof WorkflowInput]?: WorkflowInput[Field] | undefined }

/** Tries at a change that somebody else may make too. */
const maxTries = 5

/** Jobs that are made by the clock. */
export class Workflows {
  readonly store: WorkflowStore
  readonly #services: Services

  constructor(services: Services) {
    this.store = new WorkflowStore(services.table)
    this.#services = services
  }

  /** @throws AppError INVALID_INPUT for one that could not run, and for one too many. */
  async create(owner: string, input: WorkflowInput, now = new Date()): Promise<Workflow> {
    validateSchedule(input)
    await this.#checkWebhook(input)
    const id = newId('wf')
    const at = now.toISOString()
    const workflow = scheduleNextRun(
      {
        ...{ id, owner, ...input, tasks: prepareTasks(input.tasks, id, this.#services) },
        ...{ failures: 0, createdAt: at, updatedAt: at, version: 1 },
      },
      now,
    )
    if (await this.store.create(workflow)) return workflow
    throw new AppError(
      'INVALID_INPUT',
      `There are ${maxWorkflows} workflows, which is as many as one owner may have. Delete one first.`,
      { max: maxWorkflows },
    )
  }

  /** What is left out stays. Switched on it begins anew, whatever failed before. @throws AppError INVALID_INPUT */
  async change(id: string, input: WorkflowChange, now = new Date()): Promise<Workflow | undefined> {
    await this.#checkWebhook(input)
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    const tasks = input.tasks && prepareTasks(input.tasks, id, this.#services)
    return this.#changeWithRetry(id, (workflow) => {
      const { paused, ...wanted } = { ...workflow, ...given, ...(tasks && { tasks }) } as Workflow
      validateSchedule(wanted)
      const isSwitchedOn = input.enabled === true
      const next = {
        ...wanted,
        ...(paused && !isSwitchedOn && { paused }),
        ...(isSwitchedOn && { failures: 0 }),
        updatedAt: now.toISOString(),
      }
      const affectsSchedule = [input.cron, input.timezone, input.enabled].some((value) => value !== undefined)
      return { next: affectsSchedule ? scheduleNextRun(next, now) : next }
    }).then((changed) => changed?.next)
  }

  async #checkWebhook({ webhookUrl }: WorkflowChange): Promise<void> {
    if (webhookUrl) await new Webhooks(this.#services).checkJobUrl(webhookUrl)
  }

  /** Runs it now. @throws AppError CONFLICT while a run is under way that it does not cancel. */
  async runNow(id: string, now = new Date()): Promise<WorkflowRun | undefined> {
    const transition = await this.#changeWithRetry(id, async (before) => {
      const workflow = await this.#updateLiveRun(before, now)
      const run = createRun(workflow, { trigger: 'request', dueAt: now.toISOString() })
      const { live } = workflow
      if (live === undefined) return startRun(workflow, run, now)
      if (workflow.overlap === 'cancel-previous') return { ...startRun(workflow, run, now), cancel: live }
      throw new AppError('CONFLICT', `The run ${live} is under way. Wait for its end, or cancel its job.`, {
        runId: live,
      })
    })
    if (!transition?.run) return undefined
    await this.#startJobOf(transition, now)
    return (await this.store.run(id, transition.run.id)) ?? transition.run
  }

  /** A moment has come that its record names. */
  async wake(id: string, now = new Date()): Promise<void> {
    const transition = await this.#changeWithRetry(id, async (before) => {
      const workflow = await this.#updateLiveRun(before, now)
      return advanceWorkflow(workflow, now) ?? (await this.#startWaitingRun(workflow, now))
    })
    if (transition) await this.#startJobOf(transition, now)
  }

  /** As it stands now: what is stored of a run learns of its job's end up to a minute later. */
  async current(run: WorkflowRun, now = new Date()): Promise<WorkflowRun> {
    if (run.status !== 'running' || !run.jobId) return run
    const job = await this.#services.jobs.store.getJob(run.jobId)
    return job && !isUnderWay(job) ? { ...run, ...runOutcomeOf(job, now) } : run
  }

  /** The run that waited for the end of the one before, where there is one and that is over. */
  async #startWaitingRun(workflow: Workflow, now: Date): Promise<WorkflowTransition> {
    const { waiting, ...rest } = workflow
    if (waiting === undefined || workflow.live !== undefined) return { next: setWakeTime(workflow, now) }
    const run = await this.store.run(workflow.id, waiting)
    return run ? startRun(rest, run, now) : { next: setWakeTime(rest, now) }
  }

  /** What is decided by a workflow that somebody else has changed meanwhile is decided again. */
  async #changeWithRetry(
    id: string,
    decide: (workflow: Workflow) => WorkflowTransition | Promise<WorkflowTransition>,
  ): Promise<WorkflowTransition | undefined> {
    for (let attempt = 1; attempt <= maxTries; attempt++) {
      const before = await this.store.find(id)
      if (!before) return undefined
      const transition = await decide(before)
      // First of all: nobody would think of it after a stop.
      if (transition.cancel !== undefined) await this.#cancel(id, transition.cancel)
      const next = await this.store.change(before, transition.next, transition.run)
      if (next?.paused && !before.paused) await this.#notifyPaused(next, next.paused.reason)
      if (next) return { ...transition, next }
    }
    throw new Error(`${id} is changed by others all the time`)
  }

  #notifyPaused({ owner, name: workflow }: Workflow, why: string): Promise<void> {
    return emailOwner(this.#services, owner, (name) => emailTemplates.workflowPaused(name, { workflow, why }))
  }

  async #cancel(workflowId: string, runId: string): Promise<void> {
    const run = await this.store.run(workflowId, runId)
    if (!run?.jobId) return
    await this.#services.jobs.cancel(run.jobId, 'system')
    await this.store.changeRun(run, { status: 'cancelled', endedAt: new Date().toISOString() })
  }

  /** What follows from a step that is stored; where it is cut off, the next look goes on. */
  async #startJobOf({ next, run }: WorkflowTransition, now: Date): Promise<void> {
    if (run?.status === 'running') await this.#startRunJob(next, run, now)
  }

  /** Makes the job of a run, once however often it is asked to. */
  async #startRunJob(workflow: Workflow, run: WorkflowRun, now: Date): Promise<void> {
    try {
      await this.#createJob(workflow, run)
      await this.store.changeRun(run, { startedAt: now.toISOString() })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { code, message } = error
      const failed = { status: 'failed', endedAt: now.toISOString(), error: { code, message } } as const
      await this.store.changeRun(run, failed)
      await this.#changeWithRetry(workflow.id, (current) => ({
        next: current.live === run.id ? endRun(current, failed, now) : current,
      }))
    }
  }

  async #createJob(workflow: Workflow, run: WorkflowRun): Promise<void> {
    const services = this.#services
    const { owner, tag, webhookUrl, timezone } = workflow
    const date = new Date(wallTime(timezone, Date.parse(run.dueAt))).toISOString().slice(0, 10)
    const tasks = createRunTasks(workflow, { date, runId: run.id }, services)
    const { imports, discard } = await openImports(tasks, { owner, services })
    try {
      const told = { tag, webhookUrl: webhookUrl ?? undefined }
      await startJob({ owner, requestId: newId('req'), jobId: run.jobId, ...told, tasks, imports }, services)
    } finally {
      await discard()
    }
  }

  /** The workflow with what became of its live run; one whose job was never made is made now. */
  async #updateLiveRun(workflow: Workflow, now: Date): Promise<Workflow> {
    const { live } = workflow
    if (live === undefined) return workflow
    const run = await this.store.run(workflow.id, live)
    if (!run?.jobId) return endRun(workflow, { status: 'cancelled' }, now)
    if (run.status !== 'running') return endRun(workflow, run, now)
    const job = await this.#services.jobs.store.getJob(run.jobId)
    if (!job && !run.startedAt) {
      await this.#startRunJob(workflow, run, now)
      return workflow
    }
    if (job && isUnderWay(job)) return workflow
    const over = { ...run, ...runOutcomeOf(job, now) }
    await this.store.changeRun(run, over)
    return endRun(workflow, over, now)
  }
}

const isUnderWay = (job: Job) => !job.deletedAt && isLiveStatus(job.status)

/** How a run ended, by its job; undefined when that is gone. */
export function runOutcomeOf(
  job: Job | undefined,
  now: Date,
): Pick<WorkflowRun, 'status' | 'endedAt' | 'error'> {
  const endedAt = job?.endedAt ?? now.toISOString()
  if (job?.error) {
    const { code, message } = job.error
    return { status: 'failed', endedAt, error: { code, message } }
  }
  const isDone = job?.status === 'completed' || (job?.status === 'expired' && job.expiredFor === 'retention')
  return { status: isDone ? 'completed' : 'cancelled', endedAt }
}
