import * as z from 'zod'

/** What a job adds to the figures of its owner and of the service; it travels with the event of its end. */
export const JobUsage = z.object({
  /** Format of the results, or that was wanted. */
  format: z.string().nullable(),
  /** That made the result, or that failed last. */
  engine: z.string().nullable(),
  /** Id of the API key or the client that the job was made by. */
  key: z.string().optional(),
  /** Time of the tasks between import and export, side by side or not. */
  workMs: z.int(),
  bytesIn: z.int(),
  bytesOut: z.int(),
  /** From its beginning to its end, and to its first task; not there where none has started. */
  durationMs: z.int().optional(),
  queueMs: z.int().optional(),
})
export type JobUsage = z.infer<typeof JobUsage>
