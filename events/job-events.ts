import * as z from 'zod'
import { JobError, JobStatus, TaskStatus, Warning } from '../lib/jobs/job.ts'
import type { JobState } from '../lib/jobs/machine.ts'
import { eventKind } from './event.ts'

const TaskOutline = z.object({ operation: z.string(), status: TaskStatus })

const JobOutline = z.object({
  id: z.string(),
  status: JobStatus,
  tag: z.string().nullable(),
  source: z.object({ filename: z.string(), format: z.string(), size: z.int() }),
  target: z.object({ format: z.string() }),
  tasks: z.record(z.string(), TaskOutline),
  createdAt: z.iso.datetime(),
  queuedAt: z.iso.datetime().optional(),
  startedAt: z.iso.datetime().optional(),
})

const EventFile = z.object({
  filename: z.string(),
  size: z.int(),
  mimeType: z.string(),
  url: z.string().optional(),
})

/** What happens to a job. */
export const jobEvents = {
  'job.created': eventKind({
    body: { job: JobOutline },
    moment: (job) => job.createdAt,
    tell: (state) => ({ job: outline(state) }),
  }),
  'job.queued': eventKind({
    body: { job: JobOutline },
    moment: (job) => job.queuedAt,
    tell: (state) => ({ job: outline(state) }),
  }),
  'job.started': eventKind({
    body: { job: JobOutline },
    moment: (job) => job.startedAt,
    tell: (state) => ({ job: outline(state) }),
  }),
  'job.progress': eventKind({
    body: {
      job: z.object({
        id: z.string(),
        status: z.literal('processing'),
        tag: z.string().nullable(),
        progress: z.object({ percent: z.int(), stage: z.string(), taskName: z.string().optional() }),
      }),
    },
    // Told once and never again: its moment stands in no record.
    moment: () => new Date().toISOString(),
    tell: ({ job }) => ({
      job: {
        id: job.id,
        status: 'processing' as const,
        tag: job.tag,
        progress: { percent: job.percent, stage: job.stage, taskName: job.taskName },
      },
    }),
  }),
  'job.completed': eventKind({
    body: {
      job: JobOutline.extend({
        tasks: z.record(z.string(), TaskOutline.extend({ result: z.object({ url: z.string() }).optional() })),
        endedAt: z.iso.datetime(),
        durationMs: z.int(),
        engine: z.string().optional(),
        warnings: z.array(Warning),
        files: z.array(EventFile),
      }),
    },
    moment: (job) => job.endedAt,
    tell: (state) => ({ job: completion(state) }),
  }),
  'job.failed': eventKind({
    body: { job: JobOutline.extend({ error: JobError, endedAt: z.iso.datetime() }) },
    moment: (job) => job.endedAt,
    tell: (state) => ({
      job: {
        ...outline(state),
        error: state.job.error ?? { code: 'INTERNAL_ERROR', message: 'The job failed.' },
        endedAt: state.job.endedAt ?? state.job.createdAt,
      },
    }),
  }),
  'job.cancelled': eventKind({
    body: {
      job: z.object({
        id: z.string(),
        status: z.literal('cancelled'),
        cancelledBy: z.enum(['user', 'system']),
        cancelledAt: z.iso.datetime(),
      }),
    },
    moment: (job) => job.endedAt,
    tell: ({ job }) => ({
      job: {
        id: job.id,
        status: 'cancelled' as const,
        cancelledBy: job.cancelledBy ?? 'system',
        cancelledAt: job.endedAt ?? job.createdAt,
      },
    }),
  }),
  'job.expired': eventKind({
    body: {
      job: z.object({
        id: z.string(),
        status: z.literal('expired'),
        expiredAt: z.iso.datetime(),
        reason: z.enum(['retention', 'upload_timeout']),
      }),
    },
    moment: (job) => job.expiredAt,
    tell: ({ job }) => ({
      job: {
        id: job.id,
        status: 'expired' as const,
        expiredAt: job.expiredAt ?? job.createdAt,
        reason: 'retention' as const,
      },
    }),
  }),
} as const

function outline({ job, tasks }: JobState) {
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

function completion(state: JobState) {
  const { job, tasks } = state
  const endedAt = job.endedAt ?? job.createdAt
  const url = `/v1/download/${job.id}`
  return {
    ...outline(state),
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
