import type { ErrorCode } from '../error-catalog.ts'
import type { JobUsage } from './job-usage.ts'

/** The events that end a job and are counted. */
export const terminalEvents = ['job.completed', 'job.failed', 'job.cancelled'] as const

/** The end of a job, with the fields that are needed to count it. */
export interface JobEnd {
  readonly event: (typeof terminalEvents)[number]
  /** Timestamp (RFC 3339). */
  readonly timestamp: string
  readonly id: string
  readonly owner: string
  readonly share: JobUsage
  readonly errorCode?: ErrorCode | undefined
}
