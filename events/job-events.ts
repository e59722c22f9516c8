import * as z from 'zod'
import { Fidelity } from '../lib/model/fidelity.ts'
import { BatchSummary, JobError, JobStatus, TaskStatus, Warning } from '../lib/model/job.ts'
import { component } from '../lib/validation/component.ts'

const TaskOutline = component('TaskOutline', z.object({ operation: z.string(), status: TaskStatus }))

const JobOutline = component(
  'JobOutline',
  z.object({
    id: z.string(),
    status: JobStatus,
    tag: z.string().nullable(),
    source: z.object({ filename: z.string(), format: z.string(), size: z.int() }).nullable(),
    target: z.object({ format: z.string() }).nullable(),
    tasks: z.record(z.string(), TaskOutline).describe('Tasks by name'),
    createdAt: z.iso.datetime(),
    queuedAt: z.iso.datetime().optional(),
    startedAt: z.iso.datetime().optional(),
  }),
)

const linkExpiry = z.iso.datetime().optional().describe('When `url` expires, if the export set `expires_in`')

const EventFile = component(
  'EventFile',
  z.object({
    filename: z.string(),
    size: z.int(),
    mimeType: z.string(),
    url: z.string().optional(),
    expires_at: linkExpiry,
  }),
)

const ExportOutline = TaskOutline.extend({
  result: z.object({ url: z.string(), expires_at: linkExpiry }).optional(),
})

const EventExport = component(
  'EventExport',
  z.object({
    method: z.string().describe('Export method, such as `s3`'),
    path: z.string().describe('Path of the first file in the store'),
    url: z.string().describe('Location of the first file, such as `s3://bucket/path`'),
    status: TaskStatus,
    bytes: z.int().describe('Total size of all files in bytes'),
  }),
)

const endedJobFields = {
  endedAt: z.iso.datetime(),
  summary: BatchSummary.optional().describe('Counts of the tasks of a finished batch, or of a failed job'),
}

/** Events about a job. */
export const jobEvents = {
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
      ...endedJobFields,
      tasks: z.record(z.string(), ExportOutline),
      durationMs: z.int(),
      engine: z.string().optional(),
      fidelity: Fidelity.optional().describe('How much of the source the result retained'),
      warnings: z.array(Warning),
      files: z.array(EventFile),
      export: EventExport.optional().describe("The first export to a client's store"),
    }),
  },
  'job.failed': {
    job: JobOutline.extend({
      ...endedJobFields,
      tasks: z.record(z.string(), ExportOutline),
      error: JobError,
    }),
  },
  'job.cancelled': {
    job: z.object({
      id: z.string(),
      status: z.literal('cancelled'),
      tag: z.string().nullable(),
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
} as const satisfies Readonly<Record<string, z.ZodRawShape>>
