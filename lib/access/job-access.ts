import * as z from 'zod'
import { isAccount } from '../accounts/accounts.ts'
import { isVisibleToKey, type JobReader } from '../accounts/visible-to-key.ts'
import { AppError } from '../errors.ts'
import { idPattern, quoteId } from '../ids.ts'
import { getJobPollIntervalS, needsTaskRecords } from '../jobs/view.ts'
import { isTerminalStatus, type Job, type JobState } from '../model/job.ts'
import type { Principal } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { text } from '../validation/maxima.ts'
import { mayWait, type WaitKind } from './wait-limit.ts'

/** Functions shared by the endpoints of a single job: finding it, checking access, waiting for its end. */

export const JobParams = z.object({ jobId: text('id').describe('Id of the job, `job_…`') })

export function createJobNotFoundError(jobId: string): AppError {
  return new AppError('JOB_NOT_FOUND', `There is no job ${quoteId(jobId)}; it may have been deleted.`, {
    jobId,
  })
}

/**
 * Returns a job that the reader may see. A job of an account is visible to that account only, any other job to everyone
 * who knows its id.
 * @throws AppError JOB_NOT_FOUND; for an expired job, the details say when it expired.
 */
export function requireVisibleJob(job: Job | undefined, jobId: string, reader: JobReader): Job {
  if (!job || job.deletedAt || !canRead(job, reader)) throw createJobNotFoundError(jobId)
  if (job.status !== 'expired') return job
  throw new AppError(
    'JOB_NOT_FOUND',
    `Job ${jobId} expired at ${job.expiredAt} and its files were deleted.`,
    {
      jobId,
      reason: 'expired',
      expiredAt: job.expiredAt,
    },
  )
}

export const canRead = (job: Job, reader: JobReader) =>
  !isAccount(job.owner) || (job.owner === reader.ownerId && isVisibleToKey(job, reader))

/** Returns the job that an earlier attempt of the same request created; see `Idempotency`. */
export async function findEarlierJob(jobId: string, { jobs }: Services): Promise<JobState | undefined> {
  const state = await jobs.store.getState(jobId)
  if (state) requireVisibleJob(state.job, jobId, { ownerId: state.job.owner })
  return state
}

/** Rejects malformed ids before they reach the table. */
export function requireJobId(jobId: string): string {
  if (!idPattern('job').test(jobId)) throw createJobNotFoundError(jobId)
  return jobId
}

/** Throws unless the client owns the job: even if everyone with the id may see it, only its owner may change it. */
export function requireOwner(job: Job, principal: Principal): void {
  if (!canRead(job, principal)) throw createJobNotFoundError(job.id)
  if (job.owner === principal.ownerId) return
  throw new AppError(
    'INSUFFICIENT_PERMISSIONS',
    'This job belongs to another identity. Send the X-Owner-Token header (or the cookie) that you received when you created the job.',
    { jobId: job.id },
  )
}

/** Maximum wait in seconds, because functions of the HTTP API time out after 29 s. */
const maxWaitS = 25

/** Time reserved for creating and sending the reply. */
const replyMarginS = 2

interface WaitRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly remainingMs: () => number
}

/**
 * Returns the seconds of `Prefer: wait=N` (RFC 7240), at most 25 and at most the remaining time of the function, which
 * is shorter after a large upload; undefined if the client does not ask to wait.
 */
export function parseWaitS({ headers, remainingMs }: WaitRequest): number | undefined {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})/i.exec(headers.prefer ?? '')?.[1]
  if (seconds === undefined) return undefined
  const remainingS = Math.max(0, Math.floor(remainingMs() / 1000) - replyMarginS)
  return Math.min(Number(seconds), maxWaitS, remainingS)
}

/**
 * Returns the seconds that a request waits for a job, as in `parseWaitS`. Undefined, as if the client had not asked, if
 * too many requests are waiting; a request for a finished job doesn't count.
 */
export async function grantWaitS(
  request: WaitRequest,
  kind: WaitKind,
  services: Services,
  job?: Job,
): Promise<number | undefined> {
  const seconds = parseWaitS(request)
  if (!seconds || (job && isTerminalStatus(job.status))) return seconds
  return (await mayWait(kind, services)) ? seconds : undefined
}

/** Returns the job when it has finished or the time is up; `createdJob` is the job if this request created it. */
export function waitUntilFinished(
  { jobs }: Services,
  jobId: string,
  seconds: number,
  createdJob?: Job,
): Promise<Job | undefined> {
  return jobs.waitFor(jobId, seconds * 1000, (job) => isTerminalStatus(job.status), createdJob)
}

/** Loads a job with the tasks that its view needs. */
export async function loadViewState(job: Job, { jobs }: Services): Promise<JobState> {
  const fullState = needsTaskRecords(job) ? await jobs.store.getState(job.id) : undefined
  return fullState ?? { job, fixed: job.fixed ?? [], tasks: [], chunks: [] }
}

export function createJobHeaders(job: Job, waitedS: number | undefined): Record<string, string> {
  const seconds = getJobPollIntervalS(job)
  return {
    ...(seconds !== undefined && { 'retry-after': String(seconds) }),
    ...(waitedS !== undefined && { 'preference-applied': `wait=${waitedS}` }),
  }
}
