import * as z from 'zod'
import { defined } from '../validation/defined.ts'

/**
 * What a worker without access to files gets for one task: presigned URLs for its inputs and outputs only, and the
 * task's passwords. The table stores passwords sealed, and workers do not get the service secret, because it opens the
 * passwords of all owners. The passwords are only in the message, which the queue encrypts and deletes when the task is
 * done.
 */
export const PresignedWork = z.object({
  until: z.number().describe('Expiry of the signatures, in milliseconds since the epoch'),
  inputs: z.record(z.string(), z.string()).describe('URLs by key'),
  output: z
    .object({ url: z.string(), prefix: z.string(), fields: z.record(z.string(), z.string()).readonly() })
    .describe('Upload form for keys with this prefix'),
  opened: z.record(z.string(), z.unknown()).describe('Passwords, by their sealed values in the record'),
})
export type PresignedWork = z.infer<typeof PresignedWork>

/**
 * Queue message of a task. It identifies the task's record and contains URLs and passwords, which must not be stored in
 * the record.
 */
export const TaskMessage = z.object({
  jobId: z.string(),
  task: z.int().describe('Number of the task'),
  part: z.int().optional().describe('Number of the chunk, if the task is split'),
  apart: z.boolean().optional().describe('Whether the task must run in a worker that runs no other task'),
  work: z
    .union([
      PresignedWork,
      z.object({
        url: z.string().describe('URL of the signed requests, when they are too large for a message'),
      }),
    ])
    .optional(),
})
export type TaskMessage = z.infer<typeof TaskMessage>

export const createTaskMessage = ({ jobId, task, part }: TaskRef): TaskMessage => ({
  jobId,
  task,
  ...defined({ part }),
})

/** Identifies a task of a job, or a chunk of a task. */
export interface TaskRef {
  readonly jobId: string
  readonly task: number
  readonly part?: number | undefined
}
