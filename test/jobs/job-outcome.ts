import assert from 'node:assert/strict'
import { isTerminalStatus } from '../../lib/jobs/job.ts'
import { resultOfJob, statusOfFixed } from '../../lib/jobs/job-state-machine.ts'
import type { World } from './simulated-service.ts'

/** What a client can know of a job in the end, whatever happened on the way. */
export interface Outcome {
  /** Undefined when there is no such job. */
  readonly status: string | undefined
  readonly error: string | undefined
  readonly summary: unknown
  /** Status, and the code of what did not come to a result. */
  readonly tasks: Readonly<Record<string, string>>
  /** Contents by name. */
  readonly files: Readonly<Record<string, string>>
  /** In the order of their numbers, without progress. */
  readonly events: readonly string[]
}

export async function outcomeOf(world: World): Promise<Outcome> {
  const events = eventsOf(world)
  const state = await world.services().jobs.store.getState(world.jobId)
  if (!state) return { status: undefined, error: undefined, summary: undefined, tasks: {}, files: {}, events }
  const { job, fixed, tasks } = state
  const all = [
    ...fixed.map((task) => [task.name, statusOfFixed(task, state)]),
    ...tasks.map(({ name, status, code }) => [name, code ? `${status} ${code}` : status]),
  ]
  const files = job.status === 'completed' ? resultOfJob(state).files : []
  return {
    status: job.status,
    error: job.error?.code,
    summary: job.summary,
    tasks: Object.fromEntries(all),
    files: Object.fromEntries(
      files.map(({ key, filename }) => [
        filename,
        Buffer.from(world.files.objects.get(key) ?? []).toString(),
      ]),
    ),
    events,
  }
}

const afterTheEnd = ['file.deleted', 'job.expired']
const ends = ['job.completed', 'job.failed', 'job.cancelled']

/**
 * The events of a job by number. None may be missing, none may say another thing when it is told again, and nothing but
 * the deletion of its files follows its end.
 */
function eventsOf({ bus, jobId }: World): string[] {
  assert.deepEqual(bus.contradictions, [], 'events are valid, and the same when they are told again')
  // Files that arrive are told of by themselves.
  const ofJob = bus.events.filter(({ stream }) => stream === jobId)
  const inOrder = ofJob.toSorted((a, b) => a.sequence - b.sequence)
  assert.deepEqual(
    inOrder.map(({ sequence }) => sequence),
    inOrder.map((_, at) => at + 1),
    `${jobId}: numbers of ${inOrder.map(({ event, sequence }) => `${sequence} ${event}`)} have no gap`,
  )
  for (const events of [inOrder, ofJob]) {
    const end = events.findIndex(({ event }) => ends.includes(event))
    const after = end < 0 ? [] : events.slice(end + 1)
    assert.deepEqual(
      after.filter(({ event }) => !afterTheEnd.includes(event)),
      [],
      'nothing follows the end',
    )
  }
  const percents = inOrder.flatMap(({ event, ['job']: job }) =>
    // As its schema has it.
    event === 'job.progress' ? [(job as { progress: { percent: number } }).progress.percent] : [],
  )
  assert.deepEqual(
    percents,
    percents.toSorted((a, b) => a - b),
    'progress never falls',
  )
  return inOrder.map(({ event }) => event).filter((event) => event !== 'job.progress')
}

/** Nothing is on its way any more, and nothing was given up. */
export async function assertAtRest(world: World): Promise<void> {
  assert.deepEqual(world.queues.bodies, [], 'no message is left')
  assert.deepEqual(world.queues.deadLetters, [], `no message was given up: ${world.failures.at(-1)}`)
  const state = await world.services().jobs.store.getState(world.jobId)
  if (!state) return
  assert.ok(isTerminalStatus(state.job.status), `the job is ${state.job.status}`)
  const stuck = [...state.tasks, ...state.chunks].filter(({ status }) => !isTerminalTask(status))
  assert.deepEqual(
    stuck.map(({ name, status }) => `${name} ${status}`),
    [],
    'no task is stuck',
  )
}

/** Whoever did something told those who wait for it: nobody had to look after the job. */
export function assertPrompt(world: World): void {
  assert.equal(world.sweeps, 0, 'the sweep found nothing to make up for')
}

const isTerminalTask = (status: string) => status !== 'pending' && status !== 'processing'
