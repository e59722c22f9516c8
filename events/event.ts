import type * as z from 'zod'
import type { Job } from '../lib/jobs/job.ts'
import type { JobFile } from '../lib/jobs/job-files.ts'
import type { JobState } from '../lib/jobs/machine.ts'

/** One kind of event: what it holds beyond the common part, when it happened, and how a job's state tells it. */
export interface EventKind<Body extends z.ZodRawShape> {
  readonly body: Body
  /** Of the job's own moments, so that an event told twice is the same; the job's creation when left undefined. */
  readonly moment: (job: Job) => string | undefined
  /** `file` is the one that an event of a file is about. */
  readonly tell: (state: JobState, file?: JobFile) => z.input<z.ZodObject<Body>>
}

/** Ties what is told to its schema. */
export const eventKind = <Body extends z.ZodRawShape>(kind: EventKind<Body>): EventKind<Body> => kind
