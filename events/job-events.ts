import { derivedId } from '../lib/ids.ts'
import type { Job, Task } from '../lib/jobs/job.ts'
import type { JobEventName, JobState } from '../lib/jobs/machine.ts'
import type { EventBody, ServiceEvent } from './index.ts'

/** The event that tells of a job's state; the same state and sequence give the same event, id included. */
export function jobEvent(name: JobEventName, sequence: number, state: JobState): ServiceEvent {
  const timestamp = momentOf(name, state.job)
  return {
    event: name,
    timestamp,
    id: derivedId('evt', new Date(timestamp), state.job.id, name, sequence),
    sequence,
    apiVersion: 'v1',
    ...bodyOf(name, state),
  }
}

function momentOf(name: JobEventName, job: Job): string {
  switch (name) {
    case 'job.created':
      return job.createdAt
    case 'job.queued':
      return job.queuedAt ?? job.createdAt
    case 'job.started':
      return job.startedAt ?? job.createdAt
    case 'job.progress':
      return new Date().toISOString()
    case 'job.completed':
    case 'job.failed':
    case 'job.cancelled':
      return job.endedAt ?? job.createdAt
    case 'job.expired':
      return job.expiredAt ?? job.createdAt
  }
}

function bodyOf(name: JobEventName, { job, tasks }: JobState) {
  switch (name) {
    case 'job.created':
    case 'job.queued':
    case 'job.started':
      return { job: outline(job, tasks) } satisfies EventBody<'job.started'>
    case 'job.progress':
      return {
        job: {
          id: job.id,
          status: 'processing',
          tag: job.tag,
          progress: { percent: job.percent, stage: job.stage, taskName: job.taskName },
        },
      } satisfies EventBody<'job.progress'>
    case 'job.completed':
      return { job: completion(job, tasks) } satisfies EventBody<'job.completed'>
    case 'job.failed':
      return {
        job: {
          ...outline(job, tasks),
          error: job.error ?? { code: 'INTERNAL_ERROR', message: 'The job failed.' },
          endedAt: job.endedAt ?? job.createdAt,
        },
      } satisfies EventBody<'job.failed'>
    case 'job.cancelled':
      return {
        job: {
          id: job.id,
          status: 'cancelled',
          cancelledBy: job.cancelledBy ?? 'system',
          cancelledAt: job.endedAt ?? job.createdAt,
        },
      } satisfies EventBody<'job.cancelled'>
    case 'job.expired':
      return {
        job: {
          id: job.id,
          status: 'expired',
          expiredAt: job.expiredAt ?? job.createdAt,
          reason: 'retention',
        },
      } satisfies EventBody<'job.expired'>
  }
}

function outline(job: Job, tasks: readonly Task[]) {
  return {
    id: job.id,
    status: job.status,
    tag: job.tag,
    source: job.source,
    target: job.target,
    tasks: Object.fromEntries(tasks.map(({ name, operation, status }) => [name, { operation, status }])),
    createdAt: job.createdAt,
    queuedAt: job.queuedAt,
    startedAt: job.startedAt,
  }
}

function completion(job: Job, tasks: readonly Task[]) {
  const endedAt = job.endedAt ?? job.createdAt
  const url = `/v1/download/${job.id}`
  const outlined = outline(job, tasks)
  return {
    ...outlined,
    tasks: Object.fromEntries(
      tasks.map(({ name, operation, status }) => [
        name,
        { operation, status, ...(operation === 'export/url' && { result: { url } }) },
      ]),
    ),
    endedAt,
    durationMs: Date.parse(endedAt) - Date.parse(job.startedAt ?? job.createdAt),
    engine: job.engine,
    warnings: job.warnings,
    files: job.files.map(({ filename, size, mimeType }) => ({ filename, size, mimeType, url })),
  }
}
