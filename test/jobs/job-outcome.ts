import assert from 'node:assert/strict'
import { getFixedTaskStatus, getJobResult } from '../../lib/jobs/job-state-machine.ts'
import { isTerminalStatus } from '../../lib/model/job.ts'
import { readImageText } from './no-op-engine.ts'
import type { SimulatedService } from './simulated-service.ts'

/** The part of a job's final state that clients can see. */
export interface ObservedOutcome {
  /** Undefined when the job does not exist. */
  readonly status: string | undefined
  readonly error: string | undefined
  readonly summary: unknown
  /** Status by task, with the error code of failed tasks. */
  readonly tasks: Readonly<Record<string, string>>
  /** File contents by name. */
  readonly files: Readonly<Record<string, string>>
  /** Events in the order of their sequence numbers, without progress. */
  readonly events: readonly string[]
}

export async function getOutcome(service: SimulatedService): Promise<ObservedOutcome> {
  const events = listEvents(service)
  const state = await service.services().jobs.store.getState(service.jobId)
  if (!state) return { status: undefined, error: undefined, summary: undefined, tasks: {}, files: {}, events }
  const { job, fixed, tasks } = state
  const taskStatuses = [
    ...fixed.map((task) => [task.name, getFixedTaskStatus(task, state)]),
    ...tasks.map(({ name, status, code }) => [name, code ? `${status} ${code}` : status]),
  ]
  const files = job.status === 'completed' ? getJobResult(state).files : []
  return {
    status: job.status,
    error: job.error?.code,
    summary: job.summary,
    tasks: Object.fromEntries(taskStatuses),
    files: Object.fromEntries(
      files.map(({ key, filename }) => [filename, readImageText(service.files.objects.get(key))]),
    ),
    events,
  }
}

const eventsAllowedAfterEnd = ['file.deleted', 'job.expired']
const endEvents = ['job.completed', 'job.failed', 'job.cancelled']

/**
 * Returns the events of a job in order, without upload events. Asserts that none is missing, that repetitions are
 * identical, and that only file deletions follow the end of the job.
 */
function listEvents({ bus, jobId }: SimulatedService): string[] {
  assert.deepEqual(bus.contradictions, [], 'events are valid, and identical when they are repeated')
  const eventsOfJob = bus.events.filter(({ stream }) => stream === jobId)
  const sortedEvents = eventsOfJob.toSorted((a, b) => a.sequence - b.sequence)
  assert.deepEqual(
    sortedEvents.map(({ sequence }) => sequence),
    sortedEvents.map((_, at) => at + 1),
    `${jobId}: numbers of ${sortedEvents.map(({ event, sequence }) => `${sequence} ${event}`)} have no gap`,
  )
  for (const events of [sortedEvents, eventsOfJob]) {
    const end = events.findIndex(({ event }) => endEvents.includes(event))
    const eventsAfter = end < 0 ? [] : events.slice(end + 1)
    assert.deepEqual(
      eventsAfter.filter(({ event }) => !eventsAllowedAfterEnd.includes(event)),
      [],
      'nothing follows the end',
    )
  }
  const percents = sortedEvents.flatMap(({ event, ['job']: job }) =>
    // The shape is defined by the event's schema.
    event === 'job.progress' ? [(job as { progress: { percent: number } }).progress.percent] : [],
  )
  assert.deepEqual(
    percents,
    percents.toSorted((a, b) => a - b),
    'progress never falls',
  )
  return sortedEvents
    .map(({ event }) => event)
    .filter((event) => event !== 'job.progress' && event !== 'file.uploaded')
}

/** Asserts that no messages remain and none was dead-lettered. */
export async function assertNothingIsPending(service: SimulatedService): Promise<void> {
  assert.deepEqual(service.queues.bodies, [], 'no message is left')
  assert.deepEqual(service.queues.deadLetters, [], `no message was dead-lettered: ${service.failures.at(-1)}`)
  const state = await service.services().jobs.store.getState(service.jobId)
  if (!state) return
  assert.ok(isTerminalStatus(state.job.status), `the job is ${state.job.status}`)
  const unfinishedTasks = [...state.tasks, ...state.chunks].filter(({ status }) => !isTerminalTask(status))
  assert.deepEqual(
    unfinishedTasks.map(({ name, status }) => `${name} ${status}`),
    [],
    'no task is stuck',
  )
}

/** Asserts that no sweep was needed. */
export function assertNoSweeps(service: SimulatedService): void {
  assert.equal(service.sweeps, 0, 'no sweep was needed')
}

const isTerminalTask = (status: string) => status !== 'pending' && status !== 'processing'
