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
import { advance, begun, ended, newRun, type Step, scheduled, withWake } from './advance.ts'
import { checkTimetable } from './cron-schedule.ts'
import { WorkflowStore } from './store.ts'
import { requestedTasks, storedTasks } from './tasks.ts'
import { mostWorkflows, type Run, type Workflow } from './workflow.ts'

export type WorkflowWish = Pick<
  Workflow,
  'name' | 'cron' | 'timezone' | 'tasks' | 'enabled' | 'overlap' | 'tag' | 'webhookUrl'
>

export type WorkflowChange = { readonly [Field in keyof WorkflowWish]?: WorkflowWish[Field] | undefined }

/** Tries at a change that somebody else may make too. */
const tries = 5

/** Jobs that are made by the clock. */
export class Workflows {
  readonly store: WorkflowStore
  readonly #services: Services

  constructor(services: Services) {
    this.store = new WorkflowStore(services.table)
    this.#services = services
  }

  /** @throws AppError INVALID_INPUT for one that could not run, and for one too many. */
  async create(owner: string, wish: WorkflowWish, now = new Date()): Promise<Workflow> {
    checkTimetable(wish)
    await this.#checkTold(wish)
    const id = newId('wf')
    const at = now.toISOString()
    const workflow = scheduled(
      {
        ...{ id, owner, ...wish, tasks: storedTasks(wish.tasks, id, this.#services) },
        ...{ failures: 0, createdAt: at, updatedAt: at, version: 1 },
      },
      now,
    )
    if (await this.store.create(workflow)) return workflow
    throw new AppError(
      'INVALID_INPUT',
      `There are ${mostWorkflows} workflows, which is as many as one owner may have. Delete one first.`,
      { max: mostWorkflows },
    )
  }

  /** What is left out stays. Switched on it begins anew, whatever failed before. @throws AppError INVALID_INPUT */
  async change(id: string, wish: WorkflowChange, now = new Date()): Promise<Workflow | undefined> {
    await this.#checkTold(wish)
    const given = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined))
    const tasks = wish.tasks && storedTasks(wish.tasks, id, this.#services)
    return this.#changed(id, (workflow) => {
      const { paused, ...wanted } = { ...workflow, ...given, ...(tasks && { tasks }) } as Workflow
      checkTimetable(wanted)
      const isAnew = wish.enabled === true
      const next = {
        ...wanted,
        ...(paused && !isAnew && { paused }),
        ...(isAnew && { failures: 0 }),
        updatedAt: now.toISOString(),
      }
      const isTimed = [wish.cron, wish.timezone, wish.enabled].some((value) => value !== undefined)
      return { next: isTimed ? scheduled(next, now) : next }
    }).then((changed) => changed?.next)
  }

  async #checkTold({ webhookUrl }: WorkflowChange): Promise<void> {
    if (webhookUrl) await new Webhooks(this.#services).checkJobUrl(webhookUrl)
  }

  /** Runs it now. @throws AppError CONFLICT while a run is under way that it does not cancel. */
  async runNow(id: string, now = new Date()): Promise<Run | undefined> {
    const step = await this.#changed(id, async (before) => {
      const workflow = await this.#settled(before, now)
      const run = newRun(workflow, { trigger: 'request', dueAt: now.toISOString() })
      const { live } = workflow
      if (live === undefined) return begun(workflow, run, now)
      if (workflow.overlap === 'cancel-previous') return { ...begun(workflow, run, now), cancel: live }
      throw new AppError('CONFLICT', `The run ${live} is under way. Wait for its end, or cancel its job.`, {
        runId: live,
      })
    })
    if (!step?.run) return undefined
    await this.#follow(step, now)
    return (await this.store.run(id, step.run.id)) ?? step.run
  }

  /** A moment has come that its record names. */
  async wake(id: string, now = new Date()): Promise<void> {
    const step = await this.#changed(id, async (before) => {
      const workflow = await this.#settled(before, now)
      return advance(workflow, now) ?? (await this.#afterWaiting(workflow, now))
    })
    if (step) await this.#follow(step, now)
  }

  /** As it stands now: what is stored of a run learns of its job's end up to a minute later. */
  async current(run: Run, now = new Date()): Promise<Run> {
    if (run.status !== 'running' || !run.jobId) return run
    const job = await this.#services.jobs.store.getJob(run.jobId)
    return job && !isUnderWay(job) ? { ...run, ...outcomeOf(job, now) } : run
  }

  /** The run that waited for the end of the one before, where there is one and that is over. */
  async #afterWaiting(workflow: Workflow, now: Date): Promise<Step> {
    const { waiting, ...rest } = workflow
    if (waiting === undefined || workflow.live !== undefined) return { next: withWake(workflow, now) }
    const run = await this.store.run(workflow.id, waiting)
    return run ? begun(rest, run, now) : { next: withWake(rest, now) }
  }

  /** What is decided by a workflow that somebody else has changed meanwhile is decided again. */
  async #changed(
    id: string,
    decide: (workflow: Workflow) => Step | Promise<Step>,
  ): Promise<Step | undefined> {
    for (let attempt = 1; attempt <= tries; attempt++) {
      const before = await this.store.find(id)
      if (!before) return undefined
      const step = await decide(before)
      // First of all: nobody would think of it after a stop.
      if (step.cancel !== undefined) await this.#cancel(id, step.cancel)
      const next = await this.store.change(before, step.next, step.run)
      if (next?.paused && !before.paused) await this.#tellPaused(next, next.paused.reason)
      if (next) return { ...step, next }
    }
    throw new Error(`${id} is changed by others all the time`)
  }

  #tellPaused({ owner, name: workflow }: Workflow, why: string): Promise<void> {
    return emailOwner(this.#services, owner, (name) => emailTemplates.workflowPaused(name, { workflow, why }))
  }

  async #cancel(workflowId: string, runId: string): Promise<void> {
    const run = await this.store.run(workflowId, runId)
    if (!run?.jobId) return
    await this.#services.jobs.cancel(run.jobId, 'system')
    await this.store.changeRun(run, { status: 'cancelled', endedAt: new Date().toISOString() })
  }

  /** What follows from a step that is stored; where it is cut off, the next look goes on. */
  async #follow({ next, run }: Step, now: Date): Promise<void> {
    if (run?.status === 'running') await this.#start(next, run, now)
  }

  /** Makes the job of a run, once however often it is asked to. */
  async #start(workflow: Workflow, run: Run, now: Date): Promise<void> {
    try {
      await this.#makeJob(workflow, run)
      await this.store.changeRun(run, { startedAt: now.toISOString() })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { code, message } = error
      const failed = { status: 'failed', endedAt: now.toISOString(), error: { code, message } } as const
      await this.store.changeRun(run, failed)
      await this.#changed(workflow.id, (current) => ({
        next: current.live === run.id ? ended(current, failed, now) : current,
      }))
    }
  }

  async #makeJob(workflow: Workflow, run: Run): Promise<void> {
    const services = this.#services
    const { owner, tag, webhookUrl, timezone } = workflow
    const date = new Date(wallTime(timezone, Date.parse(run.dueAt))).toISOString().slice(0, 10)
    const tasks = requestedTasks(workflow, { date, runId: run.id }, services)
    const { imports, discard } = await openImports(tasks, { owner, services })
    try {
      const told = { tag, webhookUrl: webhookUrl ?? undefined }
      await startJob({ owner, requestId: newId('req'), jobId: run.jobId, ...told, tasks, imports }, services)
    } finally {
      await discard()
    }
  }

  /** The workflow with what became of its live run; one whose job was never made is made now. */
  async #settled(workflow: Workflow, now: Date): Promise<Workflow> {
    const { live } = workflow
    if (live === undefined) return workflow
    const run = await this.store.run(workflow.id, live)
    if (!run?.jobId) return ended(workflow, { status: 'cancelled' }, now)
    if (run.status !== 'running') return ended(workflow, run, now)
    const job = await this.#services.jobs.store.getJob(run.jobId)
    if (!job && !run.startedAt) {
      await this.#start(workflow, run, now)
      return workflow
    }
    if (job && isUnderWay(job)) return workflow
    const over = { ...run, ...outcomeOf(job, now) }
    await this.store.changeRun(run, over)
    return ended(workflow, over, now)
  }
}

const isUnderWay = (job: Job) => !job.deletedAt && isLiveStatus(job.status)

/** How a run ended, by its job; undefined when that is gone. */
export function outcomeOf(job: Job | undefined, now: Date): Pick<Run, 'status' | 'endedAt' | 'error'> {
  const endedAt = job?.endedAt ?? now.toISOString()
  if (job?.error) {
    const { code, message } = job.error
    return { status: 'failed', endedAt, error: { code, message } }
  }
  const isDone = job?.status === 'completed' || (job?.status === 'expired' && job.expiredFor === 'retention')
  return { status: isDone ? 'completed' : 'cancelled', endedAt }
}
