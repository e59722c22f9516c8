import * as z from 'zod'
import type { TaskRef } from './keys.ts'

/** What travels in a queue: where to find the task; all else is in its record. */
export const TaskMessage = z.object({
  jobId: z.string(),
  task: z.int().describe('Number of the task'),
  part: z.int().optional().describe('Number of one of its parts'),
})
export type TaskMessage = z.infer<typeof TaskMessage>

export const messageOf = ({ jobId, task, part }: TaskRef): TaskMessage => ({
  jobId,
  task,
  ...(part !== undefined && { part }),
})
