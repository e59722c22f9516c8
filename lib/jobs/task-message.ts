import * as z from 'zod'
import type { TaskRef } from './keys.ts'

/**
 * What a worker that reaches no file by itself is given for one task: addresses that are good for its inputs and for
 * what it makes, and nothing else; and the passwords of the task. The table has these sealed, and engines do not get the
 * service's secret, as it would open those of everybody. They travel in the message alone, which its queue keeps
 * encrypted and drops when the task is done.
 */
export const PresignedWork = z.object({
  until: z.number().describe('Epoch milliseconds at which the signatures end'),
  inputs: z.record(z.string(), z.string()).describe('URLs by key'),
  output: z
    .object({ url: z.string(), prefix: z.string(), fields: z.record(z.string(), z.string()).readonly() })
    .describe('Form of files whose keys begin so'),
  opened: z.record(z.string(), z.unknown()).describe('Passwords, by what is in their place in the record'),
})
export type PresignedWork = z.infer<typeof PresignedWork>

/** What travels in a queue: where to find the task; all else is in its record, but for what must not stand there. */
export const TaskMessage = z.object({
  jobId: z.string(),
  task: z.int().describe('Number of the task'),
  part: z.int().optional().describe('Number of one of its parts'),
  work: z
    .union([
      PresignedWork,
      z.object({ url: z.string().describe('Where it lies when it is too large for a message') }),
    ])
    .optional(),
})
export type TaskMessage = z.infer<typeof TaskMessage>

export const taskMessageOf = ({ jobId, task, part }: TaskRef): TaskMessage => ({
  jobId,
  task,
  ...(part !== undefined && { part }),
})
