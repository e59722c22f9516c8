import * as z from 'zod'

/** What travels in a queue: where to find the task; all else is in its record. */
export const TaskMessage = z.object({
  jobId: z.string(),
  taskName: z.string(),
  /** Tasks that wait for it and change with it. */
  dependents: z.array(z.string()),
})
export type TaskMessage = z.infer<typeof TaskMessage>
