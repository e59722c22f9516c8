import { emailOwner } from '../accounts/account-emails.ts'
import { openImports } from '../conversion/imports.ts'
import { startJob } from '../conversion/start-job.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { emailTemplates } from '../mail/emails.ts'
import { isLiveStatus, type Job } from '../model/job.ts'
import type { Services } from '../services/services.ts'
import { toWallTime } from '../time-zones.ts'
import { defined } from '../validation/defined.ts'
import { openUrl } from '../webhooks/stored-url.ts'
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

type WorkflowInput = Pick<
  Workflow,
  'name' | 'cron' | 'timezone' | 'tasks' | 'enabled' | 'overlap' | 'tag'
> & { readonly webhookUrl?: string | null | undefined }

type WorkflowChange = { readonly [Field in keyof WorkflowInput]?: WorkflowInput[Field] | undefined }

/** Maximum number of attempts at a change that may conflict with others. */
const maxTries = 5

/** Creates, changes and runs workflows. */
export class Workflows {
  readonly store: WorkflowStore
  readonly #services: Services

  constructor(services: Services) {
    this.store = new WorkflowStore(services.table)
    this.#services = services
  }

  /** Creates a workflow. @throws AppError INVALID_INPUT if it is invalid, or the owner has reached the limit. */
  async create(owner: string, input: WorkflowInput, now = new Date()): Promise<Workflow> {
    validateSchedule(input)
    await this.#checkWebhook(input)
    const id = newId('wf')
    const at = now.toISOString()
    const workflow = scheduleNextRun(
      {
        id,
        owner,
        ...input,
        tasks: await prepareTasks(input.tasks, id, this.#services),
        webhookUrl: this.#sealWebhookUrl(input, id),
        failures: 0,
        createdAt: at,
        updatedAt: at,
        version: 1,
      },
      now,
    )
    if (await this.store.create(workflow)) return workflow
    throw new AppError(
      'INVALID_INPUT',
      `You have reached the maximum of ${maxWorkflows} workflows. Delete one first.`,
      { max: maxWorkflows },
    )
  }

  /** Changes the fields that are set. Enabling a workflow resets its failures. @throws AppError INVALID_INPUT */
  async change(id: string, input: WorkflowChange, now = new Date()): Promise<Workflow | undefined> {
    await this.#checkWebhook(input)
    const changes = defined({ ...input, webhookUrl: this.#sealWebhookUrl(input, id) })
    const tasks = input.tasks && (await prepareTasks(input.tasks, id, this.#services))
    return this.#changeWithRetry(id, (workflow) => {
      // Object.fromEntries loses the type of the changes, which have no undefined fields.
      const { paused, ...wantedWorkflow } = { ...workflow, ...changes, ...defined({ tasks }) } as Workflow
      validateSchedule(wantedWorkflow)
      const isSwitchedOn = input.enabled === true
      const nextWorkflow = {
        ...wantedWorkflow,
        ...(paused && !isSwitchedOn && { paused }),
        ...(isSwitchedOn && { failures: 0 }),
        updatedAt: now.toISOString(),
      }
      const affectsSchedule = [input.cron, input.timezone, input.enabled].some((value) => value !== undefined)
      return { next: affectsSchedule ? scheduleNextRun(nextWorkflow, now) : nextWorkflow }
    }).then((transition) => transition?.next)
  }

  #sealWebhookUrl({ webhookUrl }: WorkflowChange, id: string) {
    return webhookUrl ? this.#services.vault.seal(webhookUrl, id) : webhookUrl
  }

  async #checkWebhook({ webhookUrl }: WorkflowChange): Promise<void> {
    if (webhookUrl) await new Webhooks(this.#services).checkJobUrl(webhookUrl)
  }

  /** Starts a run now. @throws AppError CONFLICT while another run is running, unless the workflow cancels it. */
  async runNow(id: string, now = new Date()): Promise<WorkflowRun | undefined> {
    const transition = await this.#changeWithRetry(id, async (workflowBefore) => {
      const workflow = await this.#updateLiveRun(workflowBefore, now)
      const run = createRun(workflow, { trigger: 'request', dueAt: now.toISOString() })
      const { live } = workflow
      if (live === undefined) return startRun(workflow, run, now)
      if (workflow.overlap === 'cancel-previous') return { ...startRun(workflow, run, now), cancel: live }
      throw new AppError(
        'CONFLICT',
        `The run ${live} is still running. Wait until it ends, or cancel its job.`,
        {
          runId: live,
        },
      )
    })
    if (!transition?.run) return undefined
    await this.#startJob(transition, now)
    return (await this.store.run(id, transition.run.id)) ?? transition.run
  }

