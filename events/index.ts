import * as z from 'zod'
import { JobError, JobStatus, TaskStatus, Warning } from '../lib/jobs/job.ts'

/** What every event has; `id` stays the same when an event is told again. */
const Common = z.object({
  event: z.string(),
  timestamp: z.iso.datetime(),
  id: z.string(),
  sequence: z.int().describe('Number of the event within its job, from 1'),
  apiVersion: z.literal('v1'),
})

const taskOutline = z.object({ operation: z.string(), status: TaskStatus })

const JobOutline = z.object({
  id: z.string(),
  status: JobStatus,
  tag: z.string().nullable(),
  source: z.object({ filename: z.string(), format: z.string(), size: z.int() }),
  target: z.object({ format: z.string() }),
  tasks: z.record(z.string(), taskOutline),
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

/**
 * Every event: its body beyond the common part. To add one: an entry here, and what makes it beside `job-events.ts`.
 */
export const eventBodies = {
  'job.created': { job: JobOutline },
  'job.queued': { job: JobOutline },
  'job.started': { job: JobOutline },
  'job.progress': {
    job: z.object({
      id: z.string(),
      status: z.literal('processing'),
      tag: z.string().nullable(),
      progress: z.object({ percent: z.int(), stage: z.string(), taskName: z.string().optional() }),
    }),
  },
  'job.completed': {
    job: JobOutline.extend({
      tasks: z.record(z.string(), taskOutline.extend({ result: z.object({ url: z.string() }).optional() })),
      endedAt: z.iso.datetime(),
      durationMs: z.int(),
      engine: z.string().optional(),
      warnings: z.array(Warning),
      files: z.array(EventFile),
    }),
  },
  'job.failed': { job: JobOutline.extend({ error: JobError, endedAt: z.iso.datetime() }) },
  'job.cancelled': {
    job: z.object({
      id: z.string(),
      status: z.literal('cancelled'),
      cancelledBy: z.enum(['user', 'system']),
      cancelledAt: z.iso.datetime(),
    }),
  },
  'job.expired': {
    job: z.object({
      id: z.string(),
      status: z.literal('expired'),
      expiredAt: z.iso.datetime(),
      reason: z.enum(['retention', 'upload_timeout']),
    }),
  },
} as const satisfies Record<string, z.ZodRawShape>

export type EventName = keyof typeof eventBodies

export type EventBody<Name extends EventName> = z.infer<z.ZodObject<(typeof eventBodies)[Name]>>

/** As it stands on the bus and, later, in a webhook. */
export type ServiceEvent = z.infer<typeof Common> & { readonly event: EventName } & Readonly<
    Record<string, unknown>
  >

export const eventSchema = (name: EventName) =>
  Common.extend({ event: z.literal(name), ...eventBodies[name] })
