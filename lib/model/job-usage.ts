import * as z from 'zod'

/** The usage that a job adds to that of its owner and of the service; part of the event that reports the job's end. */
export const JobUsage = z.object({
  /** Format of the results, or the requested format. */
  format: z.string().nullable(),
  /** Engine that produced the result, or that failed last. */
  engine: z.string().nullable(),
  /** Id of the API key or OAuth client that created the job. */
  key: z.string().optional(),
  /** Total time of all tasks other than imports and exports, even if they ran in parallel. */
  workMs: z.int(),
  bytesIn: z.int(),
  bytesOut: z.int(),
  /** Time from start to end; undefined if no task has started. */
  durationMs: z.int().optional(),
  /** Time from queueing to start; undefined if no task has started. */
  queueMs: z.int().optional(),
})
export type JobUsage = z.infer<typeof JobUsage>