  /** Does everything that is due for a workflow whose `wakeAt` has passed. */
  async wake(id: string, now = new Date()): Promise<void> {
    const transition = await this.#changeWithRetry(id, async (workflowBefore) => {
      const workflow = await this.#updateLiveRun(workflowBefore, now)
      return advanceWorkflow(workflow, now) ?? (await this.#startWaitingRun(workflow, now))
    })
    if (transition) await this.#startJob(transition, now)
  }

  /**
   * Returns the current state of a run. The stored record of the run may be updated up to a minute after the job of the
   * run has ended.
   */
  async loadCurrentRun(run: WorkflowRun, now = new Date()): Promise<WorkflowRun> {
    if (run.status !== 'running' || !run.jobId) return run
    const job = await this.#services.jobs.store.getJob(run.jobId)
    return job && !isRunning(job) ? { ...run, ...getRunOutcome(job, now) } : run
  }

  /** Starts the waiting run, if there is one and the previous run has ended. */
  async #startWaitingRun(workflow: Workflow, now: Date): Promise<WorkflowTransition> {
    const { waiting, ...otherFields } = workflow
    if (waiting === undefined || workflow.live !== undefined) return { next: setWakeTime(workflow, now) }
    const run = await this.store.run(workflow.id, waiting)
    return run ? startRun(otherFields, run, now) : { next: setWakeTime(otherFields, now) }
  }

  /** Decides and stores a change; after a concurrent change, decides again. */
  async #changeWithRetry(
    id: string,
    decide: (workflow: Workflow) => WorkflowTransition | Promise<WorkflowTransition>,
  ): Promise<WorkflowTransition | undefined> {
    for (let attempt = 1; attempt <= maxTries; attempt++) {
      const workflowBefore = await this.store.find(id)
      if (!workflowBefore) return undefined
      const transition = await decide(workflowBefore)
      // The job is cancelled before the write, because after a crash nothing would repeat the cancellation.
      if (transition.cancel !== undefined) await this.#cancel(id, transition.cancel)
      const nextWorkflow = await this.store.change(workflowBefore, transition.next, transition.run)
      if (nextWorkflow?.paused && !workflowBefore.paused)
        await this.#notifyPaused(nextWorkflow, nextWorkflow.paused.reason)
      if (nextWorkflow) return { ...transition, next: nextWorkflow }
    }
    throw new Error(`gave up after ${maxTries} write conflicts on workflow ${id}`)
  }

  #notifyPaused({ owner, name: workflow }: Workflow, reason: string): Promise<void> {
    return emailOwner(this.#services, owner, (name) =>
      emailTemplates.workflowPaused(name, { workflow, reason }),
    )
  }

  async #cancel(workflowId: string, runId: string): Promise<void> {
    const run = await this.store.run(workflowId, runId)
    if (!run?.jobId) return
    await this.#services.jobs.cancel(run.jobId, 'system')
    await this.store.changeRun(run, { status: 'cancelled', endedAt: new Date().toISOString() })
  }

  /** Creates the job of a stored run. If the process crashes before, the next check of the workflow creates the job. */
  async #startJob({ next, run }: WorkflowTransition, now: Date): Promise<void> {
    if (run?.status === 'running') await this.#startRunJob(next, run, now)
  }

  /** Creates the job of a run; repeated calls create it only once. */
  async #startRunJob(workflow: Workflow, run: WorkflowRun, now: Date): Promise<void> {
    try {
      await this.#createJob(workflow, run)
      await this.store.changeRun(run, { startedAt: now.toISOString() })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { code, message } = error
      const failedRun = { status: 'failed', endedAt: now.toISOString(), error: { code, message } } as const
      await this.store.changeRun(run, failedRun)
      await this.#changeWithRetry(workflow.id, (current) => ({
        next: current.live === run.id ? endRun(current, failedRun, now) : current,
      }))
    }
  }

  async #createJob(workflow: Workflow, run: WorkflowRun): Promise<void> {
    const services = this.#services
    const { id, owner, tag, timezone } = workflow
    const webhookUrl = workflow.webhookUrl && openUrl(workflow.webhookUrl, id, services.vault)
    const date = new Date(toWallTime(timezone, Date.parse(run.dueAt))).toISOString().slice(0, 10)
    const tasks = createRunTasks(workflow, { date, runId: run.id }, services)
    const { imports, discard } = await openImports(tasks, { principal: { ownerId: owner }, services })
    try {
      const jobFields = { tag, webhookUrl: webhookUrl ?? undefined }
      await startJob(
        { owner, requestId: newId('req'), jobId: run.jobId, ...jobFields, tasks, imports },
        services,
      )
    } finally {
      await discard()
    }
  }

  /** Updates the workflow with the outcome of its live run. Creates the run's job if it is missing. */
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
    if (job && isRunning(job)) return workflow
    const over = { ...run, ...getRunOutcome(job, now) }
    await this.store.changeRun(run, over)
    return endRun(workflow, over, now)
  }
}

const isRunning = (job: Job) => !job.deletedAt && isLiveStatus(job.status)

/** Returns the outcome of a run. @param job the job of the run; undefined if the job no longer exists. */
function getRunOutcome(job: Job | undefined, now: Date): Pick<WorkflowRun, 'status' | 'endedAt' | 'error'> {
  const endedAt = job?.endedAt ?? now.toISOString()
  if (job?.error) {
    const { code, message } = job.error
    return { status: 'failed', endedAt, error: { code, message } }
  }
  const isDone = job?.status === 'completed' || (job?.status === 'expired' && job.expiredFor === 'retention')
  return { status: isDone ? 'completed' : 'cancelled', endedAt }
}
