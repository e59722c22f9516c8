import type { Announcement, EventName } from '../../events/index.ts'
import type { ImageId } from '../engines/engine.ts'
import {
  isLive,
  isTerminal,
  type Job,
  type JobError,
  type StoredFile,
  type Task,
  type Warning,
} from './job.ts'
import { filesOf, type JobFile } from './job-files.ts'
import { apply, isReady, later, leaseGraceS } from './transitions.ts'

/**
 * The state machine of jobs and tasks, without input or output: `advance` says what a transition makes of a
 * state, `effects` what must happen in the world while a state holds. A crash between the two is repaired by
 * asking for the effects again, so each effect must bear being done twice.
 */
export interface JobState {
  readonly job: Job
  /** Those that the transition concerns: its task and the tasks that wait for it; all of them for `wake` and `cancel`. */
  readonly tasks: readonly Task[]
}

interface OfTask {
  readonly task: string
}
export interface OfLease extends OfTask {
  readonly leaseId: string
}

export interface StepOutcome {
  readonly files: readonly StoredFile[]
  readonly warnings: readonly Warning[]
  readonly engine: string
  readonly engineVersion: string
  readonly method?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

export type Transition =
  | (OfLease & { readonly type: 'claim'; readonly leaseUntil: Date })
  | (OfLease & {
      readonly type: 'renew'
      readonly leaseUntil: Date
      readonly percent: number
      readonly stage: string
    })
  /** The steps of this image are done and another image goes on at `step`. */
  | (OfLease & { readonly type: 'handover'; readonly step: number; readonly outcome: StepOutcome })
  | (OfLease & { readonly type: 'complete'; readonly outcome: StepOutcome })
  | (OfLease & { readonly type: 'fail'; readonly error: JobError; readonly retry: boolean })
  /** A worker that must stop gives the task back; it costs no attempt. */
  | (OfLease & { readonly type: 'release' })
  | { readonly type: 'cancel'; readonly by: 'user' | 'system' }
  | { readonly type: 'wake' }

export type Effect =
  | { readonly type: 'send'; readonly image: ImageId; readonly taskName: string }
  | ({ readonly type: 'publish' } & Announcement)
  | { readonly type: 'delete-files'; readonly keys: readonly string[] }

/** Seconds until a job that nobody touched is looked at: first, and while it waits in a long queue. */
const firstLookS = 60
const laterLookS = 300

/** The new state, or undefined when the transition does not apply (any more) and nothing is to be written. */
export function advance(state: JobState, transition: Transition, now: Date): JobState | undefined {
  const next = apply(state, transition, now)
  if (!next) return undefined
  return { job: { ...next.job, ...wakeOf(next, transition, now) }, tasks: next.tasks }
}

/** What must happen in the world while this state holds. */
export function effects(state: JobState): Effect[] {
  const { job, tasks } = state
  const publish = (event: EventName, sequence = job.sequence): Effect => ({
    type: 'publish',
    event,
    sequence,
  })
  const send = isLive(job.status) ? tasks.flatMap(sendOf) : []
  switch (job.status) {
    case 'pending':
      return [publish('job.created', 1)]
    case 'queued':
      return [...send, publish('job.created', 1), publish('job.queued', 2)]
    case 'processing':
      return [...send, ...(tasks.some(isFirstRun) ? [publish('job.started', 3)] : [])]
    case 'completed':
      return [publish('job.completed')]
    case 'failed':
      return [publish('job.failed')]
    case 'cancelled':
      return [publish('job.cancelled')]
    case 'expired': {
      const files = filesOf(state)
      const told = deletions(files, job.sequence - files.length)
      return [{ type: 'delete-files', keys: files.map(({ key }) => key) }, ...told, publish('job.expired')]
    }
  }
}

/** What is told of files that are gone; the first gets the sequence number `from`. */
export const deletions = (files: readonly JobFile[], from: number) =>
  files.map((file, at) => ({ type: 'publish', event: 'file.deleted', sequence: from + at, file }) as const)

const isFirstRun = (task: Task) => task.status === 'processing' && task.step === 0 && task.attempt === 1

function sendOf(task: Task): Effect[] {
  const step = task.steps[task.step]
  // Images of stored steps come from our own planner, parsed when the task was read.
  return step && isReady(task) ? [{ type: 'send', image: step.image as ImageId, taskName: task.name }] : []
}

function wakeOf({ job, tasks }: JobState, transition: Transition, now: Date): Pick<Job, 'wakeAt'> {
  if (job.status === 'expired') return { wakeAt: undefined }
  if (isTerminal(job.status)) return { wakeAt: job.expiresAt }
  const leases = tasks.map((task) => task.leaseUntil ?? '').filter((until) => until > '')
  const lastLease = leases.sort().at(-1)
  if (lastLease) return { wakeAt: later(new Date(lastLease), leaseGraceS) }
  return { wakeAt: later(now, transition.type === 'wake' ? laterLookS : firstLookS) }
}
